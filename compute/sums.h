/*
 * Real distances: the lengths along each predecessor path, summed in float64 in
 * path order (design.md, decision 6).
 */
#ifndef APSP_COMPUTE_SUMS_H
#define APSP_COMPUTE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/lengths.h"
#include "daemon/base/err.h"

struct apsp_sums; /* scratch of one thread: about 110 bytes a vertex */

/* lengths must outlive *out, which the caller frees. APSP_ENOMEM. */
int apsp_sums_new(const struct apsp_lengths *lengths, struct apsp_sums **out,
	struct apsp_err *err);
void apsp_sums_free(struct apsp_sums *sums);

/*
 * Fill n_vertices sums of the paths from source: 0 for itself, INFINITY where
 * the predecessor is UINT32_MAX. Linear time, but for the search of arcs that
 * recent rows did not use.
 *
 * False: predecessors are no tree of these arcs that starts at source, so the
 * tables are wrong (APSP_EPROOF is for the caller to say); out is undefined.
 */
bool apsp_sums_row(struct apsp_sums *sums, uint32_t source,
	const uint32_t *predecessors, double *out);

#endif
