/*
 * GET /v1/graphs/{graph}/vertices/{vertex}/distances: from a vertex to all
 * others, or from all others to it. Read on the pool, in parts.
 */
#include <string.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/http/stream.h"
#include "api/reading.h"
#include "api/tables/value_names.h"
#include "api/tables/vertex_values.h"
#include "daemon/base/auto.h"
#include "storage/store.h"

static int direction_read(struct apsp_request *req, enum apsp_direction *out,
	struct apsp_err *err)
{
	const char *direction = apsp_query_get(req, "direction");

	if (direction && strcmp(direction, "in") != 0 &&
		strcmp(direction, "out") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"direction is '%s'; expected out or in", direction);
	*out = direction && *direction == 'i' ? APSP_DIRECTION_IN
					      : APSP_DIRECTION_OUT;
	return 0;
}

static int query_read(struct apsp_request *req, struct apsp_vertex_question *q,
	struct apsp_err *err)
{
	const char *values = apsp_query_get(req, "values");
	int r;

	r = direction_read(req, &q->direction, err);
	q->values = APSP_ROW_DISTANCE;
	if (r == 0 && values)
		r = apsp_value_names_parse(values, &q->values, err);
	return r < 0 ? r : apsp_pair_filter_read(req, &q->filter, err);
}

/* Begin to read, in req->state. Returns 1 if a 304 is the reply. */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_vertex_question_done)
	struct apsp_vertex_question q = {0};
	struct apsp_vertex_values *values = NULL;
	int r;

	r = query_read(req, &q, err);
	if (r == 0)
		r = apsp_reading_open(req, &q.reading, err);
	if (r == 0)
		r = apsp_reading_vertex(
			req, &q.reading, req->params[1], &q.vertex, err);
	if (r == 0)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reply_etag(req, apsp_tables_id(q.reading.tables), err);
	if (r == 0)
		r = apsp_request_share(req, &q.share, err);
	if (r != 0)
		return r;
	q.others.all = true;
	q.others.n = q.reading.generation->n_vertices;
	r = apsp_vertex_values_new(&q, apsp_request_format(req), &values, err);
	if (r < 0)
		return r;
	req->state = values;
	req->state_free = apsp_vertex_values_free;
	return 0;
}

int apsp_api_get_distances(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_stream stream;
	int r = req->state ? 0 : begin(req, err);

	if (r != 0)
		return r < 0 ? r : 0;
	do {
		r = apsp_vertex_values_step(req->state, err);
		if (r > 0 && apsp_request_again(req))
			return 0;
	} while (r > 0);
	if (r < 0)
		return r;
	stream = apsp_vertex_values_stream(req->state);
	req->state = NULL;
	return apsp_stream_reply(req, MHD_HTTP_OK, &stream, err);
}
