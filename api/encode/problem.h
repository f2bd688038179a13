/*
 * Problems (RFC 9457): errors as clients read them. The one table that turns
 * codes into HTTP statuses is in problem.c.
 */
#ifndef APSP_API_ENCODE_PROBLEM_H
#define APSP_API_ENCODE_PROBLEM_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon/base/err.h"

/* The HTTP status of a code. */
unsigned int apsp_problem_status(int code);

/*
 * The problem of an error: type, title, status, detail, where known line and
 * column, and the members of extra (taken over; may be NULL). If the
 * code has no row in the table, the status is 500 and the detail is general:
 * the message is for the log. Used for replies, rows of batches and job
 * records. NULL: no memory.
 */
json_t *apsp_problem_json(const struct apsp_err *err, json_t *extra);

/*
 * The same as the text of an answer, with the request's id and a line's end.
 * The caller frees it. NULL: no memory.
 */
char *apsp_problem_text(
	const struct apsp_err *err, json_t *extra, const char *request_id);

/* Whether the client is told to try again: the cause of the status passes. */
bool apsp_problem_passes(unsigned int status);

#endif
