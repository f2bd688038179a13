/* The rows of the answer to a batch; see pair_rows.h. */
#include "api/paths/pair_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/encode/csv_writer.h"
#include "api/encode/json.h"
#include "api/encode/problem.h"
#include "api/http/query.h"
#include "api/http/reply_format.h"
#include "api/http/rows.h"
#include "api/label_text.h"
#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "daemon/base/utf8.h"
#include "storage/tables/lookup.h"
#include "storage/tables/pair_width.h"

enum {
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
	VALUE_WIDTH = 1 << 1, /* if paths are widest, instead of the distance */
	VALUE_HOPS = 1 << 2,
	VALUE_PATH = 1 << 3,
};

enum {
	N_VALUES = 4,
};

/* value 1 << i has the name value_names[i]; answers have this order */
static const char *const value_names[N_VALUES] = {
	"distance", "width", "hops", "path"};

void apsp_pair_rows_free(void *ctx)
{
	struct apsp_pair_rows *rows = ctx;

	if (!rows)
		return;
	apsp_pairs_reader_done(&rows->pairs);
	apsp_text_done(&rows->cell);
	free(rows->sources);
	apsp_widest_pairs_done(&rows->widest);
	apsp_share_close(&rows->share);
	apsp_reading_done(&rows->reading);
	free(rows);
}

/* Add the value with this name to a set. */
static int value_add(const char *name, size_t size, unsigned int *values,
	struct apsp_err *err)
{
	for (int i = 0; i < N_VALUES; i++) {
		if (strlen(value_names[i]) != size ||
			memcmp(name, value_names[i], size) != 0)
			continue;
		if (*values & 1U << i)
			return apsp_fail(err, APSP_EMALFORMED,
				"values has '%s' twice", value_names[i]);
		*values |= 1U << i;
		return 0;
	}
	return apsp_fail(err, APSP_EMALFORMED,
		"there is no value '%s'; there are distance, width, hops and "
		"path",
		apsp_excerpt_of(name, size).text);
}

int apsp_pair_rows_read(const struct apsp_request *req,
	struct apsp_pair_rows *rows, struct apsp_err *err)
{
	const char *list = apsp_query_get(req, "values");
	int r = 0;

	rows->is_csv = req->format == APSP_REPLY_CSV;
	while (list && r == 0) {
		size_t size = strcspn(list, ",");

		r = value_add(list, size, &rows->values, err);
		list = list[size] == '\0' ? NULL : list + size + 1;
	}
	return r;
}

int apsp_pair_rows_settle(struct apsp_pair_rows *rows, struct apsp_err *err)
{
	bool widest = apsp_reading_is_widest(&rows->reading);

	if (rows->is_csv && !rows->values)
		rows->values = (widest ? VALUE_WIDTH : VALUE_DISTANCE) |
			       VALUE_HOPS | VALUE_PATH;
	if (rows->values & VALUE_WIDTH)
		return apsp_reading_needs_widest(
			&rows->reading, "values of width", err);
	if (rows->values & VALUE_DISTANCE)
		return apsp_reading_needs_shortest(
			&rows->reading, "values of distance", err);
	return 0;
}

bool apsp_pair_rows_search(const struct apsp_pair_rows *rows)
{
	return apsp_reading_is_widest(&rows->reading) &&
	       rows->values != VALUE_WIDTH;
}

/* Store in *out why the answer has no path for the pair. The fault is in side
   `side` of the pair. */
static void fault_say(const struct apsp_pair_rows *rows, size_t index, int side,
	const struct apsp_pair_end *end, struct apsp_err *out)
{
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
		apsp_fail(out, APSP_EBADVERTEX, "%s '%s' is not in graph '%s'",
			place, end->text, rows->graph);
}

/* Make the problem of a pair. */
static json_t *problem_json(struct apsp_pair_rows *rows, size_t index, int side,
	const struct apsp_pair_end *end, const struct apsp_err *fault)
{
	json_t *suggestions = NULL, *pointer = NULL, *extra;

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
	return extra ? apsp_problem_json(fault, rows->base, extra) : NULL;
}

