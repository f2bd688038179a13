/*
 * GET /problems/{problem}: the meaning of a type of problem and what to do.
 */
#include "api/handlers.h"
#include "api/page/problem_page.h"

int apsp_api_get_problem(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_problem_page_reply(req, req->params[0], err);
}
