/*
 * The page at / and its files, as replies. All of them lie in the executable.
 */
#ifndef APSP_API_PAGE_PAGE_H
#define APSP_API_PAGE_PAGE_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/* Set the headers that every answer of HTML has, the policy before all. */
int apsp_page_headers(struct apsp_request *req, struct apsp_err *err);

/*
 * Reply with the page. Browsers ask for it again each time and mostly get 304.
 * APSP_ENOMEM.
 */
int apsp_page_reply(struct apsp_request *req, struct apsp_err *err);

/*
 * Reply with the OpenAPI document, which clients ask for again each time, too.
 * APSP_ENOMEM.
 */
int apsp_page_document_reply(struct apsp_request *req, struct apsp_err *err);

/*
 * Reply with a file of the page, which browsers keep for a year: set, a hash of
 * all files, is in its URL. APSP_ENOROUTE: there is no such file, or set is
 * that of another version; APSP_ENOMEM.
 */
int apsp_page_file_reply(struct apsp_request *req, const char *set,
	const char *name, struct apsp_err *err);

#endif