/* The label at one end of a pair. NULL: the request names none. */
static const char *end_label(const struct apsp_pair_rows *rows,
	const struct apsp_pair_end *end, size_t *out_size)
{
	if (end->fault == APSP_PAIR_GOOD)
		return apsp_labels_get(
			rows->pairs.generation->labels, end->vertex, out_size);
	if (end->fault != APSP_PAIR_NO_VERTEX)
		return NULL;
	*out_size = strlen(end->text);
	return end->text;
}

/* Append the vertices of a path as a JSON array. */
static void vertices_write(struct apsp_json_writer *w,
	const struct apsp_labels *labels, const struct apsp_path *path)
{
	apsp_json_array(w);
	for (uint32_t i = 0; i <= path->hops; i++)
		apsp_label_json(w, labels, path->vertices[i]);
	apsp_json_array_end(w);
}

static void json_value_write(const struct apsp_pair_rows *rows,
	enum pair_value value, const struct apsp_path *path,
	struct apsp_json_writer *w)
{
	if (!path->reachable)
		apsp_json_nothing(w);
	else if (value == VALUE_DISTANCE)
		apsp_json_real(w, path->distance);
	else if (value == VALUE_WIDTH) /* an infinite width is null */
		apsp_json_real(w, path->width);
	else if (value == VALUE_HOPS)
		apsp_json_integer(w, path->hops);
	else
		vertices_write(w, rows->pairs.generation->labels, path);
}

/* Append a row of JSON that has the values. Either `path` or `problem` is
   NULL. */
static void json_row_write(const struct apsp_pair_rows *rows,
	const struct apsp_pair_end ends[2], const struct apsp_path *path,
	const char *problem, struct apsp_json_writer *w)
{
	static const char *const sides[] = {"from", "to"};

	apsp_json_object(w);
	for (int side = 0; side < 2; side++) {
		size_t size;
		const char *label = end_label(rows, &ends[side], &size);

		apsp_json_key(w, sides[side]);
		if (label)
			apsp_json_string(w, label, size);
		else
			apsp_json_nothing(w);
	}
	if (path)
		apsp_reading_pair_write(
			&rows->reading, w, ends[0].vertex, ends[1].vertex);
	for (int i = 0; i < N_VALUES && path; i++) {
		if (!(rows->values & 1U << i))
			continue;
		apsp_json_key(w, value_names[i]);
		json_value_write(rows, (enum pair_value)(1 << i), path, w);
	}
	if (problem)
		apsp_json_text_member(w, "problem", problem);
	apsp_json_object_end(w);
}

void apsp_pair_rows_names(void *ctx, struct apsp_text *out)
{
	const struct apsp_pair_rows *rows = ctx;
	struct apsp_csv_writer csv = {.text = out};

	apsp_csv_text(&csv, "from");
	apsp_csv_text(&csv, "to");
	for (int i = 0; i < N_VALUES; i++)
		if (rows->values & 1U << i)
			apsp_csv_text(&csv, value_names[i]);
	if (apsp_reading_n_left_out(&rows->reading) > 0)
		apsp_csv_text(&csv, "left_out");
	apsp_csv_text(&csv, "problem");
	apsp_csv_row_end(&csv);
}

static void csv_value_write(struct apsp_pair_rows *rows, enum pair_value value,
	const struct apsp_path *path, struct apsp_csv_writer *csv)
{
	struct apsp_json_writer w = {.text = &rows->cell};

	if (!path || (!path->reachable && value == VALUE_PATH)) {
		apsp_csv_text(csv, "");
	} else if (value == VALUE_WIDTH) {
		apsp_csv_real(csv, path->width);
	} else if (!path->reachable) {
		apsp_csv_real(csv, (double)INFINITY);
	} else if (value == VALUE_DISTANCE) {
		apsp_csv_real(csv, path->distance);
	} else if (value == VALUE_HOPS) {
		apsp_csv_integer(csv, path->hops);
	} else {
		apsp_text_clear(&rows->cell, KEPT_BYTES);
		vertices_write(&w, rows->pairs.generation->labels, path);
		if (rows->cell.size > 0)
			apsp_csv_string(csv, rows->cell.data, rows->cell.size);
	}
}

