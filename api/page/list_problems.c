/*
 * GET /problems/: the list of all types of problems (error replies).
 */
#include "api/handlers.h"
#include "api/page/problem_page.h"

int apsp_api_list_problems(struct apsp_request *req, struct apsp_err *err)
{
	return apsp_problem_page_reply(req, NULL, err);
}
