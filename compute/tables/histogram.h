/*
 * Counting numbers whose range is not known: the bins are as narrow as they can
 * be, and get twice as wide where a number does not fit. So they are the same
 * in whatever order the numbers come, and on however many threads.
 */
#ifndef APSP_COMPUTE_TABLES_HISTOGRAM_H
#define APSP_COMPUTE_TABLES_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/table_stats.h"

/* Of one thread. */
struct apsp_bins {
	double width; /* a power of two */
	int64_t first;
	/* by turns, as a count waits for the one before it; the last bin is for
	   infinity */
	uint64_t counts[2][APSP_HISTOGRAM_BINS + 1];
};

/* Make bins empty. below: numbers may be negative. */
void apsp_bins_init(struct apsp_bins *bins, double width, bool below);

/* Widen the bins until both numbers, which are finite, have one. */
void apsp_bins_fit(struct apsp_bins *bins, double least, double most);

/* Count n numbers that have been fitted, and leave out those that are INFINITY.
 */
void apsp_bins_add(struct apsp_bins *bins, const double *values, size_t n);

/* Add what others, which were made alike, have counted. */
void apsp_bins_merge(struct apsp_bins *bins, struct apsp_bins *others);

void apsp_bins_store(const struct apsp_bins *bins, struct apsp_histogram *out);

#endif
