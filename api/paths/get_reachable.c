/*
 * GET /v1/graphs/{graph}/reachable?from=U&to=V: whether a path exists.
 */
#include "api/handlers.h"
#include "api/http/reply.h"
#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"

int apsp_api_get_reachable(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};
	bool reachable;
	int r;

	r = apsp_reading_open_pair(req, &reading, err);
	if (r == 0)
		r = apsp_reading_etag(req, &reading, false, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_reading_reachable_row(req, &reading, err);
	if (r == 0)
		r = apsp_lookup_reachable(reading.tables, reading.from,
			reading.to, &reachable, err);
	if (r < 0)
		return r;
	apsp_json_object(&w);
	apsp_path_write_pair(&w, &reading, reading.from, reading.to);
	apsp_json_boolean_member(&w, "reachable", reachable);
	apsp_json_object_end(&w);
	return apsp_reply_text(req, MHD_HTTP_OK, &text, err);
}
