/*
 * Answers that libmicrohttpd does not send: their bytes, and refusals, which
 * are problems that we send for bytes or connections that libmicrohttpd never
 * gets. Also the ids of requests, which all answers contain and the log names.
 */
#ifndef APSP_API_CONNECTION_ANSWER_H
#define APSP_API_CONNECTION_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"

/*
 * The bytes of an answer: call apsp_answer_begin(), apsp_answer_header() for
 * each header, then apsp_answer_end(). The first appends the status line, Date,
 * Retry-After where a client may try again, and "Connection: close" if close is
 * true.
 */
void apsp_answer_begin(struct apsp_text *out, unsigned int status, bool close);

/* Append a header to out, a struct apsp_text. Returns true. */
bool apsp_answer_header(void *out, const char *name, const char *value);

/* Append Content-Length, the end of the head, and the body. */
void apsp_answer_end(struct apsp_text *out, const char *body, size_t size);

enum {
	APSP_REQUEST_ID_SIZE = 17, /* 16 digits and NUL */
};

struct apsp_request_ids {
	atomic_uint_fast64_t next;
};

/* Begin at a random number, so that ids of two runs differ. */
void apsp_request_ids_init(struct apsp_request_ids *ids);

/* Store the next id. Any thread. */
void apsp_request_id_next(
	struct apsp_request_ids *ids, char out[APSP_REQUEST_ID_SIZE]);

struct apsp_refusals {
	struct apsp_request_ids *ids;
	const char *base; /* --base-path, for the URLs of problem types;
			     borrowed; NULL: none */
	/*
	 * Counts refused requests that libmicrohttpd never sees, by the code of
	 * the refusal; 0: the refusal was not sent whole. Any thread. A call
	 * upward (api/README.md, Calls upward).
	 */
	void (*count)(void *ctx, int code);
	void *ctx;
};

/*
 * Send the problem of an error with an id of its own and "Connection: close";
 * the caller ends the connection. Never blocks. Returns the error's code; 0: it
 * was not sent whole, because memory or room in the socket's buffer was
 * missing.
 */
int apsp_refusal_send(const struct apsp_refusals *refusals, int fd,
	const struct apsp_err *err);

#endif
