/*
 * A request that is answered past libmicrohttpd (api/http/express.h), as the
 * files that all requests pass see it: its head, and the answer's body.
 */
#ifndef APSP_API_HTTP_EXPRESS_CALL_H
#define APSP_API_HTTP_EXPRESS_CALL_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/encode/text.h"

enum {
	APSP_EXPRESS_HEAD_MAX = 2048, /* bytes */
	APSP_EXPRESS_FIELDS_MAX = 24,
};

struct apsp_express_field {
	const char *name;
	const char *value;
};

struct apsp_express_call {
	char head[APSP_EXPRESS_HEAD_MAX + 1]; /* cut into the texts below */
	const char *target;
	struct apsp_express_field fields[APSP_EXPRESS_FIELDS_MAX];
	size_t n_fields;
	const char *type; /* of the answer; NULL: it has no body */
	struct apsp_text body;
};

/*
 * Read the bytes of a whole request, which the framing has found good, so that
 * lines end with CRLF, names have no blanks, and nothing is a control
 * character. False: the request is for libmicrohttpd, because it is no plain
 * GET of HTTP/1.1 without a body on a connection that stays. The caller ends
 * *out with apsp_express_call_done().
 */
bool apsp_express_call_read(
	struct apsp_express_call *out, const char *bytes, size_t size);
void apsp_express_call_done(struct apsp_express_call *call);

/* A header, or NULL. */
const char *apsp_express_call_header(
	const struct apsp_express_call *call, const char *name);

/* As MHD_get_connection_values(), of the headers. */
void apsp_express_call_headers(const struct apsp_express_call *call,
	MHD_KeyValueIterator look, void *ctx);

/* Keep the answer's body, which is taken over, and its type (NULL: none). */
void apsp_express_call_keep(struct apsp_express_call *call, const char *type,
	struct apsp_text *body);

#endif
