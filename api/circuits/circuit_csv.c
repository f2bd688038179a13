/* The arcs or the vertices of a circuit as CSV; see circuit_text.h. */
#include "api/circuits/circuit_text.h"

static void arc_cells(struct apsp_circuit_text *t,
	const struct apsp_circuit_arc *arc, struct apsp_cells *cells)
{
	const struct apsp_circuit_vertex *vertices =
		t->request->circuit.answer.vertices;

	apsp_cells_begin(cells);
	apsp_circuit_text_label_cell(t, "from", &vertices[arc->from], cells);
	apsp_circuit_text_label_cell(t, "to", &vertices[arc->to], cells);
	apsp_circuit_text_arc(t, arc, cells);
	apsp_cells_end(cells);
}

static void arcs_head(struct apsp_circuit_text *t)
{
	struct apsp_cells names = apsp_cells_names(t->text);

	arc_cells(t, &(struct apsp_circuit_arc){0}, &names);
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	struct apsp_cells cells = apsp_cells_of(t->w, APSP_CELLS_CSV);

	arc_cells(t, arc, &cells);
}

static void vertex_cells(struct apsp_circuit_text *t,
	const struct apsp_circuit_vertex *vertex, struct apsp_cells *cells)
{
	bool is_head = cells->form == APSP_CELLS_NAMES;

	apsp_cells_begin(cells);
	apsp_circuit_text_label_cell(t, "vertex", vertex, cells);
	apsp_circuit_text_vertex(t, vertex, cells);
	for (uint32_t c = 0; c < t->n_attributes; c++)
		apsp_csv_text(&cells->csv,
			is_head ? t->attributes[c]
				: apsp_circuit_text_value(t, c, vertex));
	apsp_cells_end(cells);
}

static void vertices_head(struct apsp_circuit_text *t)
{
	struct apsp_cells names = apsp_cells_names(t->text);

	vertex_cells(t, &(struct apsp_circuit_vertex){0}, &names);
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	struct apsp_cells cells = apsp_cells_of(t->w, APSP_CELLS_CSV);

	vertex_cells(t, vertex, &cells);
}

/* the columns that vertex_cells() writes for every vertex */
static const char *const vertex_names[] = {
	"vertex", "layer", "pairs", "share", NULL};

const struct apsp_circuit_format apsp_circuit_csv_arcs = {
	.head = arcs_head,
	.arc = arc_write,
};

const struct apsp_circuit_format apsp_circuit_csv_vertices = {
	.head = vertices_head,
	.vertex = vertex_write,
	.own_names = vertex_names,
};
