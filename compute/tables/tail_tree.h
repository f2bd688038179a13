/*
 * Proves rows of widths (compute/tables/README.md, Widest paths). A row of the
 * distance matrix V holds V(i,j), the rank of the width from source i to each
 * vertex j. V(i,j) is at most max(to(i), from(j)), the rank of the path by way
 * of the root (root_widths.h). This rank is called the bound. In nearly all
 * cells, V equals the bound; then the path by way of the root is as wide as the
 * row says, and j needs no predecessor. In every other cell, except that of i
 * itself, j has a predecessor. The proof reads only the arcs from predecessors,
 * and checks:
 *
 *	V(i,i) = 0, and i has no predecessor
 *	V(i,j) = max(to(i), from(j)); or else V(i,j) is less than this bound,
 *	V(i,j) = max(V(i,k), rank of k → j), where k is the predecessor of j,
 *	and predecessors lead from j to i, or to a vertex whose V is its bound
 *
 * Then there is a path from i to j without an arc of a higher rank than V(i,j).
 * So no pair is wider in the row than in the graph. Without the last line,
 * predecessors could form a cycle. All vertices of such a cycle have the same
 * value, because V(i,k) is never larger than V(i,j). This value can be too
 * small. So only steps between equal values are followed. Whether i reaches j
 * at all is proved by every_row_proof.h, which compares the row with the
 * closure.
 */
#ifndef APSP_COMPUTE_TABLES_TAIL_TREE_H
#define APSP_COMPUTE_TABLES_TAIL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/graph/root_widths.h"
#include "daemon/base/err.h"

struct apsp_tail_tree_arc {
	uint32_t tail;
	uint32_t rank; /* the rank of the arc's weight */
};

/* `arcs` and `steps` are owned. All members are NULL if the tables have no
   widths. */
struct apsp_tail_tree {
	const struct apsp_lengths *lengths;
	const struct apsp_root_widths *root;
	struct apsp_tail_tree_arc *arcs; /* the arcs in the order of
					    lengths->in */
	uint32_t *steps; /* for each thread, three numbers for each vertex */
};

/*
 * Prepare to prove rows on `width` threads. Predecessors are ranks
 * (lengths->in), and lengths are ranks of weights. `root` has the type of the
 * rows' elements. The caller ends *out with apsp_tail_tree_done(). APSP_EPROOF:
 * lengths->in does not hold the arcs of the graph. APSP_ENOMEM.
 */
int apsp_tail_tree_init(const struct apsp_lengths *lengths,
	const struct apsp_root_widths *root, unsigned int width,
	struct apsp_tail_tree *out, struct apsp_err *err);
void apsp_tail_tree_done(struct apsp_tail_tree *tree);

/*
 * Whether the proof of a row succeeds. `values` is row `source` of the distance
 * matrix V: ranks of widths, in the element type of `root`. `predecessors` has
 * the type that apsp_in_arcs_element() returns. Takes time in proportion to the
 * number of vertices. `thread` is the number of the calling thread, which must
 * be less than the number of threads; no two threads may have the same number
 * at the same time.
 */
bool apsp_tail_tree_proves(const struct apsp_tail_tree *tree,
	unsigned int thread, uint32_t source, const void *values,
	const void *predecessors);

#endif
