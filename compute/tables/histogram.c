/*
 * Bins that widen; see histogram.h.
 */
#include "compute/tables/histogram.h"

#include <math.h>
#include <string.h>

enum {
	BINS = APSP_HISTOGRAM_BINS,
	TOGETHER = 256, /* numbers whose bins are found side by side */
};

void apsp_bins_init(struct apsp_bins *bins, double width, bool below)
{
	memset(bins, 0, sizeof(*bins));
	bins->width = width;
	bins->first = below ? -BINS / 2 : 0;
}

/* Bins k and k + 1, with k even, become one. */
static void widen(struct apsp_bins *bins)
{
	for (int turn = 0; turn < 2; turn++) {
		uint64_t *counts = bins->counts[turn], wide[BINS] = {0};

		for (int64_t b = 0; b < BINS; b++) {
			int64_t k = b + bins->first;
			int64_t half = (k - (k & 1)) / 2;

			wide[half - bins->first] += counts[b];
		}
		memcpy(counts, wide, sizeof(wide));
	}
	bins->width *= 2;
}

static bool has_bin(const struct apsp_bins *bins, double value)
{
	double bin = floor(value / bins->width) - (double)bins->first;

	return bin >= 0 && bin < BINS;
}

void apsp_bins_fit(struct apsp_bins *bins, double least, double most)
{
	while (!has_bin(bins, least) || !has_bin(bins, most))
		widen(bins);
}

void apsp_bins_add(struct apsp_bins *bins, const double *values, size_t n)
{
	double per_width = 1 / bins->width, first = (double)bins->first;
	int32_t at[TOGETHER];

	for (size_t done = 0; done < n; done += TOGETHER) {
		size_t step = n - done < TOGETHER ? n - done : TOGETHER;

		for (size_t c = 0; c < step; c++) {
			double bin = values[done + c] * per_width;

			if (bins->first < 0)
				bin = floor(bin) - first;
			at[c] = (int32_t)(bin < BINS ? bin : BINS);
		}
		for (size_t c = 0; c < step; c++)
			bins->counts[c & 1][at[c]]++;
	}
}

void apsp_bins_merge(struct apsp_bins *bins, struct apsp_bins *others)
{
	while (bins->width < others->width)
		widen(bins);
	while (others->width < bins->width)
		widen(others);
	for (int turn = 0; turn < 2; turn++)
		for (size_t b = 0; b < BINS; b++)
			bins->counts[turn][b] += others->counts[turn][b];
}

void apsp_bins_store(const struct apsp_bins *bins, struct apsp_histogram *out)
{
	out->width = bins->width;
	out->first = bins->first;
	for (size_t b = 0; b < BINS; b++)
		out->counts[b] = bins->counts[0][b] + bins->counts[1][b];
}
