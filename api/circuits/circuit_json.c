/* A circuit as JSON; see circuit_text.h. */
#include <math.h>

#include "api/attribute_row.h"
#include "api/circuits/circuit_text.h"
#include "api/reading.h"

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

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	struct apsp_cells cells = apsp_cells_of(t->w, APSP_CELLS_JSON);

	apsp_cells_begin(&cells);
	apsp_circuit_text_label_cell(t, "vertex", vertex, &cells);
	apsp_circuit_text_vertex(t, vertex, &cells);
	if (!apsp_circuit_text_is_rolled(t))
		apsp_attribute_object_write(
			t->request->reading.generation, vertex->vertex, t->w);
	apsp_cells_end(&cells);
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
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;
	struct apsp_cells cells = apsp_cells_of(t->w, APSP_CELLS_JSON);

	apsp_cells_begin(&cells);
	apsp_circuit_text_label_cell(t, "from", &vertices[arc->from], &cells);
	apsp_circuit_text_label_cell(t, "to", &vertices[arc->to], &cells);
	apsp_circuit_text_arc(t, arc, &cells);
	apsp_cells_end(&cells);
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
