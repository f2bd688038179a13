/*
 * A circuit as GraphML (graphml.graphdrawing.org); see circuit_text.h. The
 * label of a vertex is written twice, as the vertex's id and as its value
 * `label`, because some programs do not show ids.
 */
#include <string.h>

#include "api/circuits/circuit_text.h"
#include "api/encode/real.h"
#include "api/encode/xml.h"
#include "daemon/base/utf8.h"

static void put_escaped(struct apsp_circuit_text *t, const char *text)
{
	apsp_xml_append(t->text, text, strlen(text));
}

static void put_label(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	apsp_xml_append(t->text, label, size);
}

/* Declare a value of the graph, of vertices or of arcs (`of` is graph, node or
   edge). The key's id is the first letter of `of`, an underscore, and the
   value's name. */
static void key_declare(struct apsp_circuit_text *t, const char *of,
	const char *name, const char *type)
{
	apsp_text_printf(t->text,
		"<key id=\"%c_%s\" for=\"%s\" attr.name=\"%s\" "
		"attr.type=\"%s\"/>\n",
		of[0], name, of, name, type);
}

static void text_value(
	struct apsp_circuit_text *t, const char *key, const char *value)
{
	apsp_text_printf(t->text, "<data key=\"%s\">", key);
	put_escaped(t, value);
	apsp_text_string(t->text, "</data>");
}

static void integer_value(
	struct apsp_circuit_text *t, const char *key, uint64_t value)
{
	apsp_text_printf(t->text, "<data key=\"%s\">%llu</data>", key,
		(unsigned long long)value);
}

static void real_value(
	struct apsp_circuit_text *t, const char *key, double value)
{
	apsp_text_printf(t->text, "<data key=\"%s\">", key);
	apsp_real_append(t->text, value);
	apsp_text_string(t->text, "</data>");
}

static void keys_declare(struct apsp_circuit_text *t)
{
	bool is_rolled = t->is_rolled;

	key_declare(t, "graph", "graph", "string");
	key_declare(t, "graph", "revision", "string");
	key_declare(t, "graph", "profile", "string");
	key_declare(t, "graph", "rule", "string");
	key_declare(t, "graph", "weight_unit", "string");
	key_declare(t, "graph", "length_unit", "string");
	key_declare(t, "graph", "question", "string");
	key_declare(t, "graph", "pairs", "long");
	key_declare(t, "graph", "skipped", "long");
	key_declare(t, "node", "label", "string");
	key_declare(t, "node", "layer", "long");
	key_declare(t, "node", "pairs", "long");
	key_declare(t, "node", "share", "double");
	if (is_rolled)
		key_declare(t, "node", "vertices", "long");
	for (uint32_t c = 0; c < t->n_attributes; c++) {
		apsp_text_printf(t->text,
			"<key id=\"attribute_%u\" for=\"node\" attr.name=\"",
			c);
		put_escaped(t, t->attributes[c]);
		apsp_text_string(t->text, "\" attr.type=\"string\"/>\n");
	}
	key_declare(t, "edge", "weight", "double");
	key_declare(t, "edge", "length", "double");
	key_declare(t, "edge", "pairs", "long");
	if (is_rolled)
		key_declare(t, "edge", "arcs", "long");
}

