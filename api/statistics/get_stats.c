/*
 * GET /v1/graphs/{graph}/stats?profile=&bins=&vertices=1&sort=&limit=:
 * statistics of distances, of the whole graph or of each vertex. A mean
 * distance is a mean over the pairs that have a path; unreachable_pairs is the
 * number of the other pairs. If the profile has widest paths, the statistics
 * are about widths instead of distances.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/attribute_row.h"
#include "api/encode/cells.h"
#include "api/encode/json.h"
#include "api/encode/npy_header.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/reading.h"
#include "api/statistics/histograms.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "storage/attributes/attributes.h"
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
		if (!apsp_reading_leaves_out(reading, (uint32_t)v))
			sizes[(uint64_t)apsp_table_stats_get(stats, stat, v)]++;
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
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"characteristic_path_length",
		apsp_json_number(apsp_table_stats_ratio(
			sum_of(stats, APSP_STAT_DISTANCE_OUT), reachable)),
		"global_efficiency",
		apsp_json_number(apsp_table_stats_ratio(
			sum_of(stats, APSP_STAT_HARMONIC_OUT), pairs)),
		"radius", apsp_json_number(radius), "diameter",
		apsp_json_number(diameter), "strong_components",
		components_json(reading, stats, APSP_STAT_STRONG),
		"weak_components",
		components_json(reading, stats, APSP_STAT_WEAK),
		"distance_histogram",
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
		json_object_set_new(more, "strong_components",
			components_json(reading, stats, APSP_STAT_STRONG));
		json_object_set_new(more, "weak_components",
			components_json(reading, stats, APSP_STAT_WEAK));
	} else {
		more = distances_json(reading, stats, n_bins, pairs, reachable);
	}
	/* statistics of distances and statistics of widths have these
	   members */
	members = json_pack("{s:I, s:o*, s:I, s:o, s:o, s:o, s:o}", "vertices",
		(json_int_t)n, "left_out",
		left_out > 0 ? json_integer(left_out) : NULL, "arcs",
		(json_int_t)reading->tables->header.n_arcs, "pairs",
		apsp_json_number(pairs), "reachable_pairs",
		apsp_json_number(reachable), "unreachable_pairs",
		apsp_json_number(pairs - reachable), "reachable_fraction",
		apsp_json_number(apsp_table_stats_ratio(reachable, pairs)));
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_reading_answer(reading, apsp_json_join(members, more)),
		err);
}

/*
 * Columns of the row of a vertex. The last two columns exist only if the tables
 * have betweenness.
 */
enum {
	REACHES = 0,
	REACHED_BY = 1,
	STRONG = 8,
	WEAK = 9,
	BETWEENNESS = 10,
	BETWEENNESS_SHARE = 11,
	N_COLUMNS = 12,
};

/* The names of the columns. An attribute with one of these names gets a prefix
   (apsp_attribute_cells()). */
static const char *const own_names[N_COLUMNS + 2] = {[N_COLUMNS] = "vertex",
	[REACHES] = "reaches",
	[REACHED_BY] = "reached_by",
	"eccentricity_out",
	"eccentricity_in",
	"closeness_out",
	"closeness_in",
	"efficiency_out",
	"efficiency_in",
	[STRONG] = "strong_component",
	[WEAK] = "weak_component",
	[BETWEENNESS] = "betweenness",
	[BETWEENNESS_SHARE] = "betweenness_normalized"};

struct stats_rows {
	struct apsp_reading reading;
	struct apsp_table_stats stats;
	int columns[N_COLUMNS]; /* the columns that the answer has */
	size_t n_columns;
	bool is_npy;
	uint32_t next; /* number of rows that were written */
	uint32_t end;  /* number of rows of the answer */
	/* the vertices in the order of their rows; owned; NULL: the order of
	   their indices */
	struct ranked_vertex *order;
	struct apsp_share share; /* counts the memory of `order` */
};

/* A vertex, and the value by which the rows are sorted. */
struct ranked_vertex {
	double value; /* NAN: undefined */
	uint32_t v;
};

static void stats_rows_free(void *ctx)
{
	struct stats_rows *rows = ctx;

	if (!rows)
		return;
	free(rows->order);
	apsp_share_close(&rows->share);
	apsp_table_stats_done(&rows->stats);
	apsp_reading_done(&rows->reading);
	free(rows);
}

APSP_AUTO_DEFINE(stats_rows_end, struct stats_rows, stats_rows_free);

/*
 * Store the value of a vertex in each column. In a column about components, the
 * value is the least index of all vertices in this vertex's component. NaN
 * stands for an undefined value; all values of a vertex that the rule leaves
 * out are undefined.
 */
