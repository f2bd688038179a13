/*
 * A circuit (the arcs of all walks, within a bound, from sources to targets) as
 * JSON, and its arcs or vertices as CSV; see circuit_text.h. Each vertex and
 * each arc is a row of cells.
 */
#include <math.h>

#include "api/attribute_row.h"
#include "api/circuits/circuit_text.h"

static void label_cell(const struct apsp_circuit_text *t, const char *name,
	const struct apsp_circuit_vertex *vertex, struct apsp_cells *cells)
{
	const char *label = NULL;
	size_t size = 0;

	if (cells->form != APSP_CELLS_NAMES)
		label = apsp_circuit_text_label(t, vertex, &size);
	apsp_cell_string(cells, name, label, size);
}

/* Append the row of a vertex. CSV has a column for each attribute. In JSON,
   the attributes are an object. */
static void vertex_cells(struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex, struct apsp_cells cells)
{
	bool is_head = cells.form == APSP_CELLS_NAMES;

	apsp_cells_begin(&cells);
	label_cell(t, "vertex", vertex, &cells);
	apsp_circuit_text_vertex(t, vertex, &cells);
	for (uint32_t c = 0; c < t->n_attributes; c++)
		apsp_csv_text(&cells.csv,
			is_head ? t->attributes[c]
				: apsp_circuit_text_value(t, c, vertex));
	if (cells.form == APSP_CELLS_JSON && !t->is_rolled)
		apsp_attribute_object_write(
			t->request->reading.generation, vertex->vertex, t->w);
	apsp_cells_end(&cells);
}

static void arc_cells(struct apsp_circuit_text *t,
	const struct apsp_circuit_arc *arc, struct apsp_cells cells)
{
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;

	apsp_cells_begin(&cells);
	label_cell(t, "from", &vertices[arc->from], &cells);
	label_cell(t, "to", &vertices[arc->to], &cells);
	apsp_circuit_text_arc(t, arc, &cells);
	apsp_cells_end(&cells);
}

static void csv_arcs_head(struct apsp_circuit_text *t)
{
	arc_cells(t, &(struct apsp_circuit_arc){0}, apsp_cells_names(t->text));
}

static void csv_arc(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	arc_cells(t, arc, apsp_cells_of(t->w, APSP_CELLS_CSV));
}

static void csv_vertices_head(struct apsp_circuit_text *t)
{
	vertex_cells(
		t, &(struct apsp_circuit_vertex){0}, apsp_cells_names(t->text));
}

static void csv_vertex(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	vertex_cells(t, vertex, apsp_cells_of(t->w, APSP_CELLS_CSV));
}

static void json_head(struct apsp_circuit_text *t)
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

static void json_vertex(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	vertex_cells(t, vertex, apsp_cells_of(t->w, APSP_CELLS_JSON));
}

static void json_between(struct apsp_circuit_text *t)
{
	apsp_json_array_end(t->w);
	apsp_json_key(t->w, "arcs");
	apsp_json_array(t->w);
}

static void json_arc(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	arc_cells(t, arc, apsp_cells_of(t->w, APSP_CELLS_JSON));
}

static void json_tail(struct apsp_circuit_text *t)
{
	apsp_json_array_end(t->w);
	apsp_json_object_end(t->w);
	apsp_json_line_end(t->w);
}

/* the columns that vertex_cells() writes for every vertex */
static const char *const vertex_names[] = {
	"vertex", "layer", "pairs", "share", NULL};

const struct apsp_circuit_format apsp_circuit_csv_arcs = {
	.head = csv_arcs_head,
	.arc = csv_arc,
};

const struct apsp_circuit_format apsp_circuit_csv_vertices = {
	.head = csv_vertices_head,
	.vertex = csv_vertex,
	.own_names = vertex_names,
};

const struct apsp_circuit_format apsp_circuit_json = {
	.head = json_head,
	.vertex = json_vertex,
	.between = json_between,
	.arc = json_arc,
	.tail = json_tail,
};
