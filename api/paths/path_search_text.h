/*
 * The answer of a search for paths, as JSON.
 */
#ifndef APSP_API_PATHS_PATH_SEARCH_TEXT_H
#define APSP_API_PATHS_PATH_SEARCH_TEXT_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Reply with the result of the search in req->state; the reply then owns the
 * search. A short answer is sent whole. A long answer is written by the pool,
 * one block at a time, when the client is ready for it. APSP_EBUSY,
 * APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_path_search_reply(struct apsp_request *req, struct apsp_err *err);

#endif