static void values_get(
	const struct stats_rows *rows, uint32_t v, double out[N_COLUMNS])
{
	const struct apsp_table_stats *stats = &rows->stats;
	double others = (double)apsp_reading_n_present(&rows->reading) - 1;
	double reaches = apsp_table_stats_get(stats, APSP_STAT_REACHES, v);
	double reached_by =
		apsp_table_stats_get(stats, APSP_STAT_REACHED_BY, v);
	double between = stats->betweenness ? stats->betweenness[v] : NAN;
	const double values[N_COLUMNS] = {reaches, reached_by,
		apsp_table_stats_get(stats, APSP_STAT_FARTHEST_OUT, v),
		apsp_table_stats_get(stats, APSP_STAT_FARTHEST_IN, v),
		apsp_table_stats_ratio(reaches,
			apsp_table_stats_get(stats, APSP_STAT_DISTANCE_OUT, v)),
		apsp_table_stats_ratio(reached_by,
			apsp_table_stats_get(stats, APSP_STAT_DISTANCE_IN, v)),
		apsp_table_stats_ratio(
			apsp_table_stats_get(stats, APSP_STAT_HARMONIC_OUT, v),
			others),
		apsp_table_stats_ratio(
			apsp_table_stats_get(stats, APSP_STAT_HARMONIC_IN, v),
			others),
		[STRONG] = apsp_table_stats_get(stats, APSP_STAT_STRONG, v),
		[WEAK] = apsp_table_stats_get(stats, APSP_STAT_WEAK, v),
		[BETWEENNESS] = between,
		/*
		 * the betweenness, divided by the number of ordered pairs of
		 * other vertices
		 */
		[BETWEENNESS_SHARE] =
			apsp_table_stats_ratio(between, others * (others - 1))};

	memcpy(out, values, sizeof(values));
	for (int c = 0;
		c < N_COLUMNS && apsp_reading_leaves_out(&rows->reading, v);
		c++)
		out[c] = NAN;
}

/* Append the row of a vertex. `values` has an element for each shown column. */
static void cells_write(const struct stats_rows *rows, uint32_t v,
	const double *values, struct apsp_cells *cells)
{
	const struct apsp_generation *generation = rows->reading.generation;

	apsp_cells_begin(cells);
	apsp_label_cell(cells, "vertex", generation->labels, v);
	for (size_t i = 0; i < rows->n_columns; i++) {
		int c = rows->columns[i];

		if ((c == STRONG || c == WEAK) && !isnan(values[i]))
			apsp_label_cell(cells, own_names[c], generation->labels,
				(uint32_t)values[i]);
		else
			apsp_cell_real(cells, own_names[c], values[i]);
	}
	apsp_attribute_cells(generation, v, "", own_names, cells);
	if (cells->form == APSP_CELLS_JSON && generation->attributes)
		apsp_attribute_object_write(generation, v, cells->json);
	apsp_cells_end(cells);
}

/* Append the head of a NumPy file, or the names of the columns of CSV. */
static void head_write(void *ctx, struct apsp_cells *names)
{
	const struct stats_rows *rows = ctx;
	const uint64_t shape[] = {rows->stats.n_vertices, rows->n_columns};
	char header[APSP_NPY_HEADER_SIZE];

	if (rows->is_npy) {
		apsp_npy_header_write('f', sizeof(double), shape, 2, header);
		apsp_text_append(names->csv.text, header, sizeof(header));
	} else {
		cells_write(rows, 0, (const double[N_COLUMNS]){0}, names);
	}
}

static int stats_rows_write(
	void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	struct stats_rows *rows = ctx;
	double all[N_COLUMNS], values[N_COLUMNS];
	uint32_t v = rows->next;

	(void)err;
	if (v == rows->end)
		return 0;
	if (rows->order)
		v = rows->order[v].v;
	rows->next++;
	values_get(rows, v, all);
	for (size_t i = 0; i < rows->n_columns; i++)
		values[i] = all[rows->columns[i]];
	if (rows->is_npy)
		apsp_text_append(cells->csv.text, values,
			rows->n_columns * sizeof(*values));
	else
		cells_write(rows, v, values, cells);
	return 1;
}

/* Compare two vertices: the greater value comes first, undefined values come
   last, and equal values are in the order of the vertices' indices. */
static int rank_compare(const void *left, const void *right)
{
	const struct ranked_vertex *a = left, *b = right;

	if (isnan(a->value) != isnan(b->value))
		return isnan(a->value) ? 1 : -1;
	if (a->value != b->value && !isnan(a->value))
		return a->value > b->value ? -1 : 1;
	return a->v < b->v ? -1 : 1;
}

