/*
 * If-Match and If-None-Match as a precondition that storage checks.
 */
#ifndef APSP_API_CONDITION_HEADERS_H
#define APSP_API_CONDITION_HEADERS_H

#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/graphs.h"

/* The precondition of one request. Must not move: wanted points into it. */
struct apsp_condition_headers {
	struct apsp_precondition wanted;
	char tag[APSP_TAG_SIZE];
};

/*
 * The checks store the graph's revision in the request's change. Of a profile,
 * its name is the request's second parameter. APSP_EMALFORMED: a header is
 * neither * nor, for If-Match, one strong tag.
 */
int apsp_condition_headers_read(struct apsp_request *req,
	enum apsp_precondition_subject subject,
	struct apsp_condition_headers *out, struct apsp_err *err);

#endif
