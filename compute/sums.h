/*
 * Real distances: the lengths along each predecessor path, summed in float64 in
 * path order (design.md, decision 6).
 */
#ifndef APSP_COMPUTE_SUMS_H
#define APSP_COMPUTE_SUMS_H

#include <stdint.h>

#include "compute/sum_arcs.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_sums; /* scratch: 168 bytes a vertex for each processor */

/*
 * For rows of distance, F32 or F64. arcs are those that predecessors can name;
 * NULL: any, which are then looked for in lengths, one by one, by bisection.
 * Both must outlive *out, which the caller frees. APSP_ENOMEM.
 */
int apsp_sums_open(const struct apsp_lengths *lengths,
	const struct apsp_sum_arcs *arcs, enum apsp_element distance,
	struct apsp_sums **out, struct apsp_err *err);
void apsp_sums_free(struct apsp_sums *sums);

/*
 * Make n_rows rows of distances, of the sources from `first` on: 0 for the
 * source itself, INFINITY where there is no predecessor. predecessors have the
 * element that apsp_predecessor_element() names, all ones being none. Rows
 * where summed (NULL, or a word a row) is not 0 are there, but one of them is
 * made again and compared. On all processors; linear time.
 *
 * APSP_EPROOF: the predecessors of a row are no tree of the arcs that starts at
 * the source, or the sums that were there are wrong; distances are undefined.
 */
int apsp_sums_rows(struct apsp_sums *sums, uint32_t first, uint32_t n_rows,
	const void *predecessors, const uint32_t *summed, void *distances,
	struct apsp_err *err);

#endif
