/*
 * Problems (RFC 9457): errors as clients read them. The one table that turns
 * codes into HTTP statuses is in problem.c.
 */
#ifndef APSP_API_HTTP_PROBLEM_H
#define APSP_API_HTTP_PROBLEM_H

#include <jansson.h>

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

#endif
