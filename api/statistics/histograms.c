/* Histograms as JSON; see histograms.h. */
#include "api/statistics/histograms.h"

#include <math.h>

/* Returns the highest rank of a width that bin b of the histogram counts. The
   rank is the index, counted from 1, in the descending list of all widths. */
static uint64_t last_rank(
	const struct apsp_histogram *h, int64_t b, uint64_t n_widths)
{
	double end = (double)(h->first + b + 1) * h->width - 1;

	return end < (double)n_widths ? (uint64_t)end : n_widths;
}

/* Returns the highest rank of any pair. The pair with this rank has the least
   width. 0: no pair has a path. */
static uint64_t narrowest_rank(
	const struct apsp_table_stats *stats, uint64_t n_widths)
{
	double rank = 0;

	for (uint64_t v = 0; v < stats->n_vertices; v++)
		rank = fmax(rank,
			apsp_table_stats_get(stats, APSP_STAT_FARTHEST_OUT, v));
	return rank < (double)n_widths ? (uint64_t)rank : n_widths;
}

/*
 * Make a list of widths (thresholds) in ascending order, and a list with the
 * number of pairs that are at least as wide as each threshold. Neighbouring
 * bins are joined until at most n_bins are left, so some thresholds are left
 * out; the numbers of pairs at the others stay exact.
 */
static json_t *thresholds_json(const struct apsp_histogram *h,
	const double *widths, uint64_t n_widths, uint64_t narrowest,
	uint64_t n_bins)
{
	json_t *thresholds = json_array(), *pairs = json_array();
	int64_t n = 0, step;
	uint64_t count = 0;

	while (n < APSP_HISTOGRAM_BINS && narrowest > 0 &&
		(n == 0 || last_rank(h, n - 1, n_widths) < narrowest))
		n++;
	step = (n + (int64_t)n_bins - 1) / (int64_t)n_bins;
	for (int64_t b = 0; b < n; b++) {
		uint64_t rank =
			b == n - 1 ? narrowest : last_rank(h, b, n_widths);

		count += h->counts[b];
		/* of `step` neighbouring bins, only the last one gives a
		   threshold. The last of all bins gives a threshold, too: it is
		   the lowest one, and counts all pairs that have a path */
		if ((n - 1 - b) % step != 0 || rank == 0)
			continue;
		json_array_insert_new(
			thresholds, 0, apsp_json_number(widths[rank - 1]));
		json_array_insert_new(
			pairs, 0, json_integer((json_int_t)count));
	}
	return json_pack("{s:o, s:o}", "widths", thresholds, "pairs", pairs);
}

int apsp_width_stats_json(struct apsp_tables *tables,
	const struct apsp_table_stats *stats, uint64_t n_bins, json_t **out,
	struct apsp_err *err)
{
	uint64_t n_widths = apsp_table_n_widths(&tables->header);
	uint64_t narrowest = narrowest_rank(stats, n_widths);
	const void *section = NULL;
	const double *widths;
	json_t *stats_json;
	int r = apsp_table_bytes_section(
		tables, APSP_SECTION_WIDTHS, &section, err);

	if (r < 0)
		return r;
	widths = section;
	stats_json = json_pack("{s:o, s:o, s:o}", "widest",
		apsp_json_number(narrowest ? widths[0] : (double)NAN),
		"narrowest",
		apsp_json_number(
			narrowest ? widths[narrowest - 1] : (double)NAN),
		"width_histogram",
		thresholds_json(&stats->distances, widths, n_widths, narrowest,
			n_bins));
	r = apsp_tables_trust(tables, err);
	if (r < 0)
		json_decref(stats_json);
	else
		*out = stats_json;
	return r;
}

/*
 * Returns the index of the joined bin that contains bin b. Each joined bin
 * consists of 2^shift neighbouring bins. The value 0 is always a boundary
 * between joined bins.
 */
static int64_t bin_of(const struct apsp_histogram *h, int64_t b, int shift)
{
	return (b + h->first) >> shift;
}

/*
 * Join all bins into one bin. If there are bins on both sides of 0, bin_of()
 * cannot do this, because it never joins a bin below 0 with a bin above 0.
 */
static json_t *one_bin_json(
	const struct apsp_histogram *h, int64_t first, int64_t end)
{
	uint64_t count = 0;
	int shift = 0;

	while (INT64_C(1) << shift < end - first)
		shift++;
	for (int64_t b = first; b < end; b++)
		count += h->counts[b];
	return json_pack("{s:o, s:o, s:[I]}", "from",
		apsp_json_number((double)(first + h->first) * h->width),
		"width", apsp_json_number(ldexp(h->width, shift)), "counts",
		(json_int_t)count);
}

json_t *apsp_histogram_json(const struct apsp_histogram *h, uint64_t n_bins)
{
	uint64_t counts[APSP_HISTOGRAM_BINS] = {0};
	int64_t first = APSP_HISTOGRAM_BINS, end = 0, low;
	json_t *list;
	int shift = 0;

	/* find `first` and `end`, so that all counts outside [first, end) are
	   0 */
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
		apsp_json_number(ldexp((double)low * h->width, shift)), "width",
		apsp_json_number(ldexp(h->width, shift)), "counts", list);
}
