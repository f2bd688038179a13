/*
 * POST /v1/graphs/{graph}/paths: the paths of many pairs in one request. The
 * body is parsed as it arrives. The thread pool writes rows when the client is
 * ready for them, so memory holds 8 bytes for each listed pair and one block of
 * the answer.
 *
 * The answer has a row for each pair, in the order of the pairs. A row is a
 * path or a problem, in one of three forms:
 *
 *	JSON, without ?values=	the answer of path, or a problem (RFC 9457)
 *	JSON, with ?values=	{"from":"a","to":"c","distance":3,"hops":2,
 *				 "path":["a","b","c"]}
 *				{"from":"a","to":"x","problem":"to 'x' is …"}
 *	CSV			from,to,distance,hops,path,problem
 *				a,c,3,2,"[""a"",""b"",""c""]",
 *				a,x,,,,to 'x' is not in graph 'g'
 *
 * In CSV, the path is a JSON array in one cell, because a label may contain any
 * separator. If there is no path, all values are null in JSON. In CSV, distance
 * and hops are then inf, as in a table, and the cell of the path is blank.
 *
 * If the rule leaves out vertices, CSV has a column left_out in front of
 * `problem`, with "from", "to" or "from to". In JSON, the row of a pair with a
 * left-out end has the list left_out.
 *
 * Widest paths have a width in place of a distance. In CSV, the width is 0 if
 * there is no path. The width of a vertex and itself is inf in CSV, and null in
 * JSON.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/cells.h"
#include "api/encode/json.h"
#include "api/encode/problem.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/paths/pairs_reader.h"
#include "api/paths/path_text.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "daemon/base/utf8.h"
#include "storage/search/width_search.h"
#include "storage/tables/lookup.h"
#include "storage/tables/pair_width.h"

enum {
	/*
	 * if the paths of a batch could have more arcs than this in total, the
	 * batch is answered on the thread pool
	 */
	SMALL_ARCS = 65536,
	/*
	 * largest number of unknown labels for which we find suggestions. The
	 * number is small, because each of these labels is compared with all
	 * labels of the graph
	 */
	SUGGESTED_MAX = 20,
	/* if the path of a row of CSV has more bytes than this, its memory is
	   freed after the row */
	KEPT_BYTES = 65536,
};

enum pair_value {
	VALUE_DISTANCE = 1 << 0,
	VALUE_WIDTH = 1 << 1, /* the width of the path. Only widest paths have
				 it, in place of a distance */
	VALUE_HOPS = 1 << 2,
	VALUE_PATH = 1 << 3,
	N_VALUES = 4,
};

/* value_names[i] is the name of the value 1 << i. Answers have the values in
   this order */
static const char *const value_names[N_VALUES] = {
	"distance", "width", "hops", "path"};

/* The state of the request. The request owns this struct until the reply
   begins; then the stream of rows owns it. */
struct pair_rows {
	struct apsp_pairs_reader pairs;
	struct apsp_reading reading;
	struct apsp_share share; /* memory that is reserved in the common budget
				    of all answers */
	/* if the graph has no tables: the vertices at which the paths begin;
	   NULL until apsp_pairs_reader_sources() was called; owned */
	uint32_t *sources;
	size_t n_sources;
	/* The following members, up to `searching`, are for searches for widest
	   paths. They are unused if needs_search() is false. Successive
	   searches use the same arrays. */
	struct apsp_shared_adjacency *shared; /* owned */
	struct apsp_avoided nothing; /* an empty set, because the searches avoid
					no vertex or arc */
	struct apsp_width_search search;
	struct apsp_search_work work; /* work of the present pair's search */
	uint64_t max_arcs; /* largest number of arcs that each search visits */
	bool searching;	   /* the present pair's search has begun */
	char graph[APSP_NAME_SIZE];
	const char *base; /* the value of --base-path; borrowed */

