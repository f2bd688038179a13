/*
 * GET /v1/graphs/{graph}/reachable?from=U&to=V&min_width=: whether there is a
 * path from U to V. With min_width=, whether there is a path of at least this
 * width.
 */
#include "api/handlers.h"
#include "api/http/query.h"
#include "api/http/reply.h"
#include "api/paths/path_text.h"
#include "daemon/base/auto.h"
#include "storage/tables/lookup.h"
#include "storage/tables/pair_width.h"

int apsp_api_get_reachable(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_reading_done) struct apsp_reading reading = {0};
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};
	bool reachable, has_min_width;
	double min_width, width = 0;
	int r;

	r = apsp_query_number(
		req, "min_width", &has_min_width, &min_width, err);
	if (r == 0)
		r = apsp_reading_open_pair(req, &reading, err);
	if (r == 0)
		r = apsp_reading_bounds(&reading, false, has_min_width, err);
	if (r == 0)
		r = apsp_reading_etag(req, &reading, false, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_reading_reachable_row(req, &reading, err);
	if (r == 0 && has_min_width)
		r = apsp_pair_width_read(
			reading.tables, reading.from, reading.to, &width, err);
	else if (r == 0)
		r = apsp_lookup_reachable(reading.tables, reading.from,
			reading.to, &reachable, err);
	if (r < 0)
		return r;
	if (has_min_width)
		reachable = width > 0 && width >= min_width;
	apsp_json_object(&w);
	apsp_path_write_pair(&w, &reading, reading.from, reading.to);
	apsp_json_boolean_member(&w, "reachable", reachable);
	apsp_json_object_end(&w);
	return apsp_reply_text(req, MHD_HTTP_OK, &text, err);
}
