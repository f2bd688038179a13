/*
 * Real distances: the lengths of each predecessor path, summed in float64 from
 * the source on (compute/tables/README.md, Path sums).
 */
#ifndef APSP_COMPUTE_TABLES_SUMS_H
#define APSP_COMPUTE_TABLES_SUMS_H

#include <stdint.h>

#include "compute/tables/sum_arcs.h"
#include "compute/team.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_sums; /* 168 bytes a vertex for each processor */

/*
 * Make ready to sum rows of distance, F32 or F64. arcs are all that
 * predecessors can name; where arcs is NULL, each one is searched for in
 * lengths, which takes longer and less memory. team (team.h; may be NULL) sums.
 * All must outlive *out, which the caller frees. APSP_ENOMEM.
 */
int apsp_sums_open(const struct apsp_lengths *lengths,
	const struct apsp_sum_arcs *arcs, enum apsp_element distance,
	struct apsp_team *team, struct apsp_sums **out, struct apsp_err *err);
void apsp_sums_free(struct apsp_sums *sums);

/*
 * Store n_rows rows of distances, of the sources from `first` on: 0 for the
 * source itself, INFINITY where there is no predecessor. predecessors have the
 * element that apsp_predecessor_element() names; all ones means none. summed
 * (NULL, or a word a row) is not 0 for rows that the device has summed already;
 * one of those is summed again and compared. Runs on all processors; linear
 * time.
 *
 * APSP_EPROOF: the predecessors of a row are no tree of arcs from its source,
 * or the device's sums are wrong; distances are undefined then.
 */
int apsp_sums_rows(struct apsp_sums *sums, uint32_t first, uint32_t n_rows,
	const void *predecessors, const uint32_t *summed, void *distances,
	struct apsp_err *err);

#endif
