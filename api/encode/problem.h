/*
 * Problems (RFC 9457): errors as clients read them. problems.def maps error
 * codes to HTTP statuses.
 */
#ifndef APSP_API_ENCODE_PROBLEM_H
#define APSP_API_ENCODE_PROBLEM_H

#include <jansson.h>
#include <stdbool.h>

#include "api/encode/text.h"
#include "daemon/base/err.h"

/* A type of problem: a row of problems.def. */
struct apsp_problem_type {
	int code; /* error code; apsp_code_name(code) is the type's name */
	unsigned int status;
	const char *title;
	bool is_general; /* clients get a general text as the problem's
			    "detail"; the error's message is only for the log */
	const char *meaning;
	const char *remedy;
};

/* All types of problems. An element with the code 0 ends the array. */
extern const struct apsp_problem_type apsp_problem_types[];

/* Returns the HTTP status of an error code. */
unsigned int apsp_problem_status(int code);

/*
 * Returns the problem (RFC 9457) that describes an error. Its members are type,
 * title, status and detail, line and column if the error has them, and the
 * members of `extra`. `extra` is released; it may be NULL. The member "type" is
 * the URL path of a page about this type of problem. If a proxy serves the
 * daemon's pages under a longer path, `base` is the beginning of that path;
 * otherwise `base` is NULL. If the problem's type has is_general, the detail is
 * a general text, and the error's message is only for the log. The caller
 * releases the result. Returns NULL if there is no memory.
 */
json_t *apsp_problem_json(
	const struct apsp_err *err, const char *base, json_t *extra);

/*
 * Append the problem that describes an error to the body of an answer. The
 * problem has the request's id, and ends with a line feed. `extra` is released.
 * If there is no memory, the body is marked as failed.
 */
void apsp_problem_append(const struct apsp_err *err, const char *base,
	json_t *extra, const char *request_id, struct apsp_text *body);

/*
 * Whether the cause of this status is temporary, so that the client should try
 * again.
 */
bool apsp_problem_passes(unsigned int status);

#endif