/* Append a row of CSV. Either `path` or `problem` is NULL. */
static void csv_row_write(struct apsp_pair_rows *rows,
	const struct apsp_pair_end ends[2], const struct apsp_path *path,
	const char *problem, struct apsp_csv_writer *csv)
{
	for (int side = 0; side < 2; side++) {
		size_t size = 0;
		const char *label = end_label(rows, &ends[side], &size);

		apsp_csv_string(csv, label ? label : "", size);
	}
	for (int i = 0; i < N_VALUES; i++)
		if (rows->values & 1U << i)
			csv_value_write(
				rows, (enum pair_value)(1 << i), path, csv);
	if (apsp_reading_n_left_out(&rows->reading) > 0)
		apsp_csv_text(
			csv, path ? apsp_reading_pair_text(&rows->reading,
					    ends[0].vertex, ends[1].vertex)
				  : "");
	apsp_csv_text(csv, problem ? problem : "");
	apsp_csv_row_end(csv);
}

/* Append the row of a pair whose end `side` is at fault. */
static void fault_write(struct apsp_pair_rows *rows, size_t index, int side,
	const struct apsp_pair_end ends[2], struct apsp_json_writer *w)
{
	struct apsp_csv_writer csv = {.text = w->text};
	struct apsp_err fault;

	fault_say(rows, index, side, &ends[side], &fault);
	if (rows->is_csv)
		csv_row_write(rows, ends, NULL, fault.message, &csv);
	else if (rows->values)
		json_row_write(rows, ends, NULL, fault.message, w);
	else
		apsp_json_tree(w,
			problem_json(rows, index, side, &ends[side], &fault));
}

/* Find the path of a pair, or only its width. Returns 1 if a search takes
   another turn. */
static int path_find(struct apsp_pair_rows *rows, uint32_t from, uint32_t to,
	struct apsp_path *out, struct apsp_err *err)
{
	struct apsp_tables *tables = rows->reading.tables;
	int r;

	if (!apsp_reading_is_widest(&rows->reading))
		return apsp_lookup_path(tables, from, to, out, err);
	if (apsp_pair_rows_search(rows))
		return apsp_widest_pairs_path(
			&rows->widest, tables, from, to, out, err);
	out->is_widest = true;
	r = apsp_pair_width_read(tables, from, to, &out->width, err);
	out->reachable = r == 0 && out->width > 0;
	return r;
}

/* Append the row of a pair that has two vertices. Returns 1 if a search takes
   another turn first. */
static int path_write(struct apsp_pair_rows *rows,
	const struct apsp_pair_end ends[2], struct apsp_json_writer *w,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	struct apsp_csv_writer csv = {.text = w->text};
	int r;

	r = path_find(rows, ends[0].vertex, ends[1].vertex, &path, err);
	if (r != 0)
		return r;
	if (rows->is_csv)
		csv_row_write(rows, ends, &path, NULL, &csv);
	else if (rows->values)
		json_row_write(rows, ends, &path, NULL, w);
	else
		apsp_path_write(w, &rows->reading, ends[0].vertex,
			ends[1].vertex, &path);
	return apsp_text_check(&rows->cell, err);
}

int apsp_pair_rows_write(
	void *ctx, struct apsp_json_writer *w, struct apsp_err *err)
{
	struct apsp_pair_rows *rows = ctx;
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
		fault_write(rows, index, side, ends, w);
		return 1;
	}
	r = path_write(rows, ends, w, err);
	if (r > 0)
		return APSP_ROWS_LATER;
	rows->next++;
	return r < 0 ? r : 1;
}
