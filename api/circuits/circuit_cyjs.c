/*
 * A circuit as JSON for Cytoscape and Cytoscape.js (js.cytoscape.org, Elements
 * JSON); see circuit_text.h. The id of a vertex is its label.
 */
#include <string.h>

#include "api/circuits/circuit_text.h"
#include "daemon/base/auto.h"
#include "storage/ingest/labels.h"

/*
 * Append the id of a vertex. An id must not be empty, so the vertices without a
 * value of the attribute get an id that is no value: "no type", with as many
 * marks behind it as are needed.
 */
static void id_member(struct apsp_circuit_text *t, const char *name,
	const struct apsp_circuit_vertex *vertex)
{
	APSP_AUTO(apsp_text_done) struct apsp_text id = {0};
	const struct apsp_circuit_request *request = t->request;
	const struct apsp_attribute_column *column;
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	apsp_json_key(&t->w, name);
	if (size > 0) {
		apsp_json_string(&t->w, label, size);
		return;
	}
	column = &request->reading.generation->attributes
			  ->columns[request->by_column];
	apsp_text_append(&id, "no ", strlen("no "));
	apsp_text_append(&id, column->name, strlen(column->name));
	while (!id.failed &&
		apsp_labels_find(column->values, id.data, id.size) >= 0)
		apsp_text_byte(&id, '\'');
	t->text.failed |= id.failed;
	apsp_json_string(&t->w, id.data, id.size);
}

static void head(struct apsp_circuit_text *t)
{
	struct apsp_json_writer *w = &t->w;

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

/* Append the attributes. A vertex without an attribute `name` has its label as
   name, which Cytoscape shows. */
static void attributes_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	uint32_t n = apsp_circuit_text_n_attributes(t);
	bool is_named = false;

	for (uint32_t c = 0; c < n; c++) {
		APSP_AUTO(apsp_text_done) struct apsp_text name = {0};
		const char *value = apsp_circuit_text_value(t, c, vertex);

		if (!*value)
			continue;
		apsp_circuit_text_attribute(t, &apsp_circuit_cyjs, c, &name);
		apsp_text_byte(&name, '\0');
		t->text.failed |= name.failed;
		if (name.failed)
			return;
		is_named |= strcmp(name.data, "name") == 0;
		apsp_json_text_member(&t->w, name.data, value);
	}
	if (!is_named)
		id_member(t, "name", vertex);
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	struct apsp_json_writer *w = &t->w;

	apsp_json_object(w);
	apsp_json_key(w, "data");
	apsp_json_object(w);
	id_member(t, "id", vertex);
	/* networkx reads the label from this member */
	id_member(t, "value", vertex);
	apsp_circuit_text_vertex(t, vertex);
	attributes_write(t, vertex);
	apsp_json_object_end(w);
	apsp_json_object_end(w);
}

static void between(struct apsp_circuit_text *t)
{
	apsp_json_array_end(&t->w);
	apsp_json_key(&t->w, "edges");
	apsp_json_array(&t->w);
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;
	struct apsp_json_writer *w = &t->w;

	apsp_json_object(w);
	apsp_json_key(w, "data");
	apsp_json_object(w);
	id_member(t, "source", &vertices[arc->from]);
	id_member(t, "target", &vertices[arc->to]);
	apsp_circuit_text_arc(t, arc);
	apsp_json_object_end(w);
	apsp_json_object_end(w);
}

static void tail(struct apsp_circuit_text *t)
{
	apsp_json_array_end(&t->w);
	apsp_json_object_end(&t->w);
	apsp_json_object_end(&t->w);
	apsp_json_line_end(&t->w);
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
