/*
 * The answer of a search for paths, as JSON.
 */
#ifndef APSP_API_PATHS_PATH_SEARCH_TEXT_H
#define APSP_API_PATHS_PATH_SEARCH_TEXT_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Reply with what the search of req->state has found, which is taken over. A
 * short answer is sent whole; of a long one the pool makes a block when the
 * client is ready for it. APSP_EBUSY, APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_path_search_reply(struct apsp_request *req, struct apsp_err *err);

#endif
