/*
 * The response of a reply that was made whole and is too long for a socket's
 * buffer. Its bytes count in the budget of answers until they are sent
 * (api/http/README.md, Answers share a budget).
 */
#ifndef APSP_API_HTTP_WHOLE_H
#define APSP_API_HTTP_WHOLE_H

#include <microhttpd.h>

#include "api/encode/text.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Make the response, which the caller queues. It owns the memory of bytes,
 * which is empty afterwards. APSP_EBUSY, APSP_ESEARCH: the budget has no room
 * for them; APSP_ENOMEM.
 */
int apsp_whole_response(struct apsp_request *req, struct apsp_text *bytes,
	struct MHD_Response **out, struct apsp_err *err);

#endif
