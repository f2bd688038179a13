/*
 * GET /v1/jobs?graph=&state=&limit=&cursor=: the jobs, the newest first. The
 * cursor is the last id of the previous page.
 */
#include <inttypes.h>
#include <stdio.h>

#include "api/handlers.h"
#include "api/http/query.h"
#include "api/job_json.h"
#include "api/list_page.h"
#include "daemon/base/auto.h"
#include "daemon/base/name.h"

static json_t *row_json(void *ctx, const void *row)
{
	return apsp_job_json(ctx, row);
}

static void row_done(void *row)
{
	apsp_job_record_done(row);
}

int apsp_api_list_jobs(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_list_rows_end) struct apsp_list_rows *list = NULL;
	struct apsp_job_filter filter = {
		.graph = apsp_query_get(req, "graph"),
		.state = apsp_query_get(req, "state"),
	};
	const struct apsp_job_record *last;
	char cursor[24] = "", name[APSP_NAME_SIZE];
	int r;

	r = apsp_list_rows_open(
		req, sizeof(struct apsp_job_record), &list, err);
	if (r == 0)
		r = apsp_query_uint(
			req, "cursor", 1, INT64_MAX, 0, &filter.before_id, err);
	if (r == 0 && filter.graph)
		r = apsp_name_set(name, "graph", filter.graph, err);
	if (r < 0)
		return r;
	if (filter.state && apsp_job_state_from_name(filter.state) < 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"state is '%.40s'; expected queued, running, "
			"succeeded, failed or cancelled",
			filter.state);
	list->ctx = req; /* may be borrowed, because the request lives as long
			    as the reply */
	list->json = row_json;
	list->done = row_done;
	r = apsp_job_present_list(
		req, &filter, apsp_list_rows_at(list, 0), list->limit + 1, err);
	if (r < 0)
		return r;
	list->n = (size_t)r;
	last = apsp_list_rows_cut(list);
	if (last)
		snprintf(cursor, sizeof(cursor), "%" PRIu64, last->id);
	return apsp_list_rows_reply(req, APSP_TAKE(list), "jobs",
		json_pack("{s:s?}", "next", *cursor ? cursor : NULL), err);
}