/*
 * Find the column that ?sort= names. Components are not numbers, so rows cannot
 * be sorted by them. *out is -1 if the query has no ?sort=.
 */
static int sort_read(const struct apsp_request *req,
	const struct stats_rows *rows, int *out, struct apsp_err *err)
{
	const char *sort = apsp_query_get(req, "sort");
	char names[200] = "";
	size_t used = 0;

	*out = -1;
	for (size_t i = 0; sort && i < rows->n_columns; i++) {
		int c = rows->columns[i];

		if (c == STRONG || c == WEAK)
			continue;
		if (strcmp(own_names[c], sort) == 0)
			*out = c;
		used += (size_t)snprintf(names + used, sizeof(names) - used,
			"%s%s", used ? ", " : "", own_names[c]);
	}
	if (!sort || *out >= 0)
		return 0;
	return apsp_fail(err, APSP_EMALFORMED,
		"sort is '%.40s', expected one of %s%s", sort, names,
		rows->stats.betweenness ||
				apsp_reading_is_widest(&rows->reading)
			? ""
			: "; a profile with measures=betweenness has "
			  "betweenness, too");
}

/* Sort the rows as ?sort= says, and set rows->end to the number of rows. */
static int rows_sort(
	struct apsp_request *req, struct stats_rows *rows, struct apsp_err *err)
{
	uint32_t n = (uint32_t)rows->stats.n_vertices;
	double values[N_COLUMNS];
	uint64_t limit;
	int column, r;

	r = sort_read(req, rows, &column, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "limit", 1, UINT32_MAX, UINT32_MAX, &limit, err);
	if (r < 0)
		return r;
	rows->end = limit < n ? (uint32_t)limit : n;
	if (column < 0)
		return 0;
	r = apsp_request_share(req, &rows->share, err);
	if (r == 0)
		r = apsp_share_set(&rows->share, n * sizeof(*rows->order),
			"sorted rows", err);
	if (r < 0)
		return apsp_request_wait_memory(req, r);
	rows->order = malloc((size_t)n * sizeof(*rows->order) + 1);
	if (!rows->order)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	for (uint32_t v = 0; v < n; v++) {
		values_get(rows, v, values);
		rows->order[v] = (struct ranked_vertex){values[column], v};
	}
	qsort(rows->order, n, sizeof(*rows->order), rank_compare);
	return 0;
}

/* Reply with a row for each vertex. The reply owns ctx. */
static int rows_reply(
	struct apsp_request *req, struct stats_rows *ctx, struct apsp_err *err)
{
	struct apsp_rows rows = {
		.begin = head_write,
		.write = stats_rows_write,
		.done = stats_rows_free,
		.ctx = ctx,
	};

	if (req->format == APSP_REPLY_NPY) {
		rows.size = APSP_NPY_HEADER_SIZE + ctx->stats.n_vertices *
							   ctx->n_columns *
							   sizeof(double);
	} else if (req->format != APSP_REPLY_CSV) {
		rows.name = "vertices";
		rows.head = apsp_reading_answer(&ctx->reading, json_object());
	}
	return apsp_rows_reply(req, &rows, err);
}

/*
 * Reply with a row for each vertex, sorted by the column that ?sort= names.
 * Without ?sort=, the rows are in index order. ?limit= is the largest number of
 * rows. Takes ownership of the contents of *reading.
 */
static int vertices_reply(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err)
{
	APSP_AUTO(stats_rows_end) struct stats_rows *rows = NULL;
	int r;

	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows->reading = APSP_TAKE(*reading);
	rows->is_npy = req->format == APSP_REPLY_NPY;
	r = apsp_table_stats_load(rows->reading.tables, &rows->stats, err);
	if (r < 0)
		return r;
	/* widest paths have neither distances nor betweenness */
	for (int c = 0; c < N_COLUMNS; c++) {
		bool of_reach = c == REACHES || c == REACHED_BY ||
				c == STRONG || c == WEAK;

		if (apsp_reading_is_widest(&rows->reading)
				? of_reach
				: c < BETWEENNESS || rows->stats.betweenness)
			rows->columns[rows->n_columns++] = c;
	}
	r = rows_sort(req, rows, err);
	return r < 0 ? r : rows_reply(req, APSP_TAKE(rows), err);
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
		return vertices_reply(req, &reading, err);
	if (r == 0)
		r = apsp_table_stats_load(reading.tables, &stats, err);
	if (r != 0)
		return r < 0 ? r : 0;
	return stats_reply(req, &reading, &stats, n_bins, err);
}
