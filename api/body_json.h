/*
 * Parses the JSON object in a request's body, and adds JSON pointers to the
 * members of this object to error replies (problems, RFC 9457).
 */
#ifndef APSP_API_BODY_JSON_H
#define APSP_API_BODY_JSON_H

#include <jansson.h>

#include "api/encode/json.h"
#include "api/http/request.h"
#include "daemon/base/err.h"

/*
 * Parse the buffered body; the caller releases *out. An object in which two
 * members have the same name is refused, because parsers disagree about which
 * of the two values counts.
 * APSP_EMALFORMED, with line and column: the body is not JSON, or not an
 * object.
 */
int apsp_body_json(
	const struct apsp_request *req, json_t **out, struct apsp_err *err);

/*
 * Check that the names of all members of the body's object are in the array
 * `names`, whose last item is NULL. APSP_EMALFORMED: a member has another name;
 * the error reply (problem) then has a JSON pointer to this member.
 */
int apsp_body_only(struct apsp_request *req, json_t *object,
	const char *const *names, struct apsp_err *err);

/*
 * Called before the caller refuses a request because of one member of its body.
 * Adds a JSON pointer (RFC 6901) that names this member to the error reply
 * (problem). If the name is too long, no pointer is added.
 */
void apsp_body_point(struct apsp_request *req, const char *name, size_t size);

#endif
