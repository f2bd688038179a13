/*
 * GET /v1/graphs/{graph}/bundle?profile=&tables=none: the graph with its tables
 * as one file (bundle.h), or a range of the bytes of that file.
 */
#include <stdio.h>
#include <string.h>

#include "api/graphs/bundle.h"
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/range.h"
#include "api/http/reply.h"
#include "api/reading.h"
#include "daemon/base/auto.h"

static int begin(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_graph_snapshot_end)
	const struct apsp_graph_snapshot *snapshot = NULL;
	const char *tables = apsp_query_get(req, "tables");
	struct apsp_bundle_source source = {
		.store = req->config->store,
		.profile = apsp_query_get(req, "profile"),
		.no_tables = tables != NULL,
	};
	struct apsp_bundle *bundle;
	int r;

	if (tables && strcmp(tables, "none") != 0)
		return apsp_fail(err, APSP_EMALFORMED,
			"tables: found '%s', expected none", tables);
	r = apsp_reading_shown(req, &snapshot, &source.generation, err);
	source.snapshot = snapshot;
	if (r == 0)
		r = apsp_bundle_new(&source, &bundle, err);
	if (r < 0)
		return r;
	snapshot = NULL;
	req->state = bundle;
	req->state_free = apsp_bundle_free;
	return 0;
}

static int bundle_send(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_bundle_end) struct apsp_bundle *bundle = req->state;
	char name[sizeof("attachment; filename=\".apspd.tar\"") +
		  APSP_NAME_SIZE];
	struct apsp_stream stream;
	struct apsp_range range;
	int r;

	req->state = NULL;
	snprintf(name, sizeof(name), "attachment; filename=\"%s.apspd.tar\"",
		req->params[0]);
	r = apsp_reply_etag(req, apsp_bundle_id(bundle), err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_range_read(req, apsp_bundle_size(bundle), &range, err);
	if (r == 0)
		r = apsp_reply_header(req, "Content-Disposition", name, err);
	if (r < 0)
		return r;
	stream = apsp_bundle_stream(APSP_TAKE(bundle), range.begin, range.size);
	return apsp_stream_reply(req, range.status, &stream, err);
}

int apsp_api_get_bundle(struct apsp_request *req, struct apsp_err *err)
{
	int r;

	r = apsp_request_move(req, err);
	if (r == 0 && !req->state)
		r = begin(req, err);
	while (r == 0 && (r = apsp_bundle_step(req->state, err)) > 0) {
		if (apsp_request_again(req))
			return 0;
		r = 0;
	}
	return r < 0 ? r : bundle_send(req, err);
}
