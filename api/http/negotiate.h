/*
 * The representation that a client accepts: JSON or NDJSON.
 */
#ifndef APSP_API_HTTP_NEGOTIATE_H
#define APSP_API_HTTP_NEGOTIATE_H

#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Decide by ?format=, else by Accept, and keep the decision in the request.
 * The query must have been parsed. APSP_ENOTACCEPTABLE: the client accepts
 * neither; APSP_EMALFORMED: no such format.
 */
int apsp_negotiate_format(struct apsp_request *req, struct apsp_err *err);

#endif
