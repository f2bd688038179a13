/*
 * GET /v1/graphs/{graph}/vertices/{vertex}/distances: the distances from a
 * vertex to all other vertices, or from all other vertices to this vertex. The
 * thread pool reads the distances in parts.
 */
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/reading.h"
#include "api/tables/table.h"
#include "daemon/base/auto.h"

/*
 * Begin the table of distances, and store it in req->state. Returns 1 if the
 * request was answered with 304.
 */
static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_table_question_done)
	struct apsp_table_question q = {.of_vertex = true};
	struct apsp_table *table = NULL;
	bool in;
	int r;

	r = apsp_query_choice(req, "direction", "out", "in", &in, err);
	q.direction = in ? APSP_DIRECTION_IN : APSP_DIRECTION_OUT;
	if (r == 0)
		r = apsp_table_question_open(req, &q, err);
	if (r == 0)
		r = apsp_value_names_settle(
			&q.reading, APSP_ROW_DISTANCE, &q.values, err);
	if (r == 0)
		r = apsp_reading_vertex(
			req, &q.reading, req->params[1], &q.vertex, err);
	if (r == 0)
		r = apsp_request_move(req, err);
	if (r == 0)
		r = apsp_reading_etag(req, &q.reading, false, err);
	if (r == 0)
		r = apsp_request_share(req, &q.share, err);
	if (r != 0)
		return r;
	r = apsp_table_question_rows(req, &q, err);
	if (r < 0)
		return r;
	q.targets.all = true;
	q.targets.n = q.reading.generation->n_vertices;
	r = apsp_request_wait_memory(
		req, apsp_table_new(&q, req->format, &table, err));
	if (r < 0)
		return r;
	req->state = table;
	req->state_free = apsp_table_free;
	return 0;
}

int apsp_api_get_distances(struct apsp_request *req, struct apsp_err *err)
{
	int r = req->state ? 0 : begin(req, err);

	if (r != 0)
		return r < 0 ? r : 0;
	do {
		r = apsp_table_read(req->state, err);
		if (r > 0 && apsp_request_again(req))
			return 0;
	} while (r > 0);
	if (r < 0)
		return r;
	return apsp_table_reply(req, MHD_HTTP_OK, APSP_TAKE(req->state), err);
}
