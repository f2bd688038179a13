/*
 * The JSON object in a request's body, and refusals that point into it.
 */
#ifndef APSP_API_BODY_JSON_H
#define APSP_API_BODY_JSON_H

#include <jansson.h>

#include "api/encode/json.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

enum {
	APSP_POINTER_SIZE = 160, /* JSON pointer (RFC 6901) with its NUL */
};

/*
 * Parse the buffered body; the caller releases *out. An object with the same
 * name twice is refused, because readers disagree which one counts.
 * APSP_EMALFORMED with line and column: no JSON, or not an object.
 */
int apsp_body_json(
	const struct apsp_request *req, json_t **out, struct apsp_err *err);

/*
 * Check that all members of the object are among names (NULL-terminated).
 * APSP_EMALFORMED: one is not, and out_pointer points to it.
 */
int apsp_body_only(json_t *object, const char *const *names,
	char out_pointer[APSP_POINTER_SIZE], struct apsp_err *err);

/*
 * Write "/" and the name, with "~" and "/" in it escaped (RFC 6901). If there
 * is no room for all of it, write "", which points nowhere.
 */
void apsp_body_pointer(
	const char *name, size_t size, char out[APSP_POINTER_SIZE]);

/*
 * Reply with the problem of err and the pointer, and return 0. If the pointer
 * is "", return err's code, so that the server replies.
 */
int apsp_body_refuse(struct apsp_request *req, const char *pointer,
	const struct apsp_err *err);

#endif
