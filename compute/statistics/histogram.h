/*
 * Counting numbers whose range is not known: the bins are as narrow as they can
 * be, and get twice as wide where a number does not fit. So they are the same
 * in whatever order the numbers come, and on however many threads.
 */
#ifndef APSP_COMPUTE_STATISTICS_HISTOGRAM_H
#define APSP_COMPUTE_STATISTICS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/stats_sections.h"

enum {
	APSP_BINS_TOGETHER = 256, /* numbers that are counted at a time */
	APSP_BINS_GROUPS = 4096,  /* of four codes below 8, or two below 64 */
};

/*
 * Of one thread. A code is 1 + the number of a bin, or 0 for what does not
 * count. To count takes longer than all else, so small codes are counted in
 * groups, each group by the number that its codes make side by side.
 */
struct apsp_bins {
	double width; /* a power of two */
	int64_t first;
	double least; /* what fits is from here */
	double end;   /* and below this */
	uint64_t counts[APSP_HISTOGRAM_BINS];
	/* not yet in counts; single codes by turns, as a count waits for the
	   one before it */
	uint64_t waiting;
	uint32_t fours[APSP_BINS_GROUPS];
	uint32_t pairs[APSP_BINS_GROUPS];
	uint32_t singles[2][APSP_HISTOGRAM_BINS + 1];
};

/* Make bins empty. below: numbers may be negative. */
void apsp_bins_init(struct apsp_bins *bins, double width, bool below);

/* Widen the bins until both numbers, which are finite, have one. */
void apsp_bins_fit(struct apsp_bins *bins, double least, double most);

/* Count numbers by their codes, of which `most` is the largest. */
void apsp_bins_count(struct apsp_bins *bins,
	const uint16_t codes[APSP_BINS_TOGETHER], uint32_t most);

/* Count n numbers that have been fitted, and leave out those that are INFINITY.
 */
void apsp_bins_add(struct apsp_bins *bins, const double *values, size_t n);

/*
 * Add n counts, of bins from 0 on that are 2 to this exponent wide, which is
 * not less than bins were at first; no numbers are negative.
 */
void apsp_bins_add_counts(
	struct apsp_bins *bins, int exponent, const uint32_t *counts, size_t n);

/* Add what others, which were made alike, have counted. */
void apsp_bins_merge(struct apsp_bins *bins, struct apsp_bins *others);

void apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out);

#endif
