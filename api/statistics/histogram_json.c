/* A histogram as JSON; see histogram_json.h. */
#include "api/statistics/histogram_json.h"

#include <math.h>

#include "api/encode/json.h"

/*
 * The index of the joined bin that contains bin b. 2^shift neighbouring bins
 * are joined into one. Distance 0 is a boundary between joined bins.
 */
static int64_t bin_of(const struct apsp_histogram *h, int64_t b, int shift)
{
	return (b + h->first) >> shift;
}

/*
 * Join all bins into one bin. This is used if there are bins on both sides of
 * 0, because bin_of() never joins a bin below 0 with a bin above 0.
 */
static json_t *one_bin_json(
	const struct apsp_histogram *h, int64_t first, int64_t end)
{
	uint64_t count = 0;

	for (int64_t b = first; b < end; b++)
		count += h->counts[b];
	return json_pack("{s:o, s:o, s:[I]}", "from",
		apsp_json_number((double)(first + h->first) * h->width),
		"width", apsp_json_number((double)(end - first) * h->width),
		"counts", (json_int_t)count);
}

json_t *apsp_histogram_json(const struct apsp_histogram *h, uint64_t n_bins)
{
	uint64_t counts[APSP_HISTOGRAM_BINS] = {0};
	int64_t first = APSP_HISTOGRAM_BINS, end = 0, low;
	json_t *list;
	int shift = 0;

	/* all counts outside [first, end) are 0 */
	for (int64_t b = 0; b < APSP_HISTOGRAM_BINS; b++)
		if (h->counts[b] > 0) {
			first = b < first ? b : first;
			end = b + 1;
		}
	first = first < end ? first : end;
	if (n_bins == 1 && first + h->first < 0 && end + h->first > 0)
		return one_bin_json(h, first, end);
	list = json_array();
	while (end > first &&
		bin_of(h, end - 1, shift) - bin_of(h, first, shift) >=
			(int64_t)n_bins)
		shift++;
	low = bin_of(h, first, shift);
	for (int64_t b = first; b < end; b++)
		counts[bin_of(h, b, shift) - low] += h->counts[b];
	for (int64_t k = 0; end > first && k <= bin_of(h, end - 1, shift) - low;
		k++)
		json_array_append_new(
			list, json_integer((json_int_t)counts[k]));
	return json_pack("{s:o, s:o, s:o}", "from",
		apsp_json_number((double)low * ldexp(h->width, shift)), "width",
		apsp_json_number(ldexp(h->width, shift)), "counts", list);
}
