/* A circuit as JSON; see circuit_text.h. */
#include <math.h>

#include "api/circuits/circuit_text.h"
#include "api/reading.h"

static void label_member(struct apsp_circuit_text *t, const char *name,
	const struct apsp_circuit_vertex *vertex)
{
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	apsp_json_key(t->w, name);
	apsp_json_string(t->w, label, size);
}

static void head(struct apsp_circuit_text *t)
{
	const struct apsp_circuit_request *request = t->request;
	const struct apsp_circuit *circuit = &request->circuit;
	struct apsp_json_writer *w = t->w;

	apsp_json_object(w);
	apsp_circuit_text_head(t, false);
	apsp_json_integer_member(w, "n_arcs", (int64_t)circuit->n_arcs);
	apsp_json_boolean_member(w, "truncated", circuit->truncated);
	apsp_json_real_member(
		w, "fits", request->fit.found ? request->fit.value : NAN);
	apsp_json_key(w, "vertices");
	apsp_json_array(w);
}

static void attributes_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	uint32_t n = apsp_circuit_text_n_attributes(t);

	apsp_json_key(t->w, "attributes");
	apsp_json_object(t->w);
	for (uint32_t c = 0; c < n; c++) {
		const char *value = apsp_circuit_text_value(t, c, vertex);

		if (*value)
			apsp_json_text_member(t->w,
				t->request->reading.generation->attributes
					->columns[c]
					.name,
				value);
	}
	apsp_json_object_end(t->w);
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	struct apsp_json_writer *w = t->w;

	apsp_json_object(w);
	label_member(t, "vertex", vertex);
	apsp_circuit_text_vertex(t, vertex);
	if (!apsp_circuit_text_is_rolled(t))
		attributes_write(t, vertex);
	apsp_json_object_end(w);
}

static void between(struct apsp_circuit_text *t)
{
	apsp_json_array_end(t->w);
	apsp_json_key(t->w, "arcs");
	apsp_json_array(t->w);
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	const struct apsp_circuit *circuit = &t->request->circuit;
	struct apsp_json_writer *w = t->w;

	apsp_json_object(w);
	label_member(t, "from", &circuit->answer.vertices[arc->from]);
	label_member(t, "to", &circuit->answer.vertices[arc->to]);
	apsp_circuit_text_arc(t, arc);
	apsp_json_object_end(w);
}

static void tail(struct apsp_circuit_text *t)
{
	apsp_json_array_end(t->w);
	apsp_json_object_end(t->w);
	apsp_json_line_end(t->w);
}

const struct apsp_circuit_format apsp_circuit_json = {
	.head = head,
	.vertex = vertex_write,
	.between = between,
	.arc = arc_write,
	.tail = tail,
};
