/*
 * GET /v1/openapi.json: what each request takes and answers; api/contract makes
 * it.
 */
#include "api/handlers.h"
#include "api/page/page.h"

int apsp_api_get_openapi(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_page_document_reply(req, err);
}
