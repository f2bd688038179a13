/*
 * The bytes of answers that libmicrohttpd does not send: refusals, and short
 * answers of api/http. Call begin, header for each header, then end. Also the
 * ids that all answers have, by which the log names a failure.
 */
#ifndef APSP_API_CONNECTION_ANSWER_H
#define APSP_API_CONNECTION_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/encode/text.h"

/*
 * Append the status line, Date, Retry-After where a client may try again, and
 * "Connection: close" if close is true.
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

#endif
