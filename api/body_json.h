/*
 * Parses the JSON object in a request's body. If a member of this object is
 * wrong, the error reply (problem, RFC 9457) gets a JSON pointer that names the
 * member.
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
 * Call this before refusing a request because of one member of the request's
 * body. The error reply (problem) then has a JSON pointer (RFC 6901) that names
 * the member. If the member's name is too long, no pointer is added.
 */
void apsp_body_point(struct apsp_request *req, const char *name, size_t size);

/*
 * Refuse a request because of the member `name` of its body: call
 * apsp_body_point(), store the message that printf() would write, and return
 * APSP_EMALFORMED.
 */
__attribute__((format(printf, 4, 5))) int apsp_body_refuse(
	struct apsp_request *req, const char *name, struct apsp_err *err,
	const char *format, ...);

#endif