	unsigned int
		values; /* the values in a row, as bits of enum pair_value; 0:
			   each row is the answer of GET …/path, or a problem */
	struct apsp_text cell; /* the path of one row of CSV */
	size_t next;	       /* index of the next row's pair */
	size_t n_suggested; /* number of unknown labels that rows have reported
			       so far */
};

static void rows_free(void *ctx)
{
	struct pair_rows *rows = ctx;

	apsp_pairs_reader_done(&rows->pairs);
	apsp_text_done(&rows->cell);
	free(rows->sources);
	apsp_width_search_done(&rows->search);
	apsp_adjacency_cache_close(rows->shared);
	apsp_share_close(&rows->share);
	apsp_reading_done(&rows->reading);
	free(rows);
}

/* Read ?values=. */
static int values_read(const struct apsp_request *req, struct pair_rows *rows,
	struct apsp_err *err)
{
	const char *list = apsp_query_get(req, "values");

	for (size_t size; list; list = list[size] ? list + size + 1 : NULL) {
		unsigned int i = 0;

		size = strcspn(list, ",");
		while (i < N_VALUES &&
			(strlen(value_names[i]) != size ||
				memcmp(list, value_names[i], size) != 0))
			i++;
		if (i == N_VALUES)
			return apsp_fail(err, APSP_EMALFORMED,
				"there is no value '%s'; there are distance, "
				"width, hops and path",
				apsp_excerpt_of(list, size).text);
		if (rows->values & 1U << i)
			return apsp_fail(err, APSP_EMALFORMED,
				"values has '%s' twice", value_names[i]);
		rows->values |= 1U << i;
	}
	return 0;
}

/* Decide which values the rows have. rows->reading must be open. */
static int values_settle(const struct apsp_request *req, struct pair_rows *rows,
	struct apsp_err *err)
{
	bool widest = apsp_reading_is_widest(&rows->reading);
	int r = 0;

	if (req->format == APSP_REPLY_CSV && !rows->values)
		rows->values = (widest ? VALUE_WIDTH : VALUE_DISTANCE) |
			       VALUE_HOPS | VALUE_PATH;
	if (rows->values & VALUE_WIDTH)
		r = apsp_reading_needs(&rows->reading, APSP_PATH_WIDEST,
			"values of width", err);
	if (r == 0 && (rows->values & VALUE_DISTANCE))
		r = apsp_reading_needs(&rows->reading, APSP_PATH_SHORTEST,
			"values of distance", err);
	return r;
}

/* Whether rows need searches for widest paths. If so, no row is written before
   searches_prepare() has returned 0. */
static bool needs_search(const struct pair_rows *rows)
{
	return apsp_reading_is_widest(&rows->reading) &&
	       rows->values != VALUE_WIDTH;
}

/* Store in *out the error in the row of the pair at `index`: the fault of the
   pair's end `side` (0: from, 1: to). */
static void fault_say(const struct pair_rows *rows, size_t index, int side,
	const struct apsp_pair_end ends[2], struct apsp_err *out)
{
	const struct apsp_pair_end *end = &ends[side];
	/* true: perhaps the line is a header with unknown column names. It is
	   the first line of a CSV, and neither of its labels is a vertex */
	bool may_be_header = rows->pairs.is_csv && !rows->pairs.has_header &&
			     index == 0 &&
			     ends[0].fault == APSP_PAIR_NO_VERTEX &&
			     ends[1].fault == APSP_PAIR_NO_VERTEX;
	char place[32];

	if (rows->pairs.is_csv)
		snprintf(place, sizeof(place), "%s", side ? "to" : "from");
	else
		snprintf(place, sizeof(place), "pairs[%zu][%d]", index, side);
	if (end->fault == APSP_PAIR_NO_PAIR)
		apsp_fail(out, APSP_EDATA,
			"pairs[%zu] is not a list of two labels", index);
	else if (end->fault == APSP_PAIR_NO_STRING)
		apsp_fail(out, APSP_EDATA,
			"%s is %s; a vertex is named by a string, since a "
			"number loses digits",
			place, end->text);
	else
		apsp_fail(out, APSP_EBADVERTEX,
			"%s '%s' is not in graph '%s'%s", place, end->text,
			rows->graph,
			may_be_header
				? "; if the first line is a header, name its "
				  "columns from and to, pre and post, or "
				  "source and target"
				: "");
}

