/*
 * Statistics as JSON; see stats_json.h.
 */
#include "api/statistics/stats_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/label_text.h"
#include "daemon/base/auto.h"

static double get(const struct apsp_table_stats *stats,
	enum apsp_vertex_stat stat, uint64_t v)
{
	return apsp_table_stats_get(stats, stat, v);
}

static double sum_of(
	const struct apsp_table_stats *stats, enum apsp_vertex_stat stat)
{
	double sum = 0;

	for (uint64_t v = 0; v < stats->n_vertices; v++)
		sum += get(stats, stat, v);
	return sum;
}

/*
 * a / b. NaN, which becomes null in JSON, if b is 0, or if a is infinite
 * because it sums 1/d with a distance of 0.
 */
static double share(double a, double b)
{
	return b > 0 && isfinite(a) ? a / b : (double)NAN;
}

/* Store the least and the largest eccentricity. */
static void radius_find(
	const struct apsp_table_stats *stats, double *radius, double *diameter)
{
	*radius = *diameter = NAN;
	for (uint64_t v = 0; v < stats->n_vertices; v++) {
		double far = get(stats, APSP_STAT_FARTHEST_OUT, v);

		*radius = fmin(*radius, far);
		*diameter = fmax(*diameter, far);
	}
}

/* Store the range of bins, [*first, *end), outside which all counts are 0. */
static void bins_trim(
	const struct apsp_histogram *h, int64_t *first, int64_t *end)
{
	*first = APSP_HISTOGRAM_BINS;
	*end = 0;
	for (int64_t b = 0; b < APSP_HISTOGRAM_BINS; b++)
		if (h->counts[b] > 0) {
			*first = b < *first ? b : *first;
			*end = b + 1;
		}
	*first = *first < *end ? *first : *end;
}

/*
 * The number of bin b once 2^shift bins, counted from distance 0, are joined.
 */
static int64_t bin_of(const struct apsp_histogram *h, int64_t b, int shift)
{
	return (b + h->first) >> shift;
}

/*
 * All counts in one bin. Bins of 2^shift widths cannot be, because one on both
 * sides of 0 is none of them.
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

static json_t *histogram_json(const struct apsp_histogram *h, uint64_t n_bins)
{
	uint64_t counts[APSP_HISTOGRAM_BINS] = {0};
	int64_t first, end, low;
	json_t *list;
	int shift = 0;

	bins_trim(h, &first, &end);
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

static int larger_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

/*
 * The number of components, the size of the largest, and pairs [size, number of
 * components of this size], largest size first.
 */
static json_t *components_json(
	const struct apsp_table_stats *stats, enum apsp_vertex_stat stat)
{
	APSP_AUTO(apsp_free) void *memory = NULL;
	uint64_t n = stats->n_vertices, count = 0;
	json_t *list = json_array();
	uint32_t *sizes;

	memory = calloc(n + 1, sizeof(*sizes));
	if (!memory) {
		json_decref(list);
		return NULL;
	}
	sizes = memory;
	for (uint64_t v = 0; v < n; v++)
		sizes[(uint64_t)get(stats, stat, v)]++;
	qsort(sizes, n, sizeof(*sizes), larger_first);
	while (count < n && sizes[count] > 0)
		count++;
	for (uint64_t c = 0, next; c < count; c = next) {
		for (next = c; next < count && sizes[next] == sizes[c]; next++)
			;
		json_array_append_new(
			list, json_pack("[I, I]", (json_int_t)sizes[c],
				      (json_int_t)(next - c)));
	}
	return json_pack("{s:I, s:I, s:o}", "count", (json_int_t)count,
		"largest", (json_int_t)(count > 0 ? sizes[0] : 0), "sizes",
		list);
}

/*
 * The mean over all vertices, and the vertex with the highest value; JSON null
 * if the profile does not ask for betweenness. NULL: no memory.
 */
static json_t *betweenness_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats)
{
	const double *values = stats->betweenness;
	double sum = 0;
	uint32_t most = 0;

	if (!values)
		return json_null();
	if (isnan(values[0]))
		return json_pack("{s:n, s:n, s:n, s:s}", "mean", "max",
			"max_vertex", "undefined",
			"shortest paths cannot be counted where a length is "
			"negative or a cycle has length 0");
	for (uint32_t v = 0; v < stats->n_vertices; v++) {
		sum += values[v];
		most = values[v] > values[most] ? v : most;
	}
	return json_pack("{s:o, s:o, s:s}", "mean",
		apsp_json_number(sum / (double)stats->n_vertices), "max",
		apsp_json_number(values[most]), "max_vertex",
		apsp_labels_get(reading->generation->labels, most, NULL));
}

