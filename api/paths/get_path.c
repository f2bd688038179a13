/*
 * GET /v1/graphs/{graph}/path?from=U&to=V: one shortest path out of the tables.
 * With ?ties=, ?k=, ?avoid= or ?hops=, the answer comes from a search over the
 * arcs.
 */
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/paths/path_search.h"
#include "api/paths/path_search_text.h"
#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

enum {
	LONG_HOPS = 512, /* writing so many arcs takes a ms or more */
};

static int look_up(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};
	int r;

	r = apsp_reading_open_pair(req, &reading, err);
	if (r == 0)
		r = apsp_reading_etag(req, &reading, false, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_lookup_path(
		reading.tables, reading.from, reading.to, &path, err);
	if (r == 0 && path.hops > LONG_HOPS)
		r = apsp_request_move(req, err);
	if (r < 0)
		return r;
	apsp_path_write(&w, &reading, reading.from, reading.to, &path);
	return apsp_reply_text(req, MHD_HTTP_OK, &text, err);
}

int apsp_api_get_path(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_path_options options;
	int r;

	r = apsp_path_options_read(req, &options, err);
	if (r < 0)
		return r;
	if (options.kind == APSP_PATH_ONE)
		return look_up(req, err);
	r = apsp_path_search_run(req, &options, err);
	return r <= 0 ? r : apsp_path_search_reply(req, err);
}
