/*
 * The last lines that a solver has printed on stderr. If the solver dies, the
 * error of its job quotes them.
 */
#ifndef APSP_COMPUTE_WORKER_STDERR_TAIL_H
#define APSP_COMPUTE_WORKER_STDERR_TAIL_H

#include <stddef.h>

enum {
	APSP_STDERR_TAIL_LINES = 2,
	APSP_STDERR_TAIL_LINE_SIZE = 120,
};

/* An object that is initialised with {0} has no lines. */
struct apsp_stderr_tail {
	char lines[APSP_STDERR_TAIL_LINES][APSP_STDERR_TAIL_LINE_SIZE];
	/* number of lines that were stored so far; when `lines` is full, a new
	   line replaces the oldest line */
	size_t n;
};

/* Store a line, shortened, with printable characters only. Lines of dashes and
   empty lines are ignored. */
void apsp_stderr_tail_add(struct apsp_stderr_tail *tail, const char *line);

/* Return the last line (number 0), or the line before it (number 1), borrowed;
   NULL: there is no such line. */
const char *apsp_stderr_tail_get(
	const struct apsp_stderr_tail *tail, size_t number);

#endif
