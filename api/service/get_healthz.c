/*
 * GET /healthz: shows that the process answers.
 */
#include "api/handlers.h"
#include "api/http/reply.h"

int apsp_api_get_healthz(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_reply_json(
		req, MHD_HTTP_OK, json_pack("{s:s}", "status", "ok"), err);
}
