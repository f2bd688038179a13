/*
 * GET /v1/jobs?graph=&limit=&cursor=: newest first; the cursor is the last id
 * of the page before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/endpoints/endpoints.h"
#include "api/http/query.h"
#include "api/http/rows.h"
#include "api/job_json.h"
#include "api/list_page.h"
#include "daemon/base/auto.h"

struct job_rows {
	struct apsp_request *req; /* lives as long as the reply */
	size_t n;
	size_t next;
	struct apsp_job_record records[];
};

static void job_rows_free(void *ctx)
{
	struct job_rows *rows = ctx;

	if (!rows)
		return;
	for (size_t i = 0; i < rows->n; i++)
		apsp_job_record_done(&rows->records[i]);
	free(rows);
}

APSP_AUTO_DEFINE(job_rows_end, struct job_rows, job_rows_free);

static int job_rows_next(void *ctx, json_t **out, struct apsp_err *err)
{
	struct job_rows *rows = ctx;

	if (rows->next == rows->n)
		return 0;
	*out = apsp_job_json(rows->req, &rows->records[rows->next++]);
	return *out ? 1 : apsp_fail(err, APSP_ENOMEM, "out of memory");
}

/* At most limit jobs older than `before`; *out_more: whether more follow. */
static int job_rows_new(struct apsp_request *req, uint64_t before, size_t limit,
	struct job_rows **out, bool *out_more, struct apsp_err *err)
{
	const char *graph = apsp_query_get(req, "graph");
	APSP_AUTO(job_rows_end) struct job_rows *rows = NULL;
	int n;

	rows = calloc(
		1, sizeof(*rows) + (limit + 1) * sizeof(rows->records[0]));
	if (!rows)
		return apsp_fail(err, APSP_ENOMEM, "out of memory");
	rows->req = req;
	n = apsp_jobs_list(apsp_request_store(req), graph, before,
		rows->records, limit + 1, err);
	if (n < 0)
		return n;
	rows->n = (size_t)n;
	*out_more = rows->n > limit;
	if (*out_more)
		apsp_job_record_done(&rows->records[--rows->n]);
	*out = APSP_TAKE(rows);
	return 0;
}

int apsp_api_list_jobs(struct apsp_request *req, struct apsp_err *err)
{
	static const char *const names[] = {
		"graph", "limit", "cursor", "format", NULL};
	APSP_AUTO(job_rows_end) struct job_rows *ctx = NULL;
	struct apsp_rows rows = {
		.name = "jobs",
		.next = job_rows_next,
		.done = job_rows_free,
	};
	char cursor[24] = "";
	uint64_t before;
	size_t limit;
	bool more = false;
	int r;

	r = apsp_query_only(req, names, err);
	if (r < 0)
		return r;
	r = apsp_list_page_limit(req, &limit, err);
	if (r < 0)
		return r;
	r = apsp_query_uint(req, "cursor", 1, INT64_MAX, 0, &before, err);
	if (r < 0)
		return r;
	r = job_rows_new(req, before, limit, &ctx, &more, err);
	if (r < 0)
		return r;
	if (more)
		snprintf(cursor, sizeof(cursor), "%" PRIu64,
			ctx->records[ctx->n - 1].id);
	rows.ctx = APSP_TAKE(ctx);
	return apsp_list_page_reply(
		req, "/v1/jobs", more ? cursor : NULL, &rows, err);
}
