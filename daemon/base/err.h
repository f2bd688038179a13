/*
 * Errors. An error is a code and a message of one sentence. The message needs
 * no allocation, so even APSP_ENOMEM can be reported.
 *
 * A function that can fail returns 0 or a negative enum apsp_code and takes
 * `struct apsp_err *err` last; err may be NULL. err is written only on failure.
 * The message is written by the innermost function that knows what went wrong.
 */
#ifndef APSP_DAEMON_BASE_ERR_H
#define APSP_DAEMON_BASE_ERR_H

#include <stdarg.h>
#include <stdint.h>

enum {
	APSP_MESSAGE_SIZE = 512,
};

/* The codes of errors. daemon/base/README.md says how to add a code. */
enum apsp_code {
#define CODE(code, number, name) code = (number),
#include "daemon/base/codes.def"
#undef CODE
};

struct apsp_err {
	int code; /* a value of enum apsp_code; 0: nothing has failed */
	/* number of the wrong line in the uploaded data, counted from 1; 0: the
	   error is about no line */
	uint64_t line;
	/* number of the wrong byte within its line, counted from 1; 0: the
	   error is about no byte */
	uint64_t column;
	char message[APSP_MESSAGE_SIZE];
};

/*
 * Set *err, and return `code`, as in `return apsp_fail(err, APSP_EDB, "…", …)`.
 * In the message, '?' replaces control characters and bytes that are not UTF-8.
 * A message that is too long is cut between two characters, and ends with "…".
 */
__attribute__((format(printf, 3, 4))) int apsp_fail(
	struct apsp_err *err, enum apsp_code code, const char *format, ...);

/* Do the same as apsp_fail(), for an error in uploaded data. `line` and
   `column` count from 1. */
__attribute__((format(printf, 5, 6))) int apsp_fail_at(struct apsp_err *err,
	enum apsp_code code, uint64_t line, uint64_t column, const char *format,
	...);

/*
 * Do the same as apsp_fail(), for a failed system call; the message is "<what>:
 * <strerror>". The code is APSP_ENOSPACE for ENOSPC, EDQUOT and EFBIG;
 * APSP_ENOMEM for ENOMEM; APSP_EBUSY for the temporary errors EMFILE and
 * ENFILE; and APSP_EIO for all others.
 */
__attribute__((format(printf, 3, 4))) int apsp_fail_errno(
	struct apsp_err *err, int errno_value, const char *format, ...);

/* Return the name of a code: "negative-cycle" for APSP_ENEGCYCLE. If `code` is
   not a code, return "bug". */
const char *apsp_code_name(int code);

/* Return the code that has this name, or APSP_EBUG if no code has this name. */
int apsp_code_from_name(const char *name);

#endif