json_t *apsp_stats_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint64_t n_bins)
{
	double n = (double)stats->n_vertices, pairs = n * (n - 1);
	double reachable = sum_of(stats, APSP_STAT_REACHES);
	double radius, diameter;

	radius_find(stats, &radius, &diameter);
	return json_pack("{s:s, s:s, s:s?, s:I, s:I, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o, s:o,"
			 " s:o, s:o, s:o, s:o, s:o}",
		"revision", reading->generation->revision, "profile",
		reading->profile->name, "transform", reading->transform,
		"vertices", (json_int_t)stats->n_vertices, "arcs",
		(json_int_t)apsp_tables_header(reading->tables)->n_arcs,
		"pairs", apsp_json_number(pairs), "reachable_pairs",
		apsp_json_number(reachable), "unreachable_pairs",
		apsp_json_number(pairs - reachable), "reachable_fraction",
		apsp_json_number(share(reachable, pairs)),
		"characteristic_path_length",
		apsp_json_number(share(
			sum_of(stats, APSP_STAT_DISTANCE_OUT), reachable)),
		"global_efficiency",
		apsp_json_number(
			share(sum_of(stats, APSP_STAT_HARMONIC_OUT), pairs)),
		"radius", apsp_json_number(radius), "diameter",
		apsp_json_number(diameter), "strong_components",
		components_json(stats, APSP_STAT_STRONG), "weak_components",
		components_json(stats, APSP_STAT_WEAK), "distance_histogram",
		histogram_json(&stats->distances, n_bins), "hop_histogram",
		histogram_json(&stats->hops, n_bins), "betweenness",
		betweenness_json(reading, stats));
}

/* Positions in apsp_stats_columns. */
enum {
	STRONG = 8,
	WEAK = 9,
	BETWEENNESS = 10,
	BETWEENNESS_SHARE = 11,
};

size_t apsp_stats_n_columns(const struct apsp_table_stats *stats)
{
	return stats->betweenness ? APSP_STATS_COLUMNS : BETWEENNESS;
}

const char *const apsp_stats_columns[APSP_STATS_COLUMNS] = {"reaches",
	"reached_by", "eccentricity_out", "eccentricity_in", "closeness_out",
	"closeness_in", "efficiency_out",
	"efficiency_in", [STRONG] = "strong_component",
	[WEAK] = "weak_component", [BETWEENNESS] = "betweenness",
	[BETWEENNESS_SHARE] = "betweenness_normalized"};

void apsp_stats_values(const struct apsp_table_stats *stats, uint32_t v,
	double out[APSP_STATS_COLUMNS])
{
	double others = (double)stats->n_vertices - 1;
	double reaches = get(stats, APSP_STAT_REACHES, v);
	double reached_by = get(stats, APSP_STAT_REACHED_BY, v);
	double between = stats->betweenness ? stats->betweenness[v] : NAN;
	const double values[APSP_STATS_COLUMNS] = {reaches, reached_by,
		get(stats, APSP_STAT_FARTHEST_OUT, v),
		get(stats, APSP_STAT_FARTHEST_IN, v),
		share(reaches, get(stats, APSP_STAT_DISTANCE_OUT, v)),
		share(reached_by, get(stats, APSP_STAT_DISTANCE_IN, v)),
		share(get(stats, APSP_STAT_HARMONIC_OUT, v), others),
		share(get(stats, APSP_STAT_HARMONIC_IN, v), others),
		[STRONG] = get(stats, APSP_STAT_STRONG, v),
		[WEAK] = get(stats, APSP_STAT_WEAK, v), [BETWEENNESS] = between,
		/* divided by the number of pairs of other vertices */
		[BETWEENNESS_SHARE] = share(between, others * (others - 1))};

	memcpy(out, values, apsp_stats_n_columns(stats) * sizeof(*values));
}

bool apsp_stats_column_is_vertex(size_t column)
{
	return column == STRONG || column == WEAK;
}

void apsp_stats_vertex_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint32_t v)
{
	const struct apsp_labels *labels = reading->generation->labels;
	double values[APSP_STATS_COLUMNS];

	apsp_stats_values(stats, v, values);
	apsp_json_object(w);
	apsp_label_member(w, "vertex", labels, v);
	for (size_t c = 0; c < apsp_stats_n_columns(stats); c++)
		if (apsp_stats_column_is_vertex(c))
			apsp_label_member(w, apsp_stats_columns[c], labels,
				(uint32_t)values[c]);
		else
			apsp_json_real_member(
				w, apsp_stats_columns[c], values[c]);
	apsp_json_object_end(w);
}
