/*
 * Computes statistics of a block: the cells of one row in up to
 * APSP_BINS_TOGETHER neighbouring columns. Each distance in the block is added
 * to the sum of its column. The distances are also added up over the block;
 * this sum is a part of the row's sum.
 */
#ifndef APSP_COMPUTE_STATISTICS_STAT_CELLS_H
#define APSP_COMPUTE_STATISTICS_STAT_CELLS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/statistics/histogram.h"
#include "daemon/job/table_file.h"

enum {
	APSP_STAT_COLUMNS = APSP_BINS_TOGETHER,
};

/*
 * Return the largest relative difference between two sums of the same
 * statistics that were added in different orders. The sums differ because
 * additions round. The difference is relative to the sum of the absolute
 * values. In each order, a distance takes part in about 2 · n_vertices
 * additions: n_vertices in its row or column, and n_vertices in the sum over
 * all vertices. Each addition has a relative error of at most 2^-53. 4096
 * allows for the additions of a row's parts and of source blocks. A larger
 * result would hide wrong bytes: when it was 2^-30, a wrong byte in the sum of
 * a column was not found in a graph of 150 vertices.
 */
static inline double apsp_sum_slack(uint32_t n_vertices)
{
	return (4.0 * n_vertices + 4096) * 0x1p-53;
}

/* The form in which the distances of a strip (row_strip.h) are stored. */
struct apsp_stat_form {
	enum apsp_distance_kind kind;
	enum apsp_element element;
	/* used if the kind is APSP_DISTANCE_SCALED, where the rows have the
	   values distance · scale + hops */
	double scale;
	bool below; /* distances may be negative */
	/* at first, the bins of distances are 2^exponent wide */
	int exponent;
};

/* Statistics over the distances of some cells, for example of one block. */
struct apsp_stat_part {
	uint32_t count;
	double sum;
	double harmonic;
	double most; /* -INFINITY: no path */
};

/* Add `part`, the next part of a row, to `all`, which has the statistics of the
   row's earlier parts. */
static inline void apsp_stat_part_add(
	struct apsp_stat_part *all, const struct apsp_stat_part *part)
{
	all->count += part->count;
	all->sum += part->sum;
	all->harmonic += part->harmonic;
	all->most = fmax(all->most, part->most);
}

/* The same statistics as in struct apsp_stat_part, separately for each column.
   Each array has one element for each column. The lengths of the arrays are
   multiples of APSP_STAT_COLUMNS. */
struct apsp_stat_columns {
	uint32_t *count;
	double *sum;
	double *harmonic;
	double *most;
	/* the largest distance of each column, stored like a distance in the
	   member `far` of struct apsp_stat_cells */
	int32_t *far;
};

/* The cells of one block. This is scratch memory of one thread. */
struct apsp_stat_cells {
	/* true: distances are in `far`, and `none` says which pairs have no
	   path; false: distances are in `wide` */
	bool narrow;
	/* Distances; 0 where there is no path. A distance of float32 is stored
	   as its bits: read as whole numbers, these bits have the same order as
	   the distances. */
	int32_t far[APSP_STAT_COLUMNS];
	int32_t none[APSP_STAT_COLUMNS]; /* 1: no path; else 0 */
	/* filled if the kind is APSP_DISTANCE_SCALED: number of arcs of each
	   path; 0: no path */
	int32_t hops[APSP_STAT_COLUMNS];
	double wide[APSP_STAT_COLUMNS]; /* distances; INFINITY: no path */
	/* lower bound of the distances in the cells: 0 if no distance can be
	   negative, otherwise the least distance */
	double least;
	int32_t most_hops;
	/* Total number of arcs of all paths of the block, if the kind is
	   APSP_DISTANCE_SCALED. Where distances are in `far`, it is computed
	   from the sum of the cells and the sum of the distances, and not from
	   `hops`, so that it can prove the bins of hops. */
	int64_t n_hops;
};

/*
 * Read n columns of a row, and add each distance to the sums of its column in
 * `to`. *out gets the sums over the n columns. If `self` is less than n, column
 * `self` belongs to the row's source itself and is left out. The sum over the n
 * columns is added up as four partial sums: partial sum c, for c = 0 to 3, has
 * the columns c, c + 4, c + 8, …
 */
void apsp_stat_cells_add(const struct apsp_stat_form *form, const void *row,
	size_t n, size_t self, const struct apsp_stat_columns *to,
	struct apsp_stat_cells *cells, struct apsp_stat_part *out);

/* Add the distances of `cells` to the counts of the bins `distances`. If the
   kind is APSP_DISTANCE_SCALED, also add the hops of `cells` to the counts of
   the bins `hops`. At least one cell must have a path. */
void apsp_stat_cells_bin(const struct apsp_stat_form *form,
	const struct apsp_stat_cells *cells, const struct apsp_stat_part *part,
	struct apsp_bins *distances, struct apsp_bins *hops);

/* Add the hops of n paths to the counts of `bins`, and return their sum. n is
   at most APSP_STAT_COLUMNS. Two values are not counted: 0, which the source
   itself has, and APSP_NO_HOPS. */
uint32_t apsp_stat_hops_bin(
	const uint32_t *hops, size_t n, struct apsp_bins *bins);

/* Return the largest distance in column c. */
double apsp_stat_columns_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c);

/* Set the largest distance of column c to `most`; -INFINITY: the column has no
   distance. */
void apsp_stat_columns_put_most(const struct apsp_stat_form *form,
	const struct apsp_stat_columns *columns, size_t c, double most);

#endif
