/* The arcs or the vertices of a circuit as CSV; see circuit_text.h. */
#include "api/circuits/circuit_text.h"
#include "api/encode/csv_writer.h"
#include "daemon/base/auto.h"

static void names_write(struct apsp_csv_writer *w, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		apsp_csv_text(w, names[i]);
}

static void label_write(struct apsp_circuit_text *t, struct apsp_csv_writer *w,
	const struct apsp_circuit_vertex *vertex)
{
	size_t size;
	const char *label = apsp_circuit_text_label(t, vertex, &size);

	apsp_csv_string(w, label, size);
}

static void arcs_head(struct apsp_circuit_text *t)
{
	static const char *const names[] = {
		"from", "to", "weight", "length", "pairs", NULL};
	struct apsp_csv_writer w = {.text = t->text};

	names_write(&w, names);
	if (apsp_circuit_text_is_rolled(t))
		apsp_csv_text(&w, "arcs");
	apsp_csv_row_end(&w);
}

static void arc_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_arc *arc)
{
	const struct apsp_circuit *circuit = &t->request->circuit;
	struct apsp_csv_writer w = {.text = t->text};

	label_write(t, &w, &circuit->answer.vertices[arc->from]);
	label_write(t, &w, &circuit->answer.vertices[arc->to]);
	apsp_csv_real(&w, arc->weight);
	apsp_csv_real(&w, arc->length);
	apsp_csv_integer(&w, arc->pairs);
	if (apsp_circuit_text_is_rolled(t))
		apsp_csv_integer(&w, arc->n_arcs);
	apsp_csv_row_end(&w);
}

static const char *const vertex_names[] = {
	"vertex", "layer", "pairs", "share", NULL};

static void vertices_head(struct apsp_circuit_text *t)
{
	struct apsp_csv_writer w = {.text = t->text};
	uint32_t n = apsp_circuit_text_n_attributes(t);

	names_write(&w, vertex_names);
	if (apsp_circuit_text_is_rolled(t))
		apsp_csv_text(&w, "vertices");
	for (uint32_t c = 0; c < n; c++) {
		APSP_AUTO(apsp_text_done) struct apsp_text name = {0};

		apsp_circuit_text_attribute(
			t, &apsp_circuit_csv_vertices, c, &name);
		t->text->failed |= name.failed;
		apsp_csv_string(&w, name.data, name.size);
	}
	apsp_csv_row_end(&w);
}

static void vertex_write(
	struct apsp_circuit_text *t, const struct apsp_circuit_vertex *vertex)
{
	struct apsp_csv_writer w = {.text = t->text};
	uint32_t n = apsp_circuit_text_n_attributes(t);

	label_write(t, &w, vertex);
	apsp_csv_integer(&w, vertex->layer);
	apsp_csv_integer(&w, vertex->pairs);
	apsp_csv_real(&w, apsp_circuit_text_share(t, vertex));
	if (apsp_circuit_text_is_rolled(t))
		apsp_csv_integer(&w, vertex->n_vertices);
	for (uint32_t c = 0; c < n; c++) {
		const char *value = apsp_circuit_text_value(t, c, vertex);

		apsp_csv_text(&w, value);
	}
	apsp_csv_row_end(&w);
}

const struct apsp_circuit_format apsp_circuit_csv_arcs = {
	.head = arcs_head,
	.arc = arc_write,
};

const struct apsp_circuit_format apsp_circuit_csv_vertices = {
	.head = vertices_head,
	.vertex = vertex_write,
	.own_names = vertex_names,
};
