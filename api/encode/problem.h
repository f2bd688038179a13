/*
 * Problems (RFC 9457): errors as clients read them. problems.def maps codes to
 * HTTP statuses.
 */
#ifndef APSP_API_ENCODE_PROBLEM_H
#define APSP_API_ENCODE_PROBLEM_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon/base/err.h"

/* A type of problem: a row of problems.def. */
struct apsp_problem_type {
	int code; /* error code, for which apsp_code_name() returns the type's
		     name */
	unsigned int status;
	const char *title;
	bool is_general; /* clients get a general detail; the error's message is
			    only for the log */
	const char *meaning;
	const char *remedy;
};

/* All types; the last has the code 0. */
extern const struct apsp_problem_type apsp_problem_types[];

/* The HTTP status of a code. */
unsigned int apsp_problem_status(int code);

/*
 * The problem of an error: type, title, status, detail, line and column if they
 * are known, and the members of `extra`, which may be NULL and is released.
 * `base` is the path under which a proxy serves requests and the pages of
 * problems; NULL: none. If the type is general, the detail is general, too, and
 * the message is only for the log. NULL: no memory.
 */
json_t *apsp_problem_json(
	const struct apsp_err *err, const char *base, json_t *extra);

/*
 * The problem as the text of an answer, with the request's id and a line feed.
 * The caller frees it. NULL: no memory.
 */
char *apsp_problem_text(const struct apsp_err *err, const char *base,
	json_t *extra, const char *request_id);

/*
 * Whether the client should try again, because the cause of this status is
 * temporary.
 */
bool apsp_problem_passes(unsigned int status);

#endif
