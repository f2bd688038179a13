/*
 * The JSON object in a request's body, and problems that point into it.
 */
#ifndef APSP_API_BODY_JSON_H
#define APSP_API_BODY_JSON_H

#include <jansson.h>

#include "api/encode/json.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Parse the buffered body; the caller releases *out. An object with the same
 * name twice is refused, because readers disagree which one counts.
 * APSP_EMALFORMED with line and column: no JSON, or not an object.
 */
int apsp_body_json(
	const struct apsp_request *req, json_t **out, struct apsp_err *err);

/*
 * Check that `names`, which NULL ends, contains the names of all members of the
 * request's object. APSP_EMALFORMED: one is not there; the problem then points
 * to this member.
 */
int apsp_body_only(struct apsp_request *req, json_t *object,
	const char *const *names, struct apsp_err *err);

/*
 * Make a problem point to a member of the body: the problem with which the
 * caller then refuses the request gets a JSON pointer (RFC 6901) to this
 * member. If the name is too long, no pointer is added.
 */
void apsp_body_point(struct apsp_request *req, const char *name, size_t size);

#endif
