/*
 * The headers of all answers in HTML.
 */
#ifndef APSP_API_PAGE_PAGE_H
#define APSP_API_PAGE_PAGE_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Add the headers that every answer in HTML has, such as
 * Content-Security-Policy. APSP_ENOMEM.
 */
int apsp_page_headers(struct apsp_request *req, struct apsp_err *err);

#endif