/* Append the label at one end of a pair. If the request has no string for this
   end, append null in JSON, and an empty cell in CSV. */
static void end_write(const struct pair_rows *rows, const char *name,
	const struct apsp_pair_end *end, struct apsp_cells *cells)
{
	if (end->fault == APSP_PAIR_GOOD)
		apsp_label_cell(cells, name, rows->pairs.generation->labels,
			end->vertex);
	else if (end->fault == APSP_PAIR_NO_VERTEX)
		apsp_cell_text(cells, name, end->text);
	else if (cells->form == APSP_CELLS_JSON)
		apsp_json_null_member(cells->json, name);
	else
		apsp_cell_text(cells, name, "");
}

/* Append the path as an array of labels. In CSV, the array is the text of the
   cell, which is empty if there is no path. */
static void path_write(struct pair_rows *rows, const char *name,
	const struct apsp_path *path, struct apsp_cells *cells)
{
	const struct apsp_labels *labels = rows->pairs.generation->labels;
	struct apsp_json_writer w = {.text = &rows->cell};

	if (cells->form == APSP_CELLS_JSON) {
		apsp_json_key(cells->json, name);
		if (path->reachable)
			apsp_path_write_vertices(cells->json, labels, path);
		else
			apsp_json_nothing(cells->json);
		return;
	}
	apsp_text_clear(&rows->cell, KEPT_BYTES);
	if (path->reachable)
		apsp_path_write_vertices(&w, labels, path);
	apsp_cell_string(cells, name, rows->cell.size ? rows->cell.data : "",
		rows->cell.size);
}

/* Append the value that value_names[index] names. `path` is NULL if the pair
   has a problem in place of values. */
static void value_write(struct pair_rows *rows, int index,
	const struct apsp_path *path, struct apsp_cells *cells)
{
	bool is_json = cells->form == APSP_CELLS_JSON;
	enum pair_value value = (enum pair_value)(1 << index);
	const char *name = value_names[index];

	if (!path)
		apsp_cell_text(cells, name, "");
	else if (value == VALUE_PATH)
		path_write(rows, name, path, cells);
	else if (value == VALUE_WIDTH)
		apsp_cell_real(cells, name,
			path->reachable || !is_json ? path->width
						    : (double)NAN);
	else if (!path->reachable)
		apsp_cell_real(cells, name, (double)INFINITY);
	else if (value == VALUE_DISTANCE)
		apsp_cell_real(cells, name, path->distance);
	else
		apsp_cell_integer(cells, name, path->hops);
}

/* Append the row of a pair in CSV, or in JSON with ?values=. Either `path` or
   `problem` is NULL. */
static void cells_write(struct pair_rows *rows,
	const struct apsp_pair_end ends[2], const struct apsp_path *path,
	const char *problem, struct apsp_cells *cells)
{
	bool is_json = cells->form == APSP_CELLS_JSON;
	const char *left_out = "";

	apsp_cells_begin(cells);
	end_write(rows, "from", &ends[0], cells);
	end_write(rows, "to", &ends[1], cells);
	if (path && is_json)
		apsp_reading_pair_write(&rows->reading, cells->json,
			ends[0].vertex, ends[1].vertex);
	else if (path)
		left_out = apsp_reading_pair_text(
			&rows->reading, ends[0].vertex, ends[1].vertex);
	for (int i = 0; i < N_VALUES; i++)
		if ((rows->values & 1U << i) && (path || !is_json))
			value_write(rows, i, path, cells);
	if (!is_json && apsp_reading_n_left_out(&rows->reading) > 0)
		apsp_cell_text(cells, "left_out", left_out);
	if (!is_json || problem)
		apsp_cell_text(cells, "problem", problem ? problem : "");
	apsp_cells_end(cells);
}

