/*
 * A histogram of differences, which may have any sign. The number of bins is
 * fixed. The width of a bin is the least power of two with which all
 * differences fit into the bins. If all differences are whole numbers, the
 * width is at least 1. So the bins depend on the numbers only, and not on their
 * order.
 */
#ifndef APSP_STORAGE_TABLES_DIFFERENCE_BINS_H
#define APSP_STORAGE_TABLES_DIFFERENCE_BINS_H

#include <stdbool.h>

#include "daemon/job/stats_sections.h"

struct apsp_difference_bins {
	/* the width of its bins is 0 until a difference is counted */
	struct apsp_histogram histogram;
	double per_width;   /* 1 / histogram.width; NaN while the width is 0 */
	double least_width; /* the least width that a bin can have */
};

/* Begin an empty histogram. `whole`: all differences are whole numbers. */
void apsp_difference_bins_init(struct apsp_difference_bins *bins, bool whole);

/* Only apsp_difference_bins_add() calls this. Widen the bins until the
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
	/* round down, not towards 0; if the product k is too small for a
	   double, it is 0, and the sign of the difference decides */
	whole -= (k < whole) | ((k == 0) & (difference < 0));
	bins->histogram.counts[whole + APSP_HISTOGRAM_BINS / 2]++;
}

/* Add the counts of `other` to `bins`. Both histograms must have begun with the
   same `whole`. The call may widen the bins of `other`. */
void apsp_difference_bins_join(
	struct apsp_difference_bins *bins, struct apsp_difference_bins *other);

#endif
