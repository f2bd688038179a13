/*
 * GET /v1/graphs/{graph}/vertices/{vertex}/arcs?direction=out|in: the arcs of a
 * profile at one vertex, as they are walked: merged, above the threshold,
 * without self-loops, with their lengths.
 */
#include <stdlib.h>
#include <string.h>

#include "api/encode/json.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/vertices/vertex_reading.h"
#include "daemon/base/auto.h"

/* The stream of arcs owns this. */
struct arc_rows {
	struct apsp_vertex_reading *reading;
	bool in;
	uint64_t next, end;
};

static void arc_rows_free(void *ctx)
{
	struct arc_rows *rows = ctx;

	if (!rows)
		return;
	apsp_vertex_reading_free(rows->reading);
	free(rows);
}

static int arc_rows_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct arc_rows *rows = ctx;
	const struct apsp_adjacency *arcs = rows->reading->arcs;
	const struct apsp_labels *labels =
		rows->reading->reading.generation->labels;
	uint32_t from = rows->reading->v, to = from;
	uint64_t i = rows->next, arc;

	if (i == rows->end)
		return 0;
	rows->next++;
	if (rows->in) {
		from = arcs->tails[i];
		arc = arcs->in_arcs[i];
	} else {
		to = arcs->heads[i];
		arc = i;
	}
	*out = json_pack("{s:s, s:s, s:o, s:o}", "from",
		apsp_labels_get(labels, from, NULL), "to",
		apsp_labels_get(labels, to, NULL), "weight",
		apsp_json_number(arcs->weights[arc]), "length",
		apsp_json_number(arcs->lengths[arc]));
	return *out ? 1 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

static int direction_read(
	const struct apsp_request *req, bool *out_in, struct apsp_err *err)
{
	const char *direction = apsp_query_get(req, "direction");

	*out_in = direction && strcmp(direction, "in") == 0;
	if (direction && !*out_in && strcmp(direction, "out") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"direction is '%s'; expected out or in", direction);
	return 0;
}

static int reply(
	struct apsp_request *req, struct arc_rows *ctx, struct apsp_err *err)
{
	const struct apsp_vertex_reading *reading = ctx->reading;
	const struct apsp_generation *generation = reading->reading.generation;
	struct apsp_rows rows = {
		.name = "arcs",
		.next = arc_rows_next,
		.done = arc_rows_free,
		.ctx = ctx,
	};

	rows.head = json_pack("{s:s, s:s, s:s?, s:s, s:s, s:I}", "revision",
		generation->revision, "profile", reading->reading.profile->name,
		"transform", apsp_reading_transform(&reading->reading),
		"vertex", apsp_labels_get(generation->labels, reading->v, NULL),
		"direction", ctx->in ? "in" : "out", "count",
		(json_int_t)(ctx->end - ctx->next));
	if (!rows.head) {
		arc_rows_free(ctx);
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	}
	return apsp_rows_reply(req, MHD_HTTP_OK, &rows, err);
}

int apsp_api_list_vertex_arcs(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_vertex_reading *reading;
	const uint64_t *offsets;
	struct arc_rows *rows;
	bool in;
	int r;

	r = direction_read(req, &in, err);
	if (r < 0)
		return r;
	r = apsp_vertex_reading_open(req, &reading, err);
	if (r != 0)
		return r < 0 ? r : 0;
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	offsets = in ? reading->arcs->in_offsets : reading->arcs->out_offsets;
	rows->reading = reading;
	rows->in = in;
	rows->next = offsets[reading->v];
	rows->end = offsets[reading->v + 1];
	req->state = NULL;
	return reply(req, rows, err);
}
