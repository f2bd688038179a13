/*
 * A circuit as JSON for Cytoscape and Cytoscape.js (js.cytoscape.org, Elements
 * JSON); see circuit_text.h. The id of a vertex is its label, unless
 * Cytoscape.js does not accept this label as an id.
 */
#include <string.h>

#include "api/circuits/circuit_text.h"
#include "daemon/base/auto.h"
#include "storage/ingest/labels.h"

/* Whether a label is empty or consists only of Unicode's white space. */
static bool is_blank(const char *label, size_t size)
{
	static const char *const spaces[] = {" ", "\t", "\n", "\v", "\f", "\r",
		"\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
		"\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009",
		"\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
		"\ufeff"};
	const size_t n = sizeof(spaces) / sizeof(*spaces);
	size_t at = 0, k = 0;

	while (at < size && k < n) {
		for (k = 0; k < n; k++) {
			size_t bytes = strlen(spaces[k]);

			if (bytes <= size - at &&
				memcmp(label + at, spaces[k], bytes) == 0) {
				at += bytes;
				break;
			}
		}
	}
	return at == size;
}

/*
 * Append the id of a vertex or of a group of vertices. (The label of a group is
 * a value of an attribute.) The id is the label, unless the label is blank,
 * because Cytoscape.js refuses blank ids. An empty label of a vertex is
 * replaced by "no label". An empty label of a group is replaced by "no" and the
 * attribute's name, such as "no type". A label of white space is put between
 * two marks ('). If another label equals the new id, marks are appended until
 * no label does.
 */
static void id_member(struct apsp_circuit_text *t, const char *name,
	const struct apsp_circuit_vertex *vertex)
{
	APSP_AUTO(apsp_text_done) struct apsp_text id = {0};
	const struct apsp_circuit_request *request = t->request;
	const struct apsp_generation *generation = request->reading.generation;
	bool rolled = t->is_rolled;
	const struct apsp_attribute_column *column =
		rolled ? &generation->attributes->columns[request->by_column]
		       : NULL;
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	apsp_json_key(t->w, name);
	if (!is_blank(label, size)) {
		apsp_json_string(t->w, label, size);
		return;
	}
	if (size == 0)
		apsp_text_printf(&id, "no %s", rolled ? column->name : "label");
	else
		apsp_text_printf(&id, "'%.*s'", (int)size, label);
	while (!id.failed &&
		apsp_labels_find(rolled ? column->values : generation->labels,
			id.data, id.size) >= 0)
		apsp_text_byte(&id, '\'');
	t->text->failed |= id.failed;
	apsp_json_string(t->w, id.data, id.size);
}

static void head(struct apsp_circuit_text *t)
{
	struct apsp_json_writer *w = t->w;

	apsp_json_object(w);
	apsp_json_text_member(w, "format_version", "1.0");
	apsp_json_text_member(w, "generated_by", "apspd");
	apsp_json_boolean_member(w, "directed", true);
	apsp_json_boolean_member(w, "multigraph", false);
	apsp_json_key(w, "data");
	apsp_json_object(w);
	apsp_json_text_member(w, "name", t->request->reading.snapshot->name);
	apsp_circuit_text_head(t, true);
	apsp_json_object_end(w);
	apsp_json_key(w, "elements");
	apsp_json_object(w);
	apsp_json_key(w, "nodes");
	apsp_json_array(w);
}

/* Append the attributes of a vertex. Cytoscape shows the member `name`. If a
   vertex has no attribute `name`, this member is the vertex's id. */
static void attributes_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	bool is_named = false;

	for (uint32_t c = 0; c < t->n_attributes; c++) {
		const char *value = apsp_circuit_text_value(t, c, vertex);

		if (!*value)
			continue;
		is_named |= strcmp(t->attributes[c], "name") == 0;
		apsp_json_text_member(t->w, t->attributes[c], value);
	}
	if (!is_named)
		id_member(t, "name", vertex);
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	struct apsp_json_writer *w = t->w;
	struct apsp_cells cells = apsp_cells_of(w, APSP_CELLS_JSON);

	apsp_json_object(w);
	apsp_json_key(w, "data");
	apsp_cells_begin(&cells);
	id_member(t, "id", vertex);
	/* write the id as `value`, too, because networkx reads the label of a
	   vertex from `value` */
	id_member(t, "value", vertex);
	apsp_circuit_text_vertex(t, vertex, &cells);
	attributes_write(t, vertex);
	apsp_cells_end(&cells);
	apsp_json_object_end(w);
}

static void between(struct apsp_circuit_text *t)
{
	apsp_json_array_end(t->w);
	apsp_json_key(t->w, "edges");
	apsp_json_array(t->w);
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;
	struct apsp_json_writer *w = t->w;
	struct apsp_cells cells = apsp_cells_of(w, APSP_CELLS_JSON);

	apsp_json_object(w);
	apsp_json_key(w, "data");
	apsp_cells_begin(&cells);
	id_member(t, "source", &vertices[arc->from]);
	id_member(t, "target", &vertices[arc->to]);
	apsp_circuit_text_arc(t, arc, &cells);
	apsp_cells_end(&cells);
	apsp_json_object_end(w);
}

static void tail(struct apsp_circuit_text *t)
{
	apsp_json_array_end(t->w);
	apsp_json_object_end(t->w);
	apsp_json_object_end(t->w);
	apsp_json_line_end(t->w);
}

static const char *const own_names[] = {
	"id", "value", "parent", "layer", "pairs", "share", "vertices", NULL};

const struct apsp_circuit_format apsp_circuit_cyjs = {
	.head = head,
	.vertex = vertex_write,
	.between = between,
	.arc = arc_write,
	.tail = tail,
	.own_names = own_names,
};
