/*
 * Real distances: the lengths of each predecessor path, summed in float64 from
 * the source on (compute/tables/README.md, Path sums).
 */
#ifndef APSP_COMPUTE_TABLES_SUMS_H
#define APSP_COMPUTE_TABLES_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/parallel.h"
#include "compute/statistics/row_stats.h"
#include "compute/tables/sum_arcs.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_sums; /* 180 bytes a vertex for each processor */

struct apsp_sums_config {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers; /* of V; SUM */
	/* All arcs of predecessors. NULL: each arc is searched for in lengths,
	   which takes longer but needs less memory. */
	const struct apsp_sum_arcs *arcs;
	enum apsp_element v;
	enum apsp_element distance;   /* F32 or F64 */
	unsigned int width;	      /* threads that sum */
	struct apsp_row_stats *stats; /* counts the paths' hops; or NULL */
};

/* The structs to which config points must outlive *out, which the caller frees.
   APSP_ENOMEM. */
int apsp_sums_open(const struct apsp_sums_config *config,
	struct apsp_sums **out, struct apsp_err *err);
void apsp_sums_free(struct apsp_sums *sums);

/* Neighbouring rows; all arrays are borrowed. */
struct apsp_sums_rows {
	uint32_t first; /* the source of the first one */
	uint32_t n_rows;
	const void *predecessors; /* apsp_predecessor_element(); all ones: none
				   */
	/* A word for each row, not 0 if the device has summed the row; NULL: it
	   has summed none. The last row that it has summed is summed again on
	   the host and compared. */
	const uint32_t *summed;
	/* the device's counts of sums that are outside the element's range, and
	   of sums that are not V's */
	uint32_t n_outside;
	uint32_t n_wrong;
	const void *v; /* read in rows that the device has not summed */
	/* count the hops of all rows, because the host makes the statistics;
	   else only of the last row that the device has summed, and of the
	   rows that the host sums */
	bool all_hops;
};

/*
 * Store the rows' distances: 0 for the source itself, INFINITY where there is
 * no predecessor. Each sum is proved by V before it is rounded
 * (compute/tables/README.md, Path sums). Runs on all processors; linear time.
 *
 * Returns 0, or APSP_VERDICT_SUMS_NARROW: a sum leaves the normal range of F32.
 * APSP_EPROOF: the predecessors of a row are no tree of arcs from its source, a
 * sum is not V's, or the device's sums are wrong; APSP_EOVERFLOW: a sum is past
 * what F64 holds. Distances are undefined unless 0 is returned.
 */
int apsp_sums_rows(struct apsp_sums *sums, const struct apsp_sums_rows *rows,
	void *distances, struct apsp_err *err);

#endif
