/*
 * Strongly connected components in topological order, weakly connected
 * components, and the vertices that lie on a cycle (compute/closure/README.md,
 * Closure is bits).
 */
#ifndef APSP_COMPUTE_GRAPH_COMPONENTS_H
#define APSP_COMPUTE_GRAPH_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/*
 * Components are numbered so that every arc leads to a vertex of the same
 * component, or of a component with a higher number. Arrays are owned.
 */
struct apsp_components {
	uint32_t n_vertices;
	uint32_t n_components;
	uint32_t *of;	 /* vertex → component */
	uint32_t *order; /* all vertices, sorted by component, then by index */
	/* for each component, the index in `order` of the component's first
	   vertex; n_components + 1 entries */
	uint32_t *offsets;
	/* for each vertex, the least vertex of its weakly connected component;
	   NULL unless the caller has stored the result of
	   apsp_components_weak() */
	uint32_t *weak;
};

/* Find the components in linear time, without recursion. The caller ends *out
   with apsp_components_done(). Method: Tarjan 1972. APSP_ENOMEM. */
int apsp_components_build(const struct apsp_lengths *lengths,
	struct apsp_components *out, struct apsp_err *err);
void apsp_components_done(struct apsp_components *components);

/* Return the least vertex of v's strongly connected component. */
static inline uint32_t apsp_components_least(
	const struct apsp_components *components, uint32_t v)
{
	return components->order[components->offsets[components->of[v]]];
}

/* Find the weakly connected components of the graph. If `zeros` is true, only
   the arcs of length 0 count. For each vertex, *out has the least vertex of its
   component. The caller owns *out. The time is almost linear. Method: the
   union-find algorithm, Tarjan 1975. APSP_ENOMEM. */
int apsp_components_weak(const struct apsp_lengths *lengths, bool zeros,
	uint32_t **out, struct apsp_err *err);

/* Make one row of bits, in which bit v is set if vertex v lies on a cycle. An
   uploaded self-loop counts as a cycle. The caller owns *out. APSP_ENOMEM. */
int apsp_components_on_cycle(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_bits *out,
	struct apsp_err *err);

#endif
