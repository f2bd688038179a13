/*
 * Counts numbers in bins. The width of the bins doubles when a number does not
 * fit; see histogram.h.
 */
#include "compute/statistics/histogram.h"

#include <math.h>
#include <string.h>

#include "compute/wide.h"

enum {
	BINS = APSP_HISTOGRAM_BINS,
	TOGETHER = APSP_BINS_TOGETHER,
	/* number of bits of each code in a group of four codes (struct
	   apsp_bins) */
	FOUR_BITS = 3,
	PAIR_BITS = 6, /* number of bits of each code in a group of two codes
			  (struct apsp_bins) */
	/* When bins are joined to wider bins, the number of a bin (counted from
	   the value 0) is shifted right. A shift by this number of bits or more
	   gives 0 (-1 for a negative number), because 2^SHIFT_MOST is more than
	   BINS. */
	SHIFT_MOST = 60,
};

/* Upper limit of bins->waiting, the number of values that were counted only in
   counters of 32 bits. With more values, a counter could overflow. */
#define WAITING_MOST UINT32_MAX

static void ends_set(struct apsp_bins *bins)
{
	bins->least = (double)bins->first * bins->width;
	bins->end = (double)(bins->first + BINS) * bins->width;
}

void apsp_bins_init(struct apsp_bins *bins, double width, bool below)
{
	memset(bins, 0, sizeof(*bins));
	bins->width = width;
	bins->first = below ? -BINS / 2 : 0;
	ends_set(bins);
}

/* A code is 1 + the index of a bin (struct apsp_bins). Codes were counted in
   groups of `size` codes: groups[g] is the count of group g. The number g holds
   the group's codes side by side, with `bits` bits for each code. Add groups[g]
   to by_code[c] for each code c of the group, and set groups[g] to 0. */
static void groups_settle(
	uint64_t *by_code, uint32_t *groups, int size, int bits)
{
	for (uint32_t g = 0; g < APSP_BINS_GROUPS; g++) {
		for (int k = 0; groups[g] > 0 && k < size; k++)
			by_code[g >> k * bits & ((1u << bits) - 1)] +=
				groups[g];
		groups[g] = 0;
	}
}

/* Add the counts that wait in the arrays `fours`, `pairs` and `singles` to
   bins->counts. */
static void settle(struct apsp_bins *bins)
{
	uint64_t by_code[BINS + 1] = {0};

	if (bins->waiting == 0)
		return;
	groups_settle(by_code, bins->fours, 4, FOUR_BITS);
	groups_settle(by_code, bins->pairs, 2, PAIR_BITS);
	for (int b = 0; b < BINS; b++)
		bins->counts[b] += by_code[b + 1] + bins->singles[0][b + 1] +
				   bins->singles[1][b + 1];
	memset(bins->singles, 0, sizeof(bins->singles));
	bins->waiting = 0;
}

/* Double the width of the bins by joining pairs of neighbouring bins. */
static void widen(struct apsp_bins *bins)
{
	uint64_t wide[BINS] = {0};

	settle(bins);
	for (int64_t b = 0; b < BINS; b++) {
		int64_t k = b + bins->first;
		int64_t half = (k - (k & 1)) / 2;

		wide[half - bins->first] += bins->counts[b];
	}
	memcpy(bins->counts, wide, sizeof(wide));
	bins->width *= 2;
	ends_set(bins);
}

void apsp_bins_fit(struct apsp_bins *bins, double least, double most)
{
	while (least < bins->least || most >= bins->end)
		widen(bins);
}

/* Pack codes (struct apsp_bins) into groups. A group is one number, which holds
   `size` codes side by side, with `bits` bits for each code. */
static APSP_INLINE void codes_group(
	const uint16_t *codes, int size, int bits, uint16_t *out)
{
	int n = TOGETHER / size;

	for (int c = 0; c < n; c++) {
		unsigned int group = 0;

		for (int k = 0; k < size; k++)
			group |= (unsigned int)codes[k * n + c] << k * bits;
		out[c] = (uint16_t)group;
	}
}

APSP_WIDE void apsp_bins_count(
	struct apsp_bins *bins, const uint16_t codes[TOGETHER], uint32_t most)
{
	uint16_t groups[TOGETHER / 2];

	if (bins->waiting > WAITING_MOST - TOGETHER)
		settle(bins);
	bins->waiting += TOGETHER;
	if (most < 1 << FOUR_BITS) {
		codes_group(codes, 4, FOUR_BITS, groups);
		for (int c = 0; c < TOGETHER / 4; c++)
			bins->fours[groups[c]]++;
	} else if (most < 1 << PAIR_BITS) {
		codes_group(codes, 2, PAIR_BITS, groups);
		for (int c = 0; c < TOGETHER / 2; c++)
			bins->pairs[groups[c]]++;
	} else {
		for (int c = 0; c < TOGETHER; c += 2) {
			bins->singles[0][codes[c]]++;
			bins->singles[1][codes[c + 1]]++;
		}
	}
}

void apsp_bins_add(struct apsp_bins *bins, const double *values, size_t n)
{
	double per_width = 1 / bins->width, first = (double)bins->first;
	uint16_t codes[TOGETHER];

	for (size_t done = 0; done < n; done += TOGETHER) {
		uint32_t most = 0;

		for (size_t c = 0; c < TOGETHER; c++) {
			uint32_t code = 0;

			if (done + c < n && values[done + c] < INFINITY) {
				double v = values[done + c];
				double k = floor(v * per_width);

				/* if v is negative and the product underflows
				   to -0, v belongs to the last bin below 0 */
				if (k == 0 && v < 0)
					k = -1;
				code = 1 + (uint32_t)(k - first);
			}
			codes[c] = (uint16_t)code;
			most = code > most ? code : most;
		}
		apsp_bins_count(bins, codes, most);
	}
}

void apsp_bins_add_histogram(
	struct apsp_bins *bins, const struct apsp_histogram *from)
{
	double per_width;
	int shift;

	while (bins->width < from->width)
		widen(bins);
	shift = ilogb(bins->width) - ilogb(from->width);
	/* the factor per_width shifts the number of a bin right; a larger shift
	   than SHIFT_MOST would give the same k, 0 or -1 */
	per_width = ldexp(1, shift < SHIFT_MOST ? -shift : -SHIFT_MOST);
	for (int64_t b = 0; b < BINS; b++) {
		double k = floor((double)(b + from->first) * per_width);

		bins->counts[(int64_t)k - bins->first] += from->counts[b];
	}
}

void apsp_bins_merge(struct apsp_bins *bins, struct apsp_bins *others)
{
	struct apsp_histogram from;

	apsp_bins_store(others, &from);
	apsp_bins_add_histogram(bins, &from);
	memset(others->counts, 0, sizeof(others->counts));
}

void apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out)
{
	settle(bins);
	out->width = bins->width;
	out->first = bins->first;
	memcpy(out->counts, bins->counts, sizeof(out->counts));
}
