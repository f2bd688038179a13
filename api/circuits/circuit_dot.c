/*
 * A circuit for Graphviz (graphviz.org/doc/info/lang.html); see circuit_text.h.
 * Vertices are named by their labels. Every name and value is a string in
 * quotes, so that Graphviz reads none as a keyword. A vertex is drawn with
 * its label and a description, such as its name or type. The width of an arc's
 * line grows with the arc's weight.
 */
#include <string.h>
#include <strings.h>

#include "api/circuits/circuit_text.h"
#include "api/encode/real.h"
#include "daemon/base/auto.h"
#include "storage/attributes/attributes.h"

/* width of the line of the arc with the greatest weight, in points */
#define WIDEST_PEN 6.0
#define LEAST_PEN 0.5

/*
 * Append a string in quotes. A quote inside the string is escaped by a
 * backslash. Graphviz takes two backslashes together and keeps both. If the
 * number of backslashes before a quote, a line end or the string's end is odd,
 * the last backslash has no partner, and would escape the character that
 * follows. There is no way to write such a string exactly. So one more
 * backslash is written, and becomes a part of the string.
 */
static void put_string(
	struct apsp_circuit_text *t, const char *text, size_t size)
{
	struct apsp_text *out = t->text;
	bool odd = false; /* an odd number of backslashes comes just before
			     text[i] */

	apsp_text_byte(out, '"');
	for (size_t i = 0; i < size; i++) {
		bool ends =
			text[i] == '"' || text[i] == '\n' || text[i] == '\r';

		if (ends && odd)
			apsp_text_byte(out, '\\');
		if (text[i] == '"')
			apsp_text_byte(out, '\\');
		apsp_text_byte(out, text[i]);
		odd = text[i] == '\\' && !odd;
	}
	if (odd)
		apsp_text_byte(out, '\\');
	apsp_text_byte(out, '"');
}

static void put_label(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	put_string(t, label, size);
}

static void text_value(
	struct apsp_circuit_text *t, const char *name, const char *value)
{
	apsp_text_printf(t->text, ", %s=", name);
	put_string(t, value, strlen(value));
}

static void integer_value(
	struct apsp_circuit_text *t, const char *name, uint64_t value)
{
	apsp_text_printf(
		t->text, ", %s=\"%llu\"", name, (unsigned long long)value);
}

static void real_value(
	struct apsp_circuit_text *t, const char *name, double value)
{
	apsp_text_printf(t->text, ", %s=\"", name);
	apsp_real_append(t->text, value);
	apsp_text_byte(t->text, '"');
}

/* Append the JSON of the question as a string. In JSON, a quote within a string
   is written as \" or \u0022. A string of Graphviz cannot hold the first form,
   so each \" is written as \u0022. */
static void put_question(struct apsp_circuit_text *t)
{
	APSP_AUTO(apsp_text_done) struct apsp_text plain = {0};
	const struct apsp_text *question = &t->question;

	for (size_t i = 0; i < question->size; i++) {
		char byte = question->data[i];
		char next = i + 1 < question->size ? question->data[i + 1] : 0;

		if (byte == '\\' && (next == '"' || next == '\\')) {
			apsp_text_printf(&plain, "\\u%04x", (unsigned int)next);
			i++;
		} else {
			apsp_text_byte(&plain, byte);
		}
	}
	t->text->failed |= plain.failed;
	put_string(t, plain.data, plain.size);
}

static void head(struct apsp_circuit_text *t)
{
	const struct apsp_reading *reading = &t->request->reading;

	apsp_text_string(t->text, "digraph ");
	put_string(t, reading->snapshot->name, strlen(reading->snapshot->name));
	apsp_text_string(t->text, " {\ngraph [rankdir=LR");
	text_value(t, "\"graph\"", reading->snapshot->name);
	text_value(t, "revision", reading->generation->revision);
	text_value(t, "profile", reading->profile->name);
	text_value(t, "rule", t->rule);
	if (*t->weight_unit)
		text_value(t, "weight_unit", t->weight_unit);
	if (*t->length_unit)
		text_value(t, "length_unit", t->length_unit);
	apsp_text_string(t->text, ", question=");
	put_question(t);
	integer_value(t, "pairs", t->request->circuit.n_pairs);
	integer_value(t, "skipped", t->request->circuit.n_skipped);
	apsp_text_string(t->text, "];\n");
}

/* Append a text as a part of Graphviz's value `label`. In this value, a
   backslash begins an escape, so each backslash is written twice; and an &
   begins an entity of HTML, so it is written as &amp;. */
static void append_shown(struct apsp_text *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '\\')
			apsp_text_byte(out, '\\');
		apsp_text_byte(out, text[i]);
		if (text[i] == '&')
			apsp_text_string(out, "amp;");
	}
}

