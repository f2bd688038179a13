/*
 * GET /problems/{problem}: an explanation of one type of problem, with a remedy
 * for the client.
 */
#include "api/handlers.h"
#include "api/page/problem_page.h"

int apsp_api_get_problem(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_problem_page_reply(req, req->params[0], err);
}
