/*
 * Real distances are path sums: the lengths of the arcs on a path of
 * predecessors are added in float64, from the source on
 * (compute/tables/README.md, Path sums).
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

struct apsp_sums; /* takes 180 bytes for each vertex and thread */

struct apsp_sums_config {
	const struct apsp_lengths *lengths;
	/* the integers from which V was computed; their kind is
	   APSP_DISTANCE_SUM */
	const struct apsp_integers *integers;
	/* The arcs among which predecessors were searched. The host does not
	   use them if predecessors are ranks. NULL: each arc is searched for in
	   `lengths`, which takes longer but needs less memory. */
	const struct apsp_sum_arcs *arcs;
	enum apsp_element v;	    /* type of V's elements */
	enum apsp_element distance; /* type of the sums: F32 or F64 */
	unsigned int width;	    /* number of threads */
	/* statistics that count the paths' hops; NULL: none */
	struct apsp_row_stats *stats;
};

/* The objects that config points to must outlive *out, which the caller frees.
   APSP_ENOMEM. */
int apsp_sums_open(const struct apsp_sums_config *config,
	struct apsp_sums **out, struct apsp_err *err);
void apsp_sums_free(struct apsp_sums *sums);

/* Rows of consecutive sources. All arrays are borrowed. */
struct apsp_sums_rows {
	uint32_t first; /* the source of the first row */
	uint32_t n_rows;
	/* Elements of the type that apsp_in_arcs_element() returns. All bits
	   are 1 where there is no predecessor. */
	const void *predecessors;
	/*
	 * One word for each row: 0 if the host must sum the row, otherwise the
	 * device has summed it. NULL: the device has summed no row. The host
	 * also sums the last of the device's rows, and compares its sums with
	 * the device's sums.
	 */
	const uint32_t *summed;
	/* The device's counts: sums outside the range of the distance's type
	   (n_outside), and sums that V does not prove (n_wrong). */
	uint32_t n_outside;
	uint32_t n_wrong;
	const void *v; /* V of the rows that the host must sum */
	/*
	 * True: the hops of all rows are counted, because the host makes the
	 * statistics. False: hops are counted only for the rows that the host
	 * sums.
	 */
	bool all_hops;
};

/*
 * Store the rows' distances: 0 for the source itself, INFINITY where there is
 * no predecessor. Each sum is proved by V before the sum is rounded
 * (compute/tables/README.md, Path sums). Runs on all processors, in linear
 * time.
 *
 * Returns 0, or APSP_VERDICT_SUMS_NARROW: a sum is outside the normal range of
 * F32. APSP_EPROOF: the predecessors of a row are no tree of arcs from its
 * source, V does not prove a sum, or the device and the host have different
 * sums for the same row; APSP_EOVERFLOW: a sum is too large for F64. Distances
 * are undefined unless 0 is returned.
 */
int apsp_sums_rows(struct apsp_sums *sums, const struct apsp_sums_rows *rows,
	void *distances, struct apsp_err *err);

#endif
