/*
 * GET /v1/openapi.json: the parameters and answers of each request.
 * api/contract generates the document.
 */
#include "api/handlers.h"
#include "api/packed_file.h"
#include "api/page/assets.h"

int apsp_api_get_openapi(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_packed_file_reply(req,
		apsp_packed_file_find(apsp_page_files, "openapi.json"),
		apsp_page_set, err);
}
