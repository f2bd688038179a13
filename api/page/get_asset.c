/*
 * GET /assets/{set}/{file}: a file of the page.
 */
#include "api/handlers.h"
#include "api/page/page.h"

int apsp_api_get_asset(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_page_file_reply(req, req->params[0], req->params[1], err);
}
