/*
 * A histogram of differences, which may have any sign. Its bins are as narrow
 * as the largest difference allows, and a power of two wide. So the bins depend
 * on the numbers only, and not on their order.
 */
#ifndef APSP_STORAGE_TABLES_DIFFERENCE_BINS_H
#define APSP_STORAGE_TABLES_DIFFERENCE_BINS_H

#include <stdbool.h>

#include "daemon/job/stats_sections.h"

struct apsp_difference_bins {
	struct apsp_histogram histogram; /* its width is 0 while it is
					    empty */
	double per_width;		 /* 1 / histogram.width; NaN while the
					    histogram is empty */
	double least_width;		 /* no bin is narrower */
};

/* Begin an empty histogram. `whole`: all differences are whole numbers. */
void apsp_difference_bins_init(struct apsp_difference_bins *bins, bool whole);

/* Only apsp_difference_bins_add() may call this. Widen the bins until the
   difference fits, and count it. */
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
	/* round down; if k is too small for a double, it is 0 or -0 */
	whole -= (k < whole) | ((k == 0) & (difference < 0));
	bins->histogram.counts[whole + APSP_HISTOGRAM_BINS / 2]++;
}

/* Count the differences that `other` has counted, too. `other` began with the
   same `whole`; its bins may become wider. */
void apsp_difference_bins_join(
	struct apsp_difference_bins *bins, struct apsp_difference_bins *other);

#endif
