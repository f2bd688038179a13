/*
 * POST /v1/graphs/{graph}/paths: many pairs in one request. A row is made when
 * the client is ready for it, so memory holds the pairs and one answer.
 */
#include <stdio.h>

#include "api/body_json.h"
#include "api/endpoints/endpoints.h"
#include "api/http/json.h"
#include "api/http/problem.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/path_json.h"
#include "api/reading.h"
#include "daemon/base/auto.h"
#include "storage/tables/path.h"

enum {
	/* a suggestion looks at every label; bad batches must stay cheap */
	SUGGESTED_MAX = 20,
};

struct path_rows {
	struct apsp_reading reading;
	json_t *body;	     /* owned */
	const json_t *pairs; /* of body */
	size_t next;
	size_t n_suggested; /* labels with suggestions so far */
};

static void path_rows_free(void *ctx)
{
	struct path_rows *rows = ctx;

	if (!rows)
		return;
	json_decref(rows->body);
	apsp_reading_done(&rows->reading);
	free(rows);
}

APSP_AUTO_DEFINE(path_rows_end, struct path_rows, path_rows_free);

/* The problem of pair `index`: at its member `side`, or (-1) of the whole. */
static json_t *bad_pair_json(
	size_t index, int side, const struct apsp_err *err, json_t *suggestions)
{
	char pointer[64];
	json_t *extra;

	if (side < 0)
		snprintf(pointer, sizeof(pointer), "/pairs/%zu", index);
	else
		snprintf(
			pointer, sizeof(pointer), "/pairs/%zu/%d", index, side);
	extra = json_pack(
		"{s:s, s:o*}", "pointer", pointer, "suggestions", suggestions);
	return extra ? apsp_problem_json(err, extra) : NULL;
}

/*
 * The vertex at one side of a pair. If the label names no vertex, *out_problem
 * (owned) says why.
 */
static uint32_t pair_vertex(struct path_rows *rows, size_t index, int side,
	const json_t *label, json_t **out_problem)
{
	const struct apsp_labels *labels = rows->reading.generation->labels;
	const char *text = json_string_value(label);
	struct apsp_err err;
	int64_t v;

	if (!text) {
		apsp_fail(&err, APSP_EDATA,
			"pairs[%zu][%d] is %s; a vertex is named by a string,"
			" since a number loses digits",
			index, side, apsp_json_kind(label));
		*out_problem = bad_pair_json(index, side, &err, NULL);
		return 0;
	}
	v = apsp_labels_find(labels, text, json_string_length(label));
	if (v < 0) {
		apsp_fail(&err, APSP_EBADVERTEX,
			"pairs[%zu][%d] '%s' is not in graph '%s'", index, side,
			text, rows->reading.snapshot->name);
		*out_problem = bad_pair_json(index, side, &err,
			rows->n_suggested++ < SUGGESTED_MAX
				? apsp_reading_suggestions(&rows->reading, text)
				: NULL);
		return 0;
	}
	return (uint32_t)v;
}

static int path_row(struct path_rows *rows, size_t index, const json_t *pair,
	json_t **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	json_t *problem = NULL;
	uint32_t ends[2];
	int r;

	if (json_array_size(pair) != 2) {
		struct apsp_err bad;

		apsp_fail(&bad, APSP_EDATA,
			"pairs[%zu] is not a list of two labels", index);
		*out = bad_pair_json(index, -1, &bad, NULL);
		return 0;
	}
	for (int side = 0; side < 2 && !problem; side++)
		ends[side] = pair_vertex(rows, index, side,
			json_array_get(pair, (size_t)side), &problem);
	if (problem) {
		*out = problem;
		return 0;
	}
	r = apsp_path_find(rows->reading.tables, ends[0], ends[1], &path, err);
	if (r < 0)
		return r;
	*out = apsp_path_json(&rows->reading, ends[0], ends[1], &path);
	return 0;
}

static int path_rows_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct path_rows *rows = ctx;
	size_t index = rows->next;
	int r;

	if (index == json_array_size(rows->pairs))
		return 0;
	rows->next++;
	*out = NULL;
	r = path_row(rows, index, json_array_get(rows->pairs, index), out, err);
	if (r < 0)
		return r;
	return *out ? 1 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

static int pairs_read(const struct apsp_request *req, struct path_rows *rows,
	char pointer[APSP_POINTER_SIZE], struct apsp_err *err)
{
	static const char *const members[] = {"pairs", NULL};
	uint32_t max = apsp_request_config(req)->limits.max_pairs;
	int r;

	r = apsp_body_json(req, &rows->body, err);
	if (r < 0)
		return r;
	r = apsp_body_only(rows->body, members, pointer, err);
	if (r < 0)
		return r;
	rows->pairs = json_object_get(rows->body, "pairs");
	if (!json_is_array(rows->pairs)) {
		snprintf(pointer, APSP_POINTER_SIZE, "/pairs");
		return apsp_fail(err, APSP_EMALFORMED,
			"pairs is %s; expected a list of [from, to]",
			rows->pairs ? apsp_json_kind(rows->pairs) : "missing");
	}
	if (json_array_size(rows->pairs) > max) {
		snprintf(pointer, APSP_POINTER_SIZE, "/pairs");
		return apsp_fail(err, APSP_ETOOLARGE,
			"pairs has %zu items; the limit is %u",
			json_array_size(rows->pairs), max);
	}
	return 0;
}

int apsp_api_post_paths(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {"profile", "format", NULL};
	APSP_AUTO(path_rows_end) struct path_rows *ctx = NULL;
	char pointer[APSP_POINTER_SIZE] = "";
	struct apsp_rows rows = {
		.name = "paths",
		.next = path_rows_next,
		.done = path_rows_free,
	};
	int r;

	r = apsp_query_only(req, names, err);
	if (r < 0)
		return r;
	ctx = calloc(1, sizeof(*ctx));
	if (!ctx)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	r = pairs_read(req, ctx, pointer, err);
	if (r < 0)
		return apsp_body_refuse(req, pointer, err);
	r = apsp_reading_open(req, &ctx->reading, err);
	if (r < 0)
		return r;
	rows.head = json_pack("{s:s, s:s}", "revision",
		ctx->reading.generation->revision, "profile",
		ctx->reading.profile->name);
	if (!rows.head)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows.ctx = APSP_TAKE(ctx);
	return apsp_rows_reply(req, MHD_HTTP_OK, &rows, err);
}
