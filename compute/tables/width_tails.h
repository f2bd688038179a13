/*
 * Finds predecessors for the rows of widths of a table file that came in a
 * bundle. The file has no predecessors, but tail_tree.h needs them to prove the
 * rows. A wrong predecessor makes that proof fail, and never hides a wrong
 * width.
 *
 * At first, two kinds of vertices are settled, and need no predecessor: the
 * source, and the vertices whose width is that of the path by way of the root
 * (root_widths.h). Each other vertex is settled when an arc from a settled
 * vertex yields its width, so predecessors form no cycle. A vertex that is
 * never settled has a wrong width, and gets no predecessor.
 */
#ifndef APSP_COMPUTE_TABLES_WIDTH_TAILS_H
#define APSP_COMPUTE_TABLES_WIDTH_TAILS_H

#include <stdint.h>

#include "compute/graph/lengths.h"
#include "compute/graph/root_widths.h"
#include "daemon/base/err.h"

struct apsp_width_tails;

/*
 * Allocate memory for the predecessors of up to n_rows rows. Predecessors are
 * ranks (lengths->in), and lengths are ranks of weights. `root` has the type of
 * the rows' elements. `lengths` and `root` are borrowed. The caller frees *out.
 * APSP_ENOMEM.
 */
int apsp_width_tails_new(const struct apsp_lengths *lengths,
	const struct apsp_root_widths *root, uint32_t n_rows,
	struct apsp_width_tails **out, struct apsp_err *err);
void apsp_width_tails_free(struct apsp_width_tails *tails); /* accepts NULL */

/*
 * Find the predecessors of n_rows rows of widths (as ranks), whose first source
 * is `first`, on all processors. `values` may hold any numbers. A row takes
 * time in proportion to the number of vertices, plus the number of arcs at
 * vertices that need a predecessor. Returns the rows of predecessors, in the
 * type that apsp_in_arcs_element() returns. These rows are valid until the next
 * call.
 */
const void *apsp_width_tails_find(struct apsp_width_tails *tails,
	uint32_t first, uint32_t n_rows, const void *values);

#endif
