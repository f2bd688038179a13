/*
 * Computes path sums. If lengths are real, a distance is a path sum: the
 * lengths of the arcs on a path of predecessors are added in float64, beginning
 * at the source (compute/tables/README.md, Path sums). For rows that came in a
 * bundle, the path sums are not stored, but compared with the rows' distances.
 */
#ifndef APSP_COMPUTE_TABLES_SUMS_H
#define APSP_COMPUTE_TABLES_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/statistics/row_stats.h"
#include "compute/tables/row_marks.h"
#include "compute/tables/sum_arcs.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The memory for computing path sums. It has 180 bytes for each vertex and each
   thread. */
struct apsp_sums;

struct apsp_sums_config {
	const struct apsp_lengths *lengths;
	/* the arcs' integers from which the integer distances were computed;
	   their kind is APSP_DISTANCE_SUM, unless rows are only compared
	   (apsp_sums_compare()) */
	const struct apsp_integers *integers;
	/*
	 * The arcs among which predecessors were searched. The host does not
	 * use these arcs if predecessors are ranks. If `arcs` is NULL and
	 * predecessors are indices, each arc is searched for in `lengths`; this
	 * search takes longer, but no memory for `arcs` is needed.
	 */
	const struct apsp_sum_arcs *arcs;
	enum apsp_element v; /* element type of the distance matrix V */
	/* element type of the rows: that of the sums that are written (F32 or
	   F64) or, if rows are only compared, that of the distances with which
	   they are compared (any type) */
	enum apsp_element distance;
	unsigned int width; /* number of threads */
	/* the statistics in which the paths' hops are counted; NULL: hops are
	   not counted */
	struct apsp_row_stats *stats;
	/* the weights with which marks are computed; not used if the rows have
	   no array of marks */
	const struct apsp_row_weights *weights;
};

/* Allocate the memory for computing path sums. The objects that `config` points
   to must outlive *out, which the caller frees. APSP_ENOMEM. */
int apsp_sums_open(const struct apsp_sums_config *config,
	struct apsp_sums **out, struct apsp_err *err);
void apsp_sums_free(struct apsp_sums *sums);

/* Rows of consecutive sources. All arrays are borrowed. */
struct apsp_sums_rows {
	uint32_t first; /* the source of the first row */
	uint32_t n_rows;
	/* The predecessors in these rows. apsp_in_arcs_element() returns the
	   type of the elements. All bits of an element are 1 where there is no
	   predecessor. */
	const void *predecessors;
	/*
	 * One word for each row: 0 if the host must sum the row, otherwise the
	 * device has summed it. NULL: the host must sum all rows. The host also
	 * sums the last row that the device has summed, and compares its sums
	 * with the device's sums.
	 */
	const uint32_t *summed;
	/* Counts of the device: n_outside is the number of sums outside the
	   range of the distance's type, and n_wrong is the number of sums that
	   the integer distances do not prove. */
	uint32_t n_outside;
	uint32_t n_wrong;
	/* integer distances of all rows; only rows that the host must sum are
	   read */
	const void *v;
	/*
	 * True: the hops of all paths are counted in the statistics, because
	 * the host makes the statistics. False: hops are counted only in the
	 * rows that the host must sum.
	 */
	bool all_hops;
	/* One word for each row: gets the mark (row_marks.h) of each row whose
	   sums the host stores; the other words do not change. NULL: no marks
	   are computed. */
	uint32_t *marks;
};

/*
 * Store the distances of the rows at `distances`. A distance is 0 for the
 * source itself, INFINITY where there is no predecessor, and the path sum
 * everywhere else. Each sum is proved by the pair's integer distance before it
 * is rounded (compute/tables/README.md, Path sums). Runs on all processors, in
 * linear time.
 *
 * Returns 0, or APSP_VERDICT_SUMS_NARROW: a sum is outside the normal range of
 * F32. APSP_EPROOF: the predecessors of a row do not form a tree of arcs from
 * its source, an integer distance does not prove a sum, or the device and the
 * host have different sums for the same row; APSP_EOVERFLOW: a sum is too large
 * for F64. Distances are undefined unless 0 is returned.
 */
int apsp_sums_rows(struct apsp_sums *sums, const struct apsp_sums_rows *rows,
	void *distances, struct apsp_err *err);

/*
 * Compare the distances of rows with the paths of their predecessors. The
 * distances have the form of a table file: path sums, or integer distances
 * without potentials. Any values are allowed as input. The function checks that
 * the predecessors of each row form a tree of arcs from the source, and that
 * each distance is the length of its path, bit by bit. Only `first`, `n_rows`
 * and `predecessors` of *rows are used. Counts hops as apsp_sums_rows() does.
 * APSP_EPROOF: a row is wrong.
 */
int apsp_sums_compare(struct apsp_sums *sums, const struct apsp_sums_rows *rows,
	const void *distances, struct apsp_err *err);

#endif