static void names_write(void *ctx, struct apsp_cells *names)
{
	const struct apsp_pair_end ends[2] = {0};

	cells_write(ctx, ends, NULL, NULL, names);
}

/* Append the row of a pair that cannot be answered, because its end `side` (0:
   from, 1: to) has a fault. */
static void fault_write(struct pair_rows *rows, size_t index, int side,
	const struct apsp_pair_end ends[2], struct apsp_cells *cells)
{
	json_t *suggestions = NULL, *pointer = NULL, *extra;
	const struct apsp_pair_end *end = &ends[side];
	struct apsp_err fault;

	fault_say(rows, index, side, ends, &fault);
	if (rows->values) {
		cells_write(rows, ends, NULL, fault.message, cells);
		return;
	}
	if (end->fault == APSP_PAIR_NO_VERTEX &&
		rows->n_suggested++ < SUGGESTED_MAX)
		suggestions = apsp_reading_vertex_suggestions(
			rows->reading.generation, end->text);
	if (end->fault == APSP_PAIR_NO_PAIR)
		pointer = json_sprintf("/pairs/%zu", index);
	else if (!rows->pairs.is_csv)
		pointer = json_sprintf("/pairs/%zu/%d", index, side);
	extra = json_pack(
		"{s:o*, s:o*}", "pointer", pointer, "suggestions", suggestions);
	apsp_json_tree(cells->json,
		extra ? apsp_problem_json(&fault, rows->base, extra) : NULL);
}

/* Load the arcs, and reserve memory for searches. Returns 1 if more time is
   needed: the handler must then return 0, and is called again. */
static int searches_prepare(
	struct apsp_request *req, struct pair_rows *rows, struct apsp_err *err)
{
	int r;

	if (rows->search.arcs)
		return 0;
	r = apsp_reading_arcs(req, &rows->reading, &rows->shared, err);
	if (r != 0)
		return r;
	r = apsp_request_wait_memory(
		req, apsp_share_grow(&rows->share,
			     apsp_width_search_first_bytes(
				     rows->reading.generation->n_vertices),
			     "the search", err));
	if (r < 0)
		return r;
	rows->max_arcs = apsp_reading_max_arcs(req, &rows->reading);
	return apsp_width_search_init(apsp_adjacency_cache_arcs(rows->shared),
		&rows->nothing, &rows->search, err);
}

/* Search for the widest path of a pair. The width of this path is read from the
   table. Returns 1 if the search needs another step: the caller then repeats
   the call with the same pair. */
static int widest_find(struct pair_rows *rows, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	struct apsp_tables *tables = rows->reading.tables;
	struct apsp_width_search *search = &rows->search;
	double rank = 0;
	int r = 0;

	if (!rows->searching) {
		r = apsp_pair_width_rank(tables, from, to, &rank, err);
		if (r < 0)
			return r;
		if (rank == INFINITY) {
			out->is_widest = true;
			return 0;
		}
		rows->work =
			(struct apsp_search_work){.max_arcs = rows->max_arcs};
		r = apsp_width_search_begin(search, from, to, rank, err);
		rows->searching = r == 0;
	}
	if (r == 0)
		r = apsp_width_search_step(search, &rows->work, err);
	if (r != 0)
		return r;
	rows->searching = false;
	if (!search->found)
		return apsp_tables_condemn(
			tables, "a width is not that of a path", err);
	return apsp_lookup_along(
		tables, search->vertices, search->n_arcs, out, err);
}

/* Find the path of a pair, or only its width. Returns 1 if the search needs
   another step. */
static int path_find(struct pair_rows *rows, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	struct apsp_tables *tables = rows->reading.tables;
	int r;

	if (!apsp_reading_is_widest(&rows->reading))
		return apsp_lookup_path(tables, from, to, out, err);
	if (needs_search(rows))
		return widest_find(rows, from, to, out, err);
	out->is_widest = true;
	r = apsp_pair_width_read(tables, from, to, &out->width, err);
	out->reachable = r == 0 && out->width > 0;
	return r;
}

