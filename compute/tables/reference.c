/*
 * Dijkstra from one source; see reference.h. Tight arcs never form a cycle: the
 * sum of its lengths would be 0, which integers.h excludes.
 */
#include "compute/tables/reference.h"

#include <stdlib.h>

#include "compute/graph/dijkstra.h"

_Static_assert(APSP_REFERENCE_INFINITY == APSP_DIJKSTRA_INFINITY,
	"rows are handed on as they are");

struct apsp_reference {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	struct apsp_dijkstra *dijkstra;
};

static void row_put(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct apsp_reference *reference = ctx;

	apsp_integers_row(reference->lengths, reference->integers, vertex, out);
}

int apsp_reference_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_reference **out,
	struct apsp_err *err)
{
	struct apsp_dijkstra_arcs arcs = {.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = row_put};
	struct apsp_reference *made;
	int r;

	made = malloc(sizeof(*made));
	if (!made)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory for the reference");
	*made = (struct apsp_reference){
		.lengths = lengths, .integers = integers};
	arcs.ctx = made;
	r = apsp_dijkstra_new(&arcs, &made->dijkstra, err);
	if (r < 0) {
		free(made);
		return r;
	}
	*out = made;
	return 0;
}

void apsp_reference_free(struct apsp_reference *reference)
{
	if (!reference)
		return;
	apsp_dijkstra_free(reference->dijkstra);
	free(reference);
}

void apsp_reference_row(struct apsp_reference *reference, uint32_t source,
	int64_t *out_v, uint32_t *out_predecessors)
{
	apsp_dijkstra_ends(
		reference->dijkstra, source, out_v, out_predecessors);
}
