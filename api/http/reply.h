/*
 * Replies that are whole: JSON, problems, no body. api/http/rows.h streams. To
 * send a reply or to add a header fails with APSP_ENOMEM; a header more than
 * APSP_REPLY_HEADERS_MAX is APSP_EBUG.
 */
#ifndef APSP_API_HTTP_REPLY_H
#define APSP_API_HTTP_REPLY_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdint.h>

#include "api/encode/compressor.h"
#include "api/encode/text.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/* Reply with a JSON value, which is taken over (NULL: APSP_ENOMEM). */
int apsp_reply_json(struct apsp_request *req, unsigned int status, json_t *body,
	struct apsp_err *err);

/*
 * Reply with a value of JSON that was written (api/encode/json_writer.h). Its
 * memory is taken over: text is empty afterwards. APSP_ENOMEM.
 */
int apsp_reply_text(struct apsp_request *req, unsigned int status,
	struct apsp_text *text, struct apsp_err *err);

/*
 * Reply with bytes of a media type, whose memory is taken over: the text is
 * empty afterwards. type NULL: there are no bytes. APSP_ENOMEM.
 */
int apsp_reply_bytes(struct apsp_request *req, unsigned int status,
	const char *type, struct apsp_text *bytes, struct apsp_err *err);

/* Reply 204, without a body. */
int apsp_reply_empty(struct apsp_request *req, struct apsp_err *err);

/* Add a header to the reply that follows; strings are copied. */
int apsp_reply_header(struct apsp_request *req, const char *name,
	const char *value, struct apsp_err *err);

/*
 * Set the ETag ("<id>") and answer 304 if If-None-Match holds it. Returns 1 if
 * the 304 is queued, 0 to go on, or a negative code. APSP_EPRECONDITION:
 * If-Match holds another.
 */
int apsp_reply_etag(
	struct apsp_request *req, const char *id, struct apsp_err *err);

/*
 * Set the ETag that If-Match compares with, and never answer 304: for answers
 * that change under the same revision. APSP_EPRECONDITION: as above.
 */
int apsp_reply_revision(
	struct apsp_request *req, const char *revision, struct apsp_err *err);

/*
 * What lies at this URL never changes: browsers need not ask again. For an
 * answer that has an ETag.
 */
void apsp_reply_immutable(struct apsp_request *req);

/*
 * The answer that follows is compressed: its headers and its ETag say so. For
 * stream.c.
 */
int apsp_reply_packed(struct apsp_request *req, enum apsp_packing coding,
	struct apsp_err *err);

/*
 * Reply with the problem of an error (apsp_problem_json()), with the members of
 * extra, which is taken over and may be NULL. Never fails: without memory for a
 * reply dispatch.c closes the connection.
 */
void apsp_reply_problem(
	struct apsp_request *req, const struct apsp_err *err, json_t *extra);

/*
 * Give a finished response, which is taken over, to libmicrohttpd: its sending
 * begins. On the connection's thread.
 */
enum MHD_Result apsp_reply_hand_on(struct apsp_request *req,
	unsigned int status, struct MHD_Response *response);

/*
 * Call put() for each header of the reply but Content-Type. Ends with false
 * where put() returns false, else with true.
 */
bool apsp_reply_headers(const struct apsp_request *req,
	bool (*put)(void *ctx, const char *name, const char *value), void *ctx);

/*
 * Queue a response, which is taken over, with the headers that every reply has;
 * for stream.c. The client has the longer to read it, the larger size_bytes is.
 */
int apsp_reply_queue(struct apsp_request *req, unsigned int status,
	struct MHD_Response *response, uint64_t size_bytes,
	struct apsp_err *err);

#endif