static void head(struct apsp_circuit_text *t)
{
	const struct apsp_reading *reading = &t->request->reading;

	apsp_text_string(t->text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
	keys_declare(t);
	apsp_text_string(t->text, "<graph edgedefault=\"directed\">\n");
	text_value(t, "g_graph", reading->snapshot->name);
	text_value(t, "g_revision", reading->generation->revision);
	text_value(t, "g_profile", reading->profile->name);
	text_value(t, "g_rule", t->rule);
	if (*t->weight_unit)
		text_value(t, "g_weight_unit", t->weight_unit);
	if (*t->length_unit)
		text_value(t, "g_length_unit", t->length_unit);
	apsp_text_string(t->text, "<data key=\"g_question\">");
	apsp_xml_append(t->text, t->question.data, t->question.size);
	apsp_text_string(t->text, "</data>");
	integer_value(t, "g_pairs", t->request->circuit.n_pairs);
	integer_value(t, "g_skipped", t->request->circuit.n_skipped);
	apsp_text_string(t->text, "\n");
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	apsp_text_string(t->text, "<node id=\"");
	put_label(t, vertex);
	/* write the label as a value, too, because Gephi shows this value, and
	   because igraph does not resolve &amp; in an id */
	apsp_text_string(t->text, "\"><data key=\"n_label\">");
	put_label(t, vertex);
	apsp_text_string(t->text, "</data>");
	integer_value(t, "n_layer", vertex->layer);
	integer_value(t, "n_pairs", vertex->pairs);
	real_value(t, "n_share", apsp_circuit_text_share(t, vertex));
	if (t->is_rolled)
		integer_value(t, "n_vertices", vertex->n_vertices);
	for (uint32_t c = 0; c < t->n_attributes; c++) {
		const char *value = apsp_circuit_text_value(t, c, vertex);

		if (!*value)
			continue;
		apsp_text_printf(t->text, "<data key=\"attribute_%u\">", c);
		put_escaped(t, value);
		apsp_text_string(t->text, "</data>");
	}
	apsp_text_string(t->text, "</node>\n");
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;

	apsp_text_string(t->text, "<edge source=\"");
	put_label(t, &vertices[arc->from]);
	apsp_text_string(t->text, "\" target=\"");
	put_label(t, &vertices[arc->to]);
	apsp_text_string(t->text, "\">");
	real_value(t, "e_weight", arc->weight);
	real_value(t, "e_length", arc->length);
	integer_value(t, "e_pairs", arc->pairs);
	if (t->is_rolled)
		integer_value(t, "e_arcs", arc->n_arcs);
	apsp_text_string(t->text, "</edge>\n");
}

static void tail(struct apsp_circuit_text *t)
{
	apsp_text_string(t->text, "</graph>\n</graphml>\n");
}

static int text_check(
	const char *what, const char *text, size_t size, struct apsp_err *err)
{
	struct apsp_excerpt excerpt = apsp_excerpt_of(text, size);

	if (apsp_xml_holds(text, size))
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"%s '%s' has a character that XML cannot hold; ask for "
		"format=cyjs, dot or json",
		what, excerpt.text);
}

static int check(const struct apsp_circuit_text *t, struct apsp_err *err)
{
	const struct apsp_circuit_answer *answer = &t->request->circuit.answer;
	const char *unit = t->weight_unit;
	int r = text_check(
		"the question", t->question.data, t->question.size, err);

	if (r == 0)
		r = text_check("the rule", t->rule, strlen(t->rule), err);
	if (r == 0)
		r = text_check("the unit", unit, strlen(unit), err);
	for (uint32_t c = 0; c < t->n_attributes && r == 0; c++)
		r = text_check("the attribute", t->attributes[c],
			strlen(t->attributes[c]), err);
	for (uint32_t i = 0; i < answer->n_vertices && r == 0; i++) {
		const struct apsp_circuit_vertex *vertex = &answer->vertices[i];
		size_t size;
		const char *label = apsp_circuit_text_label(t, vertex, &size);

		r = text_check("the vertex", label, size, err);
		for (uint32_t c = 0; c < t->n_attributes && r == 0; c++) {
			const char *value =
				apsp_circuit_text_value(t, c, vertex);

			r = text_check("the value", value, strlen(value), err);
		}
	}
	return r;
}

/* An attribute with one of these names is written with a prefix
   (apsp_attribute_name()). They are the names of this format's values, and
   `id`, because igraph stores the id of a vertex as a value with this name. */
static const char *const own_names[] = {
	"id", "label", "layer", "pairs", "share", "vertices", NULL};

const struct apsp_circuit_format apsp_circuit_graphml = {
	.check = check,
	.head = head,
	.vertex = vertex_write,
	.arc = arc_write,
	.tail = tail,
	.own_names = own_names,
};
