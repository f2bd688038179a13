/*
 * Statistics of up to APSP_BINS_TOGETHER neighbouring columns of one row: they
 * are added to the columns' sums, and the row's sums over them are computed.
 */
#ifndef APSP_COMPUTE_STATISTICS_STAT_CELLS_H
#define APSP_COMPUTE_STATISTICS_STAT_CELLS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/statistics/histogram.h"
#include "daemon/base/table_file.h"

enum {
	APSP_STAT_COLUMNS = APSP_BINS_TOGETHER,
};

/* The largest relative difference between sums of the same numbers in two
   orders: each of up to 2^22 additions rounds by 2^-53 of the sum of amounts.
 */
#define APSP_SUM_SLACK 0x1p-30

/* The form in which a strip's distances are stored. */
struct apsp_stat_form {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	double scale; /* SCALED: V = distance · scale + hops */
	bool below;   /* distances may be negative */
	int exponent; /* the first bins of distances are 2 to this power wide */
};

/* Sums over some distances. */
struct apsp_stat_part {
	uint32_t count;
	double sum;
	double harmonic;
	double most; /* -INFINITY: none */
};

/* Add a part to the sum of those before it. */
static inline void apsp_stat_part_add(
	struct apsp_stat_part *all, const struct apsp_stat_part *part)
{
	all->count += part->count;
	all->sum += part->sum;
	all->harmonic += part->harmonic;
	all->most = fmax(all->most, part->most);
}

/* The same sums by target. The lengths of the arrays are multiples of
   APSP_STAT_COLUMNS. */
struct apsp_stat_columns {
	uint32_t *count;
	double *sum;
	double *harmonic;
	double *most;
	int32_t *far; /* `most` in the form of struct apsp_stat_cells */
};

/* The values of a row in the columns; scratch of one thread. */
struct apsp_stat_cells {
	bool narrow; /* far and none are filled, else wide */
	/* whole numbers, or the bits of float32s, which have the same order if
	   they are not negative; 0: no path */
	int32_t far[APSP_STAT_COLUMNS];
	int32_t none[APSP_STAT_COLUMNS]; /* 1: no path; else 0 */
	int32_t hops[APSP_STAT_COLUMNS]; /* SCALED; 0: no path */
	double wide[APSP_STAT_COLUMNS];	 /* INFINITY: no path */
	double least;
	int32_t most_hops;
};

/*
 * Read n columns of a row and add them to `to`; *out gets their sums. If self
 * is below n, that column is the source itself and is left out. Columns are
 * summed in the order of sources, the row in four lanes in turn.
 */
void apsp_stat_cells_add(const struct apsp_stat_form *form, const void *row,
	size_t n, size_t self, const struct apsp_stat_columns *to,
	struct apsp_stat_cells *cells, struct apsp_stat_part *out);

/* Count the distances of cells in bins, and for SCALED their hops. At least one
   cell has a distance. */
void apsp_stat_cells_bin(const struct apsp_stat_form *form,
	const struct apsp_stat_cells *cells, const struct apsp_stat_part *part,
	struct apsp_bins *distances, struct apsp_bins *hops);

/* Count n hops in bins, APSP_STAT_COLUMNS at most. The source, which has 0, and
   APSP_NO_HOPS are not counted. */
void apsp_stat_hops_bin(const uint32_t *hops, size_t n, struct apsp_bins *bins);

/* The largest distance in a column. */
double apsp_stat_columns_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c);

/* Set the largest distance; -INFINITY: the column has none. */
void apsp_stat_columns_put_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c, double most);

#endif
