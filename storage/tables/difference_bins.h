/*
 * A histogram of differences, which may have any sign. The width of the bins is
 * the least power of two for which the largest difference fits; it is at least
 * 1 if all differences are whole numbers. So the bins depend on the numbers
 * only, and not on their order.
 */
#ifndef APSP_STORAGE_TABLES_DIFFERENCE_BINS_H
#define APSP_STORAGE_TABLES_DIFFERENCE_BINS_H

#include <stdbool.h>

#include "daemon/job/stats_sections.h"

struct apsp_difference_bins {
	/* its width is 0 until a difference is counted */
	struct apsp_histogram histogram;
	double per_width;   /* 1 / histogram.width; NaN while that is 0 */
	double least_width; /* no bin is narrower */
};

/* Begin an empty histogram. `whole`: all differences are whole numbers. */
void apsp_difference_bins_init(struct apsp_difference_bins *bins, bool whole);

/* Only apsp_difference_bins_add() may call this. Widen the bins until the
   difference fits, and count the difference. */
void apsp_difference_bins_widen(
	struct apsp_difference_bins *bins, double difference);

/* Count a difference, which is neither 0 nor NaN. */
static inline void apsp_difference_bins_add(
	struct apsp_difference_bins *bins, double difference)
{
	double k = difference * bins->per_width;
	int whole;

	if (!(k > -APSP_HISTOGRAM_BINS / 2 && k < APSP_HISTOGRAM_BINS / 2)) {
		apsp_difference_bins_widen(bins, difference);
		return;
	}
	whole = (int)k;
	/* round down; k is 0 or -0 if the quotient is too small for a double */
	whole -= (k < whole) | ((k == 0) & (difference < 0));
	bins->histogram.counts[whole + APSP_HISTOGRAM_BINS / 2]++;
}

/* Add the counts of `other` to `bins`. Both must have begun with the same
   `whole`. This may widen the bins of `other`. */
void apsp_difference_bins_join(
	struct apsp_difference_bins *bins, struct apsp_difference_bins *other);

#endif
