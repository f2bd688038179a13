/* A histogram of differences; see difference_bins.h. */
#include "storage/tables/difference_bins.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
	BINS = APSP_HISTOGRAM_BINS,
	FIRST = -BINS / 2, /* number of the first bin. The bin with the number 0
			      begins at the difference 0 */
	/* No bin is narrower than 2 to this power, because 1 / width must be
	   finite. */
	LEAST_EXPONENT = -1000,
	/* The first width is about 2^-NARROWER of the first difference. It is
	   always too narrow, because 2^NARROWER is more than the number of
	   bins. */
	NARROWER = 16,
};

void apsp_difference_bins_init(struct apsp_difference_bins *bins, bool whole)
{
	memset(bins, 0, sizeof(*bins));
	bins->histogram.first = FIRST;
	bins->per_width = NAN;
	bins->least_width = whole ? 1 : ldexp(1, LEAST_EXPONENT);
}

/* Double the width of the bins by joining pairs of neighbouring bins. */
static void widen(struct apsp_difference_bins *bins)
{
	uint64_t wide[BINS] = {0};

	for (int64_t b = 0; b < BINS; b++) {
		int64_t k = b + FIRST;
		int64_t half = (k - (k & 1)) / 2;

		wide[half - FIRST] += bins->histogram.counts[b];
	}
	memcpy(bins->histogram.counts, wide, sizeof(wide));
	bins->histogram.width *= 2;
	bins->per_width /= 2;
}

void apsp_difference_bins_widen(
	struct apsp_difference_bins *bins, double difference)
{
	struct apsp_histogram *histogram = &bins->histogram;

	/* limit the difference to a finite number: the difference of two finite
	   numbers can overflow to infinity */
	difference = fmax(-DBL_MAX, fmin(DBL_MAX, difference));
	if (histogram->width == 0) {
		/* begin with bins that are too narrow for the difference; the
		   loop below widens them */
		histogram->width = fmax(bins->least_width,
			ldexp(1, ilogb(difference) - NARROWER));
		bins->per_width = 1 / histogram->width;
	}
	while (!(fabs(difference * bins->per_width) < BINS / 2))
		widen(bins);
	apsp_difference_bins_add(bins, difference);
}

void apsp_difference_bins_join(
	struct apsp_difference_bins *bins, struct apsp_difference_bins *other)
{
	if (other->histogram.width == 0)
		return;
	if (bins->histogram.width == 0) {
		*bins = *other;
		return;
	}
	while (bins->histogram.width < other->histogram.width)
		widen(bins);
	while (other->histogram.width < bins->histogram.width)
		widen(other);
	for (int b = 0; b < BINS; b++)
		bins->histogram.counts[b] += other->histogram.counts[b];
}
