/*
 * The pages that explain types of problems, as JSON, text or HTML. A page has
 * the meaning of a type, its cause and a remedy. The sentences are in
 * api/encode/problems.def.
 */
#ifndef APSP_API_PAGE_PROBLEM_PAGE_H
#define APSP_API_PAGE_PROBLEM_PAGE_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Reply with a description of the type of problem called `name`, or of all
 * types if `name` is NULL. The format is req->format. APSP_ENOROUTE: no type
 * has this name; APSP_ENOMEM.
 */
int apsp_problem_page_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err);

#endif
