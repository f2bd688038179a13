/*
 * GET /readyz: whether database, cache directory and device can be used.
 */
#include "api/endpoints/endpoints.h"
#include "api/http/reply.h"
#include "compute/worker/worker.h"
#include "storage/store.h"

int apsp_api_get_readyz(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_err why = {0};
	int r;

	r = apsp_store_check(apsp_request_store(req), &why);
	if (r < 0)
		return apsp_fail(err, APSP_ENOTREADY,
			"the database cannot be used: %s", why.message);
	r = apsp_store_check_cache(apsp_request_store(req), &why);
	if (r < 0)
		return apsp_fail(err, APSP_ENOTREADY,
			"the cache directory cannot be used: %s", why.message);
	r = apsp_worker_devices(apsp_request_worker(req), NULL, 0, &why);
	if (r < 0)
		return apsp_fail(err, APSP_ENOTREADY,
			"the device cannot be used: %s", why.message);
	return apsp_reply_json(
		req, MHD_HTTP_OK, json_pack("{s:s}", "status", "ready"), err);
}
