/*
 * The pages that explain types of problems, as JSON, text or HTML: what each
 * type means, when it occurs and what to do. The sentences are in
 * api/encode/problems.def.
 */
#ifndef APSP_API_PAGE_PROBLEM_PAGE_H
#define APSP_API_PAGE_PROBLEM_PAGE_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Reply with the type of problem called `name`, or with all types if `name` is
 * NULL. The format is req->format. APSP_ENOROUTE: there is no such type;
 * APSP_ENOMEM.
 */
int apsp_problem_page_reply(
	struct apsp_request *req, const char *name, struct apsp_err *err);

#endif
