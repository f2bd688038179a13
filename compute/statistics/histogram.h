/*
 * A histogram of numbers whose range is not known beforehand: the bins are as
 * narrow as possible, and their width doubles when a number does not fit. So
 * they depend neither on the order of numbers nor on the number of threads.
 */
#ifndef APSP_COMPUTE_STATISTICS_HISTOGRAM_H
#define APSP_COMPUTE_STATISTICS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/stats_sections.h"

enum {
	APSP_BINS_TOGETHER = 256, /* numbers that are counted at a time */
	APSP_BINS_GROUPS = 4096,  /* groups of four codes below 8, or of two
				     below 64 */
};

/*
 * The bins of one thread. A code is 1 + the number of a bin, or 0 for a number
 * that is not counted. Counting takes the most time, so small codes are counted
 * in groups: the codes of a group, side by side, form the number under which it
 * is counted.
 */
struct apsp_bins {
	double width; /* a power of two */
	int64_t first;
	double least; /* numbers from here on fit */
	double end;   /* numbers below this fit */
	uint64_t counts[APSP_HISTOGRAM_BINS];
	/* numbers that are not yet in counts; single codes are counted in two
	   arrays in turn, because each count waits for the one before it */
	uint64_t waiting;
	uint32_t fours[APSP_BINS_GROUPS];
	uint32_t pairs[APSP_BINS_GROUPS];
	uint32_t singles[2][APSP_HISTOGRAM_BINS + 1];
};

/* Make bins empty. below: numbers may be negative. */
void apsp_bins_init(struct apsp_bins *bins, double width, bool below);

/* Widen the bins until both numbers, which are finite, are in one of them. */
void apsp_bins_fit(struct apsp_bins *bins, double least, double most);

/* Count numbers by their codes, of which `most` is the largest. */
void apsp_bins_count(struct apsp_bins *bins,
	const uint16_t codes[APSP_BINS_TOGETHER], uint32_t most);

/* Count n numbers that fit; INFINITY is not counted. */
void apsp_bins_add(struct apsp_bins *bins, const double *values, size_t n);

/*
 * Add the counts of n other bins, which begin at 0 and are 2^exponent wide;
 * that is no less than the first width of bins. No number may be negative.
 */
void apsp_bins_add_counts(
	struct apsp_bins *bins, int exponent, const uint32_t *counts, size_t n);

/* Add the counts of others, which were initialised in the same way. */
void apsp_bins_merge(struct apsp_bins *bins, struct apsp_bins *others);

void apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out);

#endif
