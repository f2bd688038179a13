/*
 * Whole replies: JSON, problems, no body. Streams are in api/http/rows.h.
 * Sending a reply and adding a header may fail with APSP_ENOMEM. More headers
 * than APSP_REPLY_HEADERS_MAX are APSP_EBUG.
 */
#ifndef APSP_API_HTTP_REPLY_H
#define APSP_API_HTTP_REPLY_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/encode/compressor.h"
#include "api/encode/text.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/* Reply with a JSON value and release it. APSP_ENOMEM; also if body is NULL. */
int apsp_reply_json(struct apsp_request *req, unsigned int status, json_t *body,
	struct apsp_err *err);

/*
 * Reply with JSON text (api/encode/json_writer.h). The reply owns its memory:
 * text is empty afterwards. APSP_ENOMEM.
 */
int apsp_reply_text(struct apsp_request *req, unsigned int status,
	struct apsp_text *text, struct apsp_err *err);

/*
 * Reply with bytes of a media type. The reply owns their memory: bytes is empty
 * afterwards. type NULL: there are no bytes. APSP_ENOMEM.
 */
int apsp_reply_bytes(struct apsp_request *req, unsigned int status,
	const char *type, struct apsp_text *bytes, struct apsp_err *err);

/* Reply 204, without a body. */
int apsp_reply_empty(struct apsp_request *req, struct apsp_err *err);

/* Add a header to the reply that follows; strings are copied. */
int apsp_reply_header(struct apsp_request *req, const char *name,
	const char *value, struct apsp_err *err);

/*
 * Set the ETag ("<id>"), and answer 304 if If-None-Match names it. Returns 1 if
 * the 304 is queued, 0 if the handler must answer, or a negative code.
 * APSP_EPRECONDITION: If-Match names another ETag.
 */
int apsp_reply_etag(
	struct apsp_request *req, const char *id, struct apsp_err *err);

/*
 * Set the ETag that If-Match is compared with, and never answer 304: for
 * answers that change under the same revision. APSP_EPRECONDITION: as above.
 */
int apsp_reply_revision(
	struct apsp_request *req, const char *revision, struct apsp_err *err);

/*
 * Declare that the answer at this URL never changes, so that browsers need not
 * ask again. The answer must have an ETag.
 */
void apsp_reply_immutable(struct apsp_request *req);

/*
 * Add the coding of a compressed answer to its headers and to its ETag.
 */
int apsp_reply_packed(struct apsp_request *req, enum apsp_packing coding,
	struct apsp_err *err);

/*
 * Reply with the problem of an error (apsp_problem_json()) and the members of
 * extra, which is released and may be NULL. Never fails: without memory for a
 * reply, dispatch.c closes the connection.
 */
void apsp_reply_problem(
	struct apsp_request *req, const struct apsp_err *err, json_t *extra);

/*
 * Queue a finished response in libmicrohttpd, which begins to send it, and
 * release it. On the connection's thread.
 */
enum MHD_Result apsp_reply_hand_on(struct apsp_request *req,
	unsigned int status, struct MHD_Response *response);

/*
 * Queue a response with the headers that every reply has, and release it. The
 * time that the client has for reading grows with size_bytes.
 */
int apsp_reply_queue(struct apsp_request *req, unsigned int status,
	struct MHD_Response *response, uint64_t size_bytes,
	struct apsp_err *err);

/*
 * Send a whole answer past libmicrohttpd, with the same bytes, or send nothing.
 * False: nothing was sent, because the answer is larger than 16 KiB or the
 * client has not read its last answers. type NULL: there is no body.
 */
bool apsp_reply_direct(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body);

/*
 * Send the problem of req->err while the request's body is still coming, which
 * libmicrohttpd cannot do; the connection ends after this answer. False:
 * nothing was sent.
 */
bool apsp_reply_refuse(struct apsp_request *req);

#endif
