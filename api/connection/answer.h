/*
 * Answers that we send as text, without libmicrohttpd. Some of these answers
 * are refusals: error answers to requests or connections that libmicrohttpd
 * never gets. This file also makes the ids of requests, which are in every
 * answer and in the log. struct apsp_upward has the functions of api/http that
 * this directory calls.
 */
#ifndef APSP_API_CONNECTION_ANSWER_H
#define APSP_API_CONNECTION_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"
#include "daemon/base/log.h"

/*
 * Append an answer to `out` in three steps: call apsp_answer_begin(), then
 * apsp_answer_header() for each header, then apsp_answer_end(). The first step
 * appends the status line, Date, and "Connection: close" if `close` is true.
 */
void apsp_answer_begin(struct apsp_text *out, unsigned int status, bool close);

/* Append a header to `out`, which points to a struct apsp_text. Always returns
   true. */
bool apsp_answer_header(void *out, const char *name, const char *value);

/* Append Content-Length, the end of the head, and the body. */
void apsp_answer_end(struct apsp_text *out, const char *body, size_t size);

enum {
	APSP_REQUEST_ID_SIZE = 17, /* 16 hexadecimal digits and NUL */
};

struct apsp_request_ids {
	atomic_uint_fast64_t next;
};

/* Start the ids at a random number, so that two runs of the daemon use
   different ids. */
void apsp_request_ids_init(struct apsp_request_ids *ids);

/* Store the next id in `out`, as 16 hexadecimal digits. Any thread may call
   this function. */
void apsp_request_id_next(
	struct apsp_request_ids *ids, char out[APSP_REQUEST_ID_SIZE]);

struct apsp_connection;

/*
 * The functions and data of api/http that this directory uses. This directory
 * is not allowed to include headers of api/http, which is a layer above
 * (api/README.md, Calls upward).
 */
struct apsp_upward {
	struct apsp_request_ids *ids;
	/* the value of --base-path, a prefix of the URLs of problem types;
	   borrowed; NULL: no prefix */
	const char *base;
	/* the level of the log lines about requests and connections that are
	   refused before libmicrohttpd sees them */
	enum apsp_log_level log_level;
	/*
	 * Count a refused request that libmicrohttpd never sees. `code` is the
	 * error code of the refusal, or 0 if the refusal could not be sent
	 * whole. Any thread may call this function.
	 */
	void (*count)(void *ctx, int code);
	/*
	 * Try to answer a request before libmicrohttpd sees it. Called if
	 * `bytes` are exactly one whole request and no other request of the
	 * connection is under way. conn->framing.parts has the parts of the
	 * request's head. True: the answer was sent, and libmicrohttpd gets
	 * none of the bytes. False: nothing was sent, and libmicrohttpd gets
	 * all the bytes.
	 */
	bool (*answer)(void *ctx, struct apsp_connection *conn,
		const char *bytes, size_t size);
	void *ctx;
};

/*
 * Send an error to the client as a problem (RFC 9457), with "Connection:
 * close". The caller ends the connection. Never blocks. `request_id` is the id
 * of the refused request, if libmicrohttpd has begun it; the request's line in
 * the log then reports the refusal. If `request_id` is NULL, this function
 * makes an id, and logs the refusal. Returns the error's code if the problem
 * was sent whole. Returns 0 if there was not enough memory, or if the socket's
 * send buffer had no space for the whole problem.
 */
int apsp_refusal_send(const struct apsp_upward *upward, int fd,
	const char *request_id, const struct apsp_err *err);

#endif
