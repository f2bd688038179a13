/*
 * Proves rows of widths by their predecessors (compute/tables/README.md, Widest
 * paths). A row is V(i,j), the ranks of the widths from source i, and a
 * predecessor of each vertex j that i reaches. The proof shows, without reading
 * the other arcs, that no pair is wider in the row than in the graph:
 *
 *	V(i,i) = 0, and i has no predecessor
 *	V(i,j) = max(V(i,k), rank of k → j), where k is the predecessor of j
 *	following predecessors leads from each vertex to i
 *
 * So some path from i to j has no arc of a higher rank than V(i,j). The third
 * line is needed because a maximum does not grow along a cycle: without it, the
 * values on a cycle could hold each other up. Where V falls from j to k, the
 * step lies on no cycle, so only steps between equal values are followed.
 */
#ifndef APSP_COMPUTE_TABLES_TAIL_TREE_H
#define APSP_COMPUTE_TABLES_TAIL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

struct apsp_tail_tree_arc {
	uint32_t tail;
	uint32_t rank; /* the rank of the arc's weight */
};

/* All members are owned, except `lengths`. They are NULL if the tables have no
   widths. */
struct apsp_tail_tree {
	const struct apsp_lengths *lengths;
	struct apsp_tail_tree_arc *arcs; /* the arcs in the order of
					    lengths->in */
	uint32_t *steps; /* for each thread, two numbers for each vertex */
};

/*
 * Prepare to prove rows on `width` threads. Predecessors are ranks
 * (lengths->in), and lengths are ranks of weights. The caller ends *out with
 * apsp_tail_tree_done(). APSP_EPROOF: lengths->in does not hold the arcs of the
 * graph. APSP_ENOMEM.
 */
int apsp_tail_tree_init(const struct apsp_lengths *lengths, unsigned int width,
	struct apsp_tail_tree *out, struct apsp_err *err);
void apsp_tail_tree_done(struct apsp_tail_tree *tree);

/*
 * Whether a row is proved. `values` is row `source` of V, as u16 or i32, and
 * `predecessors` has the type that apsp_in_arcs_element() returns. Takes time
 * in proportion to the number of vertices. `thread` is the number of the
 * calling thread, below `width`; no two threads may have the same number at the
 * same time.
 */
bool apsp_tail_tree_proves(const struct apsp_tail_tree *tree,
	unsigned int thread, uint32_t source, enum apsp_element element,
	const void *values, const void *predecessors);

#endif
