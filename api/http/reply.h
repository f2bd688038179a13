/*
 * Whole replies: JSON, problems, empty replies. For streams see
 * api/http/rows.h. The functions that reply or add a header may fail with
 * APSP_ENOMEM, or with APSP_EBUG if there are more than APSP_REPLY_HEADERS_MAX
 * headers.
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

/* Reply with a JSON value, and release the value. APSP_ENOMEM: there is no
   memory, or `body` is NULL. */
int apsp_reply_json(struct apsp_request *req, unsigned int status, json_t *body,
	struct apsp_err *err);

/*
 * Reply with JSON text (api/encode/json_writer.h). The reply takes over the
 * memory of *text; *text is empty afterwards. APSP_ENOMEM.
 */
int apsp_reply_text(struct apsp_request *req, unsigned int status,
	struct apsp_text *text, struct apsp_err *err);

/*
 * Reply with bytes whose media type is `type`. The reply takes over the memory
 * of *bytes; *bytes is empty afterwards. If `type` is NULL, the reply has no
 * body. APSP_ENOMEM.
 */
int apsp_reply_bytes(struct apsp_request *req, unsigned int status,
	const char *type, struct apsp_text *bytes, struct apsp_err *err);

/* Reply 204, without a body. */
int apsp_reply_empty(struct apsp_request *req, struct apsp_err *err);

/* Add a header to the reply that will follow. The strings are copied. */
int apsp_reply_header(struct apsp_request *req, const char *name,
	const char *value, struct apsp_err *err);

/*
 * Set the ETag "<id>", and reply 304 if the request's If-None-Match has this
 * ETag. Returns 1 if the 304 was sent or queued, 0 if the handler must reply.
 * APSP_EPRECONDITION: the request's If-Match has only other ETags.
 */
int apsp_reply_etag(
	struct apsp_request *req, const char *id, struct apsp_err *err);

/* Whether a list of entity tags has this tag. If `strong` is true, a weak tag
   of the list, W/"…", never matches. */
bool apsp_reply_tags_hold(const char *list, const char *tag, bool strong);

/* Whether the request's If-None-Match has the ETag "<id>". If so,
   apsp_reply_etag() would reply 304. */
bool apsp_reply_is_known(const struct apsp_request *req, const char *id);

/*
 * Set the ETag "<revision>", with which If-Match is compared. Unlike
 * apsp_reply_etag(), never reply 304. This is for answers that may change while
 * the revision stays the same. APSP_EPRECONDITION: the request's If-Match has
 * only other ETags.
 */
int apsp_reply_revision(
	struct apsp_request *req, const char *revision, struct apsp_err *err);

/*
 * State in the reply's headers that the body is compressed: add
 * Content-Encoding, and put the coding's name into the ETag. APSP_ENOMEM.
 */
int apsp_reply_packed(struct apsp_request *req, enum apsp_packing coding,
	struct apsp_err *err);

/*
 * Reply with an error as a problem (apsp_problem_append()). `extra` has further
 * members of the problem; it is released, and may be NULL. Never fails: if
 * there is no memory for a reply, dispatch.c closes the connection.
 */
void apsp_reply_problem(
	struct apsp_request *req, const struct apsp_err *err, json_t *extra);

/*
 * Pass a finished response to libmicrohttpd, which begins to send it, and
 * release the response. Call this on the connection's thread.
 */
enum MHD_Result apsp_reply_hand_on(struct apsp_request *req,
	unsigned int status, struct MHD_Response *response);

/*
 * Add to a response the headers that every reply has, queue the response, and
 * release it. The body has `size_bytes` bytes; the client gets more time to
 * read a larger body.
 */
int apsp_reply_queue(struct apsp_request *req, unsigned int status,
	struct MHD_Response *response, uint64_t size_bytes,
	struct apsp_err *err);

/* Send a whole answer without libmicrohttpd. libmicrohttpd would send the same
   bytes. If `type` is NULL, there is no body. False: nothing was sent, for
   example because the answer has more than 16 KiB, or because the client has
   not read earlier answers. */
bool apsp_reply_direct(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body);

/*
 * Send the problem of req->err before all of the request's body has come.
 * libmicrohttpd cannot do this. The connection ends after this answer. False:
 * nothing was sent.
 */
bool apsp_reply_refuse(struct apsp_request *req);

#endif
