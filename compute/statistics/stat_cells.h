/*
 * Statistics of a block: up to APSP_BINS_TOGETHER neighbouring columns of one
 * row. The distances of the block are added to the sums of their columns. The
 * sum of these distances is also computed, as a part of the row's sum.
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

/* The largest difference between sums of the same numbers in two orders,
   relative to the sum of their absolute values. Each of up to 2^22 additions
   has a relative error of 2^-53 at most. */
#define APSP_SUM_SLACK 0x1p-30

/* The form in which a strip's distances are stored. */
struct apsp_stat_form {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	double scale; /* SCALED: V = distance · scale + hops */
	bool below;   /* distances may be negative */
	/* at first, the bins of distances are 2^exponent wide */
	int exponent;
};

/* Sums over the distances of some cells. */
struct apsp_stat_part {
	uint32_t count;
	double sum;
	double harmonic;
	double most; /* -INFINITY: no path */
};

/* Add the next part of a row to the sum of the parts before it. */
static inline void apsp_stat_part_add(
	struct apsp_stat_part *all, const struct apsp_stat_part *part)
{
	all->count += part->count;
	all->sum += part->sum;
	all->harmonic += part->harmonic;
	all->most = fmax(all->most, part->most);
}

/* The same sums as in struct apsp_stat_part, for each column. The lengths of
   the arrays are multiples of APSP_STAT_COLUMNS. */
struct apsp_stat_columns {
	uint32_t *count;
	double *sum;
	double *harmonic;
	double *most;
	int32_t *far; /* largest distances, in the form of the member `far` of
			 struct apsp_stat_cells */
};

/* The cells of a block, in scratch memory of one thread. */
struct apsp_stat_cells {
	bool narrow; /* true: `far` and `none` are filled; false: `wide` is
			filled */
	/* distances that are whole numbers, or the bits of float32 distances,
	   which have the same order if they are read as whole numbers; 0: no
	   path */
	int32_t far[APSP_STAT_COLUMNS];
	int32_t none[APSP_STAT_COLUMNS]; /* 1: no path; else 0 */
	int32_t hops[APSP_STAT_COLUMNS]; /* if the kind is SCALED, the hops; 0:
					    no path */
	double wide[APSP_STAT_COLUMNS];	 /* distances; INFINITY: no path */
	double least;			 /* the least distance */
	int32_t most_hops;
};

/*
 * Read n columns of a row, and add each distance to its column's sums in `to`.
 * *out gets the sums over the n columns. If `self` is less than n, column
 * `self` is the source itself and is left out. A sum over the block is added up
 * as four sums, of the columns c, c + 4, … for c = 0 to 3.
 */
void apsp_stat_cells_add(const struct apsp_stat_form *form, const void *row,
	size_t n, size_t self, const struct apsp_stat_columns *to,
	struct apsp_stat_cells *cells, struct apsp_stat_part *out);

/* Count the cells' distances in the bins `distances`. If the kind is SCALED,
   also count the cells' hops in the bins `hops`. At least one cell must have a
   path. */
void apsp_stat_cells_bin(const struct apsp_stat_form *form,
	const struct apsp_stat_cells *cells, const struct apsp_stat_part *part,
	struct apsp_bins *distances, struct apsp_bins *hops);

/* Count the hops of n paths in bins; n is at most APSP_STAT_COLUMNS. Two values
   are not counted: 0, which is the source's, and APSP_NO_HOPS. */
void apsp_stat_hops_bin(const uint32_t *hops, size_t n, struct apsp_bins *bins);

/* The largest distance in column c. */
double apsp_stat_columns_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c);

/* Set the largest distance of column c to `most`; -INFINITY: the column has no
   distance. */
void apsp_stat_columns_put_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c, double most);

#endif
