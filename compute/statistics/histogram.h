/*
 * A histogram of numbers. Their range is not known beforehand, so the bins are
 * narrow at first. When a number does not fit, the width of all bins doubles:
 * pairs of neighbouring bins are joined. So the final width depends only on the
 * smallest and the largest number, and the final counts are the same for any
 * order of the numbers and any number of threads.
 */
#ifndef APSP_COMPUTE_STATISTICS_HISTOGRAM_H
#define APSP_COMPUTE_STATISTICS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/job/stats_sections.h"

enum {
	/* how many numbers apsp_bins_count() counts in one call */
	APSP_BINS_TOGETHER = 256,
	/* number of different groups of codes (struct apsp_bins). A group
	   consists of four codes that are each less than 8, or of two codes
	   that are each less than 64; 8^4 and 64^2 are both 4096 */
	APSP_BINS_GROUPS = 4096,
};

/*
 * The bins of one thread. A code is 1 + the index of a bin, or 0 for a number
 * that is not counted. Counting is the slowest step, so small codes are counted
 * in groups of four or two. The codes of a group, packed side by side into one
 * number, are the index of the group's count. The number of bits of each code:
 *
 *	fours   3 bits of each code      pairs   6 bits of each code
 */
struct apsp_bins {
	double width;  /* width of each bin, a power of two */
	int64_t first; /* bin 0 begins at first · width */
	double least;  /* the beginning of bin 0 */
	double end;    /* the end of the last bin */
	uint64_t counts[APSP_HISTOGRAM_BINS];
	/* how many numbers were counted in `fours`, `pairs` or `singles`, but
	   not added to `counts` yet */
	uint64_t waiting;
	uint32_t fours[APSP_BINS_GROUPS];
	uint32_t pairs[APSP_BINS_GROUPS];
	/* Counts of the codes that are too large for groups. A code is 1 + the
	   index of a bin. The two arrays are used alternately, because a
	   processor can increase a count only after the previous increase of
	   the same count has ended. */
	uint32_t singles[2][APSP_HISTOGRAM_BINS + 1];
};

/* Make empty bins of the given width. `below` is true if numbers may be
   negative. */
void apsp_bins_init(struct apsp_bins *bins, double width, bool below);

/* Widen the bins until the numbers `least` and `most`, which must be finite,
   are both inside a bin. */
void apsp_bins_fit(struct apsp_bins *bins, double least, double most);

/* Count APSP_BINS_TOGETHER numbers in bins. `codes` has the code of each number
   (struct apsp_bins). No code is larger than `most`. */
void apsp_bins_count(struct apsp_bins *bins,
	const uint16_t codes[APSP_BINS_TOGETHER], uint32_t most);

/* Count n numbers; INFINITY is not counted. The caller has made the bins wide
   enough for all other numbers. */
void apsp_bins_add(struct apsp_bins *bins, const double *values, size_t n);

/*
 * Add the counts of a histogram to `bins`. The histogram must have been stored
 * by apsp_bins_store(), from bins that were initialised with the same arguments
 * as `bins`. The width and the counts of `bins` do not depend on the order in
 * which histograms and numbers are added.
 */
void apsp_bins_add_histogram(
	struct apsp_bins *bins, const struct apsp_histogram *from);

/* Move all counts from `others` to `bins`. Both must have been initialised with
   the same arguments. */
void apsp_bins_merge(struct apsp_bins *bins, struct apsp_bins *others);

void apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out);

#endif
