/*
 * Problems (RFC 9457): errors as clients read them. problems.def is the one
 * table that turns codes into HTTP statuses.
 */
#ifndef APSP_API_ENCODE_PROBLEM_H
#define APSP_API_ENCODE_PROBLEM_H

#include <jansson.h>
#include <stdbool.h>

#include "daemon/base/err.h"

/* A type of problem: a row of problems.def. */
struct apsp_problem_type {
	int code; /* apsp_code_name() of it is the type's name */
	unsigned int status;
	const char *title;
	bool is_general; /* the message is for the log alone */
	const char *meaning;
	const char *remedy;
};

/* All types; the last has the code 0. */
extern const struct apsp_problem_type apsp_problem_types[];

/* The HTTP status of a code. */
unsigned int apsp_problem_status(int code);

/*
 * The problem of an error: type, title, status, detail, where known line and
 * column, and the members of extra (taken over; may be NULL). base (NULL: none)
 * is the path that requests and so the pages of problems are behind. Where the
 * table says so the detail is general: the message is for the log. Used for
 * replies, rows of batches and job records. NULL: no memory.
 */
json_t *apsp_problem_json(
	const struct apsp_err *err, const char *base, json_t *extra);

/*
 * The same as the text of an answer, with the request's id and a line's end.
 * The caller frees it. NULL: no memory.
 */
char *apsp_problem_text(const struct apsp_err *err, const char *base,
	json_t *extra, const char *request_id);

/* Whether the client is told to try again: the cause of the status passes. */
bool apsp_problem_passes(unsigned int status);

#endif
