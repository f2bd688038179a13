/*
 * GET /v1/graphs/{graph}/path?from=U&to=V
 */
#include "api/endpoints.h"
#include "api/pair.h"
#include "api/path_json.h"
#include "api/reply.h"
#include "daemon/base/auto.h"

int apsp_api_get_path(struct apsp_request *req, struct apsp_err *err)
{
	APSP_AUTO(apsp_pair_done) struct apsp_pair pair = {0};
	APSP_AUTO(apsp_path_done) struct apsp_path path = {0};
	int r;

	r = apsp_request_pair(req, &pair, err);
	if (r != 0)
		return r < 0 ? r : 0;
	r = apsp_tables_path(
		pair.reading.tables, pair.from, pair.to, &path, err);
	if (r < 0)
		return r;
	return apsp_reply_json(req, MHD_HTTP_OK,
		apsp_path_json(&pair.reading, pair.from, pair.to, &path), err);
}