static int row_write(void *ctx, struct apsp_cells *cells, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	struct pair_rows *rows = ctx;
	struct apsp_pair_end ends[2];
	size_t index = rows->next;
	int r;

	if (index == rows->pairs.n)
		return 0;
	apsp_pairs_reader_get(&rows->pairs, index, ends);
	for (int side = 0; side < 2; side++) {
		if (ends[side].fault == APSP_PAIR_GOOD)
			continue;
		rows->next++;
		fault_write(rows, index, side, ends, cells);
		return 1;
	}
	r = path_find(rows, ends[0].vertex, ends[1].vertex, &path, err);
	if (r > 0)
		return APSP_ROWS_LATER;
	rows->next++;
	if (r < 0)
		return r;
	if (rows->values)
		cells_write(rows, ends, &path, NULL, cells);
	else
		apsp_path_write(cells->json, &rows->reading, ends[0].vertex,
			ends[1].vertex, &path);
	r = apsp_text_check(&rows->cell, err);
	return r < 0 ? r : 1;
}

/* Read the query and open the graph, before the body arrives. */
static int rows_open(
	struct apsp_request *req, struct pair_rows *rows, struct apsp_err *err)
{
	int r = apsp_pairs_reader_type(req, &rows->pairs.is_csv, err);

	if (r == 0)
		r = values_read(req, rows, err);
	if (r == 0)
		r = apsp_reading_open(req, &rows->reading, err);
	if (r == 0)
		r = values_settle(req, rows, err);
	if (r == 0)
		r = apsp_request_share(req, &rows->share, err);
	if (r < 0)
		return r;
	rows->pairs.generation = rows->reading.generation;
	rows->pairs.share = &rows->share;
	return apsp_pairs_reader_begin(req, err);
}

int apsp_api_post_paths_begin(struct apsp_request *req, struct apsp_err *err)
{
	struct pair_rows *rows =
		apsp_request_state(req, sizeof(*rows), rows_free, err);

	if (!rows)
		return APSP_ENOMEM;
	snprintf(rows->graph, sizeof(rows->graph), "%s", req->params[0]);
	rows->base = req->config->settings->base_path;
	rows_open(req, rows, &rows->pairs.body.refusal);
	return 0; /* do not fail here: the refusal is sent when the body is
		     complete */
}

int apsp_api_post_paths(struct apsp_request *req, struct apsp_err *err)
{
	struct pair_rows *ctx = req->state;
	struct apsp_rows rows = {
		.name = req->format == APSP_REPLY_CSV ? NULL : "paths",
		.begin = names_write,
		.write = row_write,
		.done = rows_free,
	};
	int r = apsp_pairs_reader_end(req, err);

	if (r < 0)
		return r;
	/* if the rows need searches, or if their paths may have more than
	   SMALL_ARCS arcs in total, write them on the pool */
	rows.in_pool =
		needs_search(ctx) ||
		ctx->pairs.n > SMALL_ARCS / ctx->reading.generation->n_vertices;
	r = rows.in_pool ? apsp_request_move(req, err) : 0;
	/* if the graph has no tables, get the rows of distances from all
	   vertices at which paths begin. The vertices are listed only once,
	   although this function is called again while the rows are computed */
	if (r == 0 && !ctx->sources &&
		apsp_table_on_demand(&ctx->reading.tables->header))
		r = apsp_request_wait_memory(
			req, apsp_pairs_reader_sources(&ctx->pairs,
				     &ctx->sources, &ctx->n_sources, err));
	if (r == 0)
		r = apsp_reading_rows(req, &ctx->reading, APSP_DEMAND_FROM,
			ctx->sources, ctx->n_sources, err);
	if (r == 0 && needs_search(ctx))
		r = searches_prepare(req, ctx, err);
	if (r != 0)
		return r < 0 ? r : 0;
	if (rows.name)
		rows.head = apsp_reading_answer(&ctx->reading, json_object());
	rows.ctx = APSP_TAKE(req->state);
	return apsp_rows_reply(req, &rows, err);
}
