/*
 * Statistics of up to APSP_BINS_TOGETHER neighbouring columns of one row: added
 * to the columns' sums, and the row's sums over them.
 */
#ifndef APSP_COMPUTE_STATISTICS_STAT_CELLS_H
#define APSP_COMPUTE_STATISTICS_STAT_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/statistics/histogram.h"
#include "daemon/base/table_file.h"

enum {
	APSP_STAT_COLUMNS = APSP_BINS_TOGETHER,
};

/* How a strip's distances are to be read. */
struct apsp_stat_form {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	double scale; /* SCALED: V = distance · scale + hops */
	bool below;   /* distances may be negative */
};

/* Sums over some distances. */
struct apsp_stat_part {
	uint32_t count;
	double sum;
	double harmonic;
	double most; /* -INFINITY: none */
};

/* The same by target, an array each, in whole APSP_STAT_COLUMNS. */
struct apsp_stat_columns {
	uint32_t *count;
	double *sum;
	double *harmonic;
	double *most;
	int32_t *far; /* `most` as a struct apsp_stat_cells tells it */
};

/* What a row has in the columns, for one thread. */
struct apsp_stat_cells {
	bool narrow; /* far and none, instead of wide */
	/* whole numbers, or the bits of a float32, which compare alike where
	   they are not negative; 0 where there is no path */
	int32_t far[APSP_STAT_COLUMNS];
	int32_t none[APSP_STAT_COLUMNS]; /* 1: no path; 0 */
	int32_t hops[APSP_STAT_COLUMNS]; /* SCALED; 0: no path */
	double wide[APSP_STAT_COLUMNS];	 /* INFINITY: no path */
	double least;
	int32_t most_hops;
};

/*
 * Read n columns of a row, leave out column `self` (if it is below n) and add
 * the others to `to`; the row's sums become *out. What the sums' order is: the
 * columns' by source, the row's in four lanes by turns.
 */
void apsp_stat_cells_add(const struct apsp_stat_form *form, const void *row,
	size_t n, size_t self, const struct apsp_stat_columns *to,
	struct apsp_stat_cells *cells, struct apsp_stat_part *out);

/* Count the distances of cells, among which there are some, in bins; and the
   hops of SCALED ones. */
void apsp_stat_cells_bin(const struct apsp_stat_form *form,
	const struct apsp_stat_cells *cells, const struct apsp_stat_part *part,
	struct apsp_bins *distances, struct apsp_bins *hops);

/* Count n hops in bins, APSP_STAT_COLUMNS at most; neither the source, which
   has 0, nor APSP_NO_HOPS. */
void apsp_stat_hops_bin(const uint32_t *hops, size_t n, struct apsp_bins *bins);

/* The largest distance in a column. */
double apsp_stat_columns_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c);

/* Set it: -INFINITY where the column has none. */
void apsp_stat_columns_put_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c, double most);

#endif
