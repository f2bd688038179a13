/*
 * Finds the components of vertices; see vertex_components.h.
 */
#include "compute/statistics/vertex_components.h"

#include <stdlib.h>

#include "compute/graph/components.h"
#include "daemon/base/auto.h"

static uint32_t root_of(uint32_t *parents, uint32_t v)
{
	while (parents[v] != v) {
		parents[v] = parents[parents[v]];
		v = parents[v];
	}
	return v;
}

/* Store the weak component of each vertex at `out`. The components are found by
   the union-find algorithm: the vertices of a component form a tree, and the
   least vertex of the component is the root of the tree. */
static int weak_put(
	const struct apsp_lengths *lengths, double *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) void *memory = NULL;
	size_t n = lengths->n_vertices;
	uint32_t *parents;

	memory = malloc(n * sizeof(*parents));
	if (!memory)
		return apsp_fail(err, APSP_ENOMEM, "no memory for components");
	parents = memory;
	for (uint32_t v = 0; v < n; v++)
		parents[v] = v;
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++) {
			uint32_t a = root_of(parents, v);
			uint32_t b = root_of(parents, lengths->heads[e]);

			parents[a < b ? b : a] = a < b ? a : b;
		}
	for (uint32_t v = 0; v < n; v++)
		out[v] = root_of(parents, v);
	return 0;
}

int apsp_vertex_components(const struct apsp_lengths *lengths, double *strong,
	double *weak, struct apsp_err *err)
{
	APSP_AUTO(apsp_components_done) struct apsp_components components = {0};
	int r = apsp_components_build(lengths, &components, err);

	if (r < 0)
		return r;
	/* components.order is sorted by component, then by index, so the first
	   vertex of a component is its least vertex */
	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		strong[v] =
			components.order[components.offsets[components.of[v]]];
	return weak_put(lengths, weak, err);
}
