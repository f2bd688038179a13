/*
 * Writes the statistics of each vertex as rows; see vertex_stats.h.
 */
#include "api/statistics/vertex_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/attribute_row.h"
#include "api/encode/cells.h"
#include "api/encode/json.h"
#include "api/encode/npy_header.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/fixed_text.h"
#include "storage/attributes/attributes.h"
#include "storage/tables/table_stats.h"

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
 * Store the value of a vertex in each column. In the columns STRONG and WEAK,
 * the value identifies the vertex's component: it is the least index of all
 * vertices in this component. NaN stands for an undefined value; all values of
 * a vertex that the rule leaves out are undefined.
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

/* Append the row of a vertex. */
static void cells_write(const struct stats_rows *rows, uint32_t v,
	const double values[N_COLUMNS], struct apsp_cells *cells)
{
	const struct apsp_generation *generation = rows->reading.generation;

	apsp_cells_begin(cells);
	apsp_label_cell(cells, "vertex", generation->labels, v);
	for (size_t i = 0; i < rows->n_columns; i++) {
		int c = rows->columns[i];

		if ((c == STRONG || c == WEAK) && !isnan(values[c]))
			apsp_label_cell(cells, own_names[c], generation->labels,
				(uint32_t)values[c]);
		else
			apsp_cell_real(cells, own_names[c], values[c]);
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
	double values[N_COLUMNS];
	uint32_t v = rows->next;

	(void)err;
	if (v == rows->end)
		return 0;
	if (rows->order)
		v = rows->order[v].v;
	rows->next++;
	values_get(rows, v, values);
	for (size_t i = 0; rows->is_npy && i < rows->n_columns; i++)
		apsp_text_append(cells->csv.text, &values[rows->columns[i]],
			sizeof(*values));
	if (!rows->is_npy)
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
	const char *names[N_COLUMNS] = {NULL};
	char list[APSP_FIXED_LIST_SIZE];
	size_t n = 0;

	*out = -1;
	for (size_t i = 0; sort && i < rows->n_columns; i++) {
		int c = rows->columns[i];

		if (c == STRONG || c == WEAK)
			continue;
		if (strcmp(own_names[c], sort) == 0)
			*out = c;
		names[n++] = own_names[c];
	}
	if (!sort || *out >= 0)
		return 0;
	apsp_fixed_text_list(list, sizeof(list), names);
	return apsp_fail(err, APSP_EMALFORMED,
		"sort is '%.40s', expected one of %s%s", sort, list,
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

int apsp_vertex_stats_reply(struct apsp_request *req,
	struct apsp_reading *reading, struct apsp_err *err)
{
	APSP_AUTO(stats_rows_end) struct stats_rows *rows = NULL;
	struct apsp_rows stream = {
		.begin = head_write,
		.write = stats_rows_write,
		.done = stats_rows_free,
	};
	int r;

	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows->reading = APSP_TAKE(*reading);
	rows->is_npy = req->format == APSP_REPLY_NPY;
	r = apsp_table_stats_load(rows->reading.tables, &rows->stats, err);
	if (r < 0)
		return r;
	/* choose the columns of the answer. Widest paths have neither distances
	   nor betweenness */
	for (int c = 0; c < N_COLUMNS; c++) {
		bool of_reach = c == REACHES || c == REACHED_BY ||
				c == STRONG || c == WEAK;

		if (apsp_reading_is_widest(&rows->reading)
				? of_reach
				: c < BETWEENNESS || rows->stats.betweenness)
			rows->columns[rows->n_columns++] = c;
	}
	r = rows_sort(req, rows, err);
	if (r < 0)
		return r;
	if (rows->is_npy) {
		stream.size = APSP_NPY_HEADER_SIZE + rows->stats.n_vertices *
							     rows->n_columns *
							     sizeof(double);
	} else if (req->format != APSP_REPLY_CSV) {
		stream.name = "vertices";
		stream.head =
			apsp_reading_answer(&rows->reading, json_object());
	}
	stream.ctx = APSP_TAKE(rows);
	return apsp_rows_reply(req, &stream, err);
}
