/*
 * GET /v1/graphs/{graph}/stats?profile=&bins=&vertices=1&sort=&limit=:
 * statistics of distances, of the whole graph or of each vertex. A mean
 * distance is a mean over the pairs that have a path; unreachable_pairs is the
 * number of the other pairs. If the profile has widest paths, the statistics
 * are about widths instead of distances.
 */
#include <math.h>
#include <stdlib.h>

#include "api/encode/json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/reading.h"
#include "api/statistics/histograms.h"
#include "api/statistics/vertex_stats.h"
#include "daemon/base/auto.h"
#include "storage/tables/table_stats.h"

enum {
	BINS_DEFAULT = 100,
	/*
	 * The statistics of a graph of at most this many vertices are read in
	 * less than a millisecond.
	 */
	SMALL = 4096,
};

static double sum_of(
	const struct apsp_table_stats *stats, enum apsp_vertex_stat stat)
{
	double sum = 0;

	for (uint64_t v = 0; v < stats->n_vertices; v++)
		sum += apsp_table_stats_get(stats, stat, v);
	return sum;
}

static int larger_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x < y) - (x > y);
}

/*
 * Returns an object with the number of components, the size of the largest
 * component, and a list of pairs [size, number of components of this size], in
 * descending order of size.
 */
static json_t *components_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, enum apsp_vertex_stat stat)
{
	APSP_AUTO(apsp_free) uint32_t *sizes = NULL;
	uint64_t n = stats->n_vertices, count = 0;
	json_t *list;

	sizes = calloc(n + 1, sizeof(*sizes));
	if (!sizes)
		return NULL;
	for (uint64_t v = 0; v < n; v++)
		if (!apsp_reading_leaves_out(reading, (uint32_t)v))
			sizes[(uint64_t)apsp_table_stats_get(stats, stat, v)]++;
	qsort(sizes, n, sizeof(*sizes), larger_first);
	while (count < n && sizes[count] > 0)
		count++;
	list = json_array();
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
 * Returns an object with the mean and the maximum of betweenness over all
 * vertices, and the vertex with the maximum. Returns JSON null if the profile
 * does not ask for betweenness. NULL: no memory.
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
	while (apsp_reading_leaves_out(reading, most))
		most++;
	for (uint32_t v = most; v < stats->n_vertices; v++) {
		if (apsp_reading_leaves_out(reading, v))
			continue;
		sum += values[v];
		most = values[v] > values[most] ? v : most;
	}
	return json_pack("{s:o, s:o, s:s}", "mean",
		apsp_json_number(sum / (double)apsp_reading_n_present(reading)),
		"max", apsp_json_number(values[most]), "max_vertex",
		apsp_labels_get(reading->generation->labels, most, NULL));
}

static json_t *distances_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint64_t n_bins, double pairs,
	double reachable)
{
	double radius = NAN, diameter = NAN;

	for (uint64_t v = 0; v < stats->n_vertices; v++) {
		double far =
			apsp_table_stats_get(stats, APSP_STAT_FARTHEST_OUT, v);

		radius = fmin(radius, far);
		diameter = fmax(diameter, far);
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"characteristic_path_length",
		apsp_json_number(apsp_table_stats_ratio(
			sum_of(stats, APSP_STAT_DISTANCE_OUT), reachable)),
		"global_efficiency",
		apsp_json_number(apsp_table_stats_ratio(
			sum_of(stats, APSP_STAT_HARMONIC_OUT), pairs)),
		"radius", apsp_json_number(radius), "diameter",
		apsp_json_number(diameter), "distance_histogram",
		apsp_histogram_json(&stats->distances, n_bins), "hop_histogram",
		apsp_histogram_json(&stats->hops, n_bins), "betweenness",
		betweenness_json(reading, stats));
}

static int stats_reply(struct apsp_request *req,
	const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint64_t n_bins,
	struct apsp_err *err)
{
	double n = (double)apsp_reading_n_present(reading), pairs = n * (n - 1);
	double reachable = sum_of(stats, APSP_STAT_REACHES);
	uint32_t left_out = apsp_reading_n_left_out(reading);
	json_t *members, *more = NULL;
	int r;

	if (apsp_reading_is_widest(reading)) {
		r = apsp_width_stats_json(
			reading->tables, stats, n_bins, &more, err);
		if (r < 0)
			return r;
	} else {
		more = distances_json(reading, stats, n_bins, pairs, reachable);
	}
	/* these members are the same for distances and for widths */
	members = json_pack("{s:I, s:o*, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
		"vertices", (json_int_t)n, "left_out",
		left_out > 0 ? json_integer(left_out) : NULL, "arcs",
		(json_int_t)reading->tables->header.n_arcs, "pairs",
		apsp_json_number(pairs), "reachable_pairs",
		apsp_json_number(reachable), "unreachable_pairs",
		apsp_json_number(pairs - reachable), "reachable_fraction",
		apsp_json_number(apsp_table_stats_ratio(reachable, pairs)),
		"strong_components",
		components_json(reading, stats, APSP_STAT_STRONG),
		"weak_components",
		components_json(reading, stats, APSP_STAT_WEAK));
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_reading_answer(reading, apsp_json_join(members, more)),
		err);
}

/* Refuse options of the query that contradict each other. */
static int options_check(
	const struct apsp_request *req, bool are_rows, struct apsp_err *err)
{
	bool ordered =
		apsp_query_get(req, "sort") || apsp_query_get(req, "limit");

	if (are_rows && apsp_query_get(req, "bins"))
		return apsp_fail(err, APSP_EMALFORMED,
			"bins cuts the histograms of the whole graph; "
			"vertices=1, CSV and .npy have a row for each vertex");
	if (ordered && !are_rows)
		return apsp_fail(err, APSP_EMALFORMED,
			"sort and limit are about rows of vertices; add "
			"vertices=1");
	if (ordered && req->format == APSP_REPLY_NPY)
		return apsp_fail(err, APSP_EMALFORMED,
			"rows of .npy have no names, so they are all there, in "
			"index order; ask for CSV or JSON");
	return 0;
}

int apsp_api_get_stats(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	APSP_AUTO(apsp_table_stats_done) struct apsp_table_stats stats = {0};
	bool is_json =
		req->format != APSP_REPLY_CSV && req->format != APSP_REPLY_NPY;
	uint64_t n_bins, vertices;
	bool are_rows;
	int r;

	r = apsp_query_uint(req, "bins", 1, APSP_HISTOGRAM_BINS, BINS_DEFAULT,
		&n_bins, err);
	if (r == 0)
		r = apsp_query_uint(req, "vertices", 0, 1, 0, &vertices, err);
	are_rows = r == 0 && (vertices || !is_json);
	if (r == 0)
		r = options_check(req, are_rows, err);
	if (r == 0)
		r = apsp_reading_open(req, &reading, err);
	if (r == 0)
		r = apsp_reading_all_pairs(
			&reading, "a statistic of the graph", err);
	if (r == 0 && reading.generation->n_vertices > SMALL)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reading_etag(req, &reading, are_rows, err);
	if (r == 0 && are_rows)
		return apsp_vertex_stats_reply(req, &reading, err);
	if (r == 0)
		r = apsp_table_stats_load(reading.tables, &stats, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return stats_reply(req, &reading, &stats, n_bins, err);
}