/* Whether Graphviz draws the name of a vertex without any change. */
static bool is_drawn_plainly(const char *name, size_t size)
{
	return size == 0 || (name[0] != '%' && !memchr(name, '\\', size) &&
				    !memchr(name, '&', size));
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcasecmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/*
 * Return the text that describes a vertex: its value of one attribute. The
 * attribute `name` is preferred. If the graph does not have it, the first
 * attribute named type, cell_type or class is used. If the graph has none of
 * these, its first attribute is used. Returns "" if the vertex has no value of
 * the attribute. The page chooses the attribute in the same way (describer() in
 * api/page/assets/vertex_input.js).
 */
static const char *description(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	static const char *const names[] = {"name", NULL};
	static const char *const kinds[] = {"type", "cell_type", "class", NULL};
	const struct apsp_attributes *attributes =
		t->request->reading.generation->attributes;
	uint32_t n = t->n_attributes, at = 0;

	if (n == 0)
		return "";
	while (at < n && !is_one_of(attributes->columns[at].name, names))
		at++;
	if (at == n)
		for (at = 0; at < n &&
			     !is_one_of(attributes->columns[at].name, kinds);)
			at++;
	return apsp_circuit_text_value(t, at < n ? at : 0, vertex);
}

/*
 * Append the value `label`, which is the text that Graphviz draws: the vertex's
 * label and, below it, its description. If the vertex has no description, the
 * value is left out: Graphviz then draws the vertex's name, which is its label.
 * But if Graphviz would draw this name in another form (is_drawn_plainly()),
 * the value is needed, and has only the vertex's label.
 */
static void put_shown(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	APSP_AUTO(apsp_text_done) struct apsp_text shown = {0};
	const char *more = description(t, vertex);
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	if (!*more && is_drawn_plainly(label, size))
		return;
	append_shown(&shown, label, size);
	if (*more) {
		apsp_text_append(&shown, "\\n", 2);
		append_shown(&shown, more, strlen(more));
	}
	t->text->failed |= shown.failed;
	apsp_text_string(t->text, ", label=");
	put_string(t, shown.data, shown.size);
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	put_label(t, vertex);
	apsp_text_printf(t->text, " [layer=\"%u\"", vertex->layer);
	put_shown(t, vertex);
	integer_value(t, "pairs", vertex->pairs);
	real_value(t, "share", apsp_circuit_text_share(t, vertex));
	if (t->is_rolled)
		/* the value is not called `vertices`, because this name has a
		   meaning of its own in Graphviz */
		integer_value(t, "n_vertices", vertex->n_vertices);
	for (uint32_t c = 0; c < t->n_attributes; c++) {
		const char *value = apsp_circuit_text_value(t, c, vertex);

		if (!*value)
			continue;
		apsp_text_string(t->text, ", ");
		put_string(t, t->attributes[c], strlen(t->attributes[c]));
		apsp_text_byte(t->text, '=');
		put_string(t, value, strlen(value));
	}
	apsp_text_string(t->text, "];\n");
}

/* The width of an arc's line in points: proportional to the arc's weight, but
   at least LEAST_PEN. If all weights are equal or no weight is positive, all
   lines have Graphviz's default width. */
static double pen_width(const struct apsp_circuit_text *t, double weight)
{
	double width = WIDEST_PEN * weight / t->most_weight;

	if (t->least_weight == t->most_weight || t->most_weight <= 0)
		return 1;
	return width > LEAST_PEN ? width : LEAST_PEN;
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;

	put_label(t, &vertices[arc->from]);
	apsp_text_string(t->text, " -> ");
	put_label(t, &vertices[arc->to]);
	apsp_text_printf(t->text, " [pairs=\"%u\"", arc->pairs);
	real_value(t, "weight", arc->weight);
	real_value(t, "length", arc->length);
	apsp_text_printf(
		t->text, ", penwidth=\"%.2f\"", pen_width(t, arc->weight));
	if (t->is_rolled)
		integer_value(t, "arcs", arc->n_arcs);
	apsp_text_string(t->text, "];\n");
}

static void tail(struct apsp_circuit_text *t)
{
	apsp_text_string(t->text, "}\n");
}

/* The names under which no attribute of a vertex is written: the names of this
   format's values, and the names that have a meaning in Graphviz 13. If an
   attribute were written under such a name, Graphviz would draw the vertex
   differently, overwrite the attribute's value, or read the value as the name
   of a file. `name` is in the list, because Graphviz uses this name for the
   vertex's label when it writes JSON. */
static const char *const own_names[] = {"layer", "pairs", "share", "n_vertices",
	"name", "URL", "_background", "area", "class", "color", "colorscheme",
	"comment", "distortion", "fillcolor", "fixedsize", "fontcolor",
	"fontname", "fontsize", "gradientangle", "group", "height", "href",
	"id", "image", "imagepos", "imagescale", "label", "labelloc", "margin",
	"nojustify", "ordering", "orientation", "penwidth", "peripheries",
	"pin", "pos", "rects", "regular", "root", "samplepoints", "shape",
	"shapefile", "showboxes", "sides", "skew", "sortv", "style", "target",
	"tooltip", "vertices", "width", "xlabel", "xlp", "z", NULL};

const struct apsp_circuit_format apsp_circuit_dot = {
	.head = head,
	.vertex = vertex_write,
	.arc = arc_write,
	.tail = tail,
	.own_names = own_names,
};
