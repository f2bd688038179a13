/*
 * Widths and ranks of a table of widest paths, computed from its list of
 * widths.
 */
#ifndef APSP_TESTS_TABLE_WIDTHS_H
#define APSP_TESTS_TABLE_WIDTHS_H

#include <math.h>
#include <stdint.h>

/*
 * Return the width of a pair whose V is `rank`. `widths` has the n_widths
 * elements of the section WIDTHS. INFINITY: the rank is 0, so the pair is a
 * vertex and itself. 0: there is no path.
 */
static inline double table_width(
	const double *widths, uint64_t n_widths, uint64_t rank)
{
	if (rank == 0)
		return INFINITY;
	return rank <= n_widths ? widths[rank - 1] : 0;
}

/*
 * Return the largest rank whose weight is at least `width`: a pair is at least
 * as wide as `width` if and only if its V is at most this rank. 0: no weight is
 * so large, so only a vertex and itself are that wide. A width that is not
 * above 0 gives n_widths. Takes logarithmic time.
 */
static inline uint64_t table_rank_of(
	const double *widths, uint64_t n_widths, double width)
{
	uint64_t low = 0, high = n_widths;

	/* the weights at indices below `low` are at least `width`; the weights
	   from index `high` on are less */
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (widths[middle] >= width)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
