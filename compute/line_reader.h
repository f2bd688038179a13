/*
 * Lines out of a pipe, in fixed memory: at most one line of
 * APSP_SOLVER_EVENT_LINE bytes is held, whatever the writer does.
 */
#ifndef APSP_COMPUTE_LINE_READER_H
#define APSP_COMPUTE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/solver_event.h"

struct apsp_line_reader {
	bool cut_long; /* true: give the start of a long line; false: skip it */
	bool skipping; /* in the rest of a long line */
	size_t used;
	char bytes[APSP_SOLVER_EVENT_LINE];
	void *ctx;
	/* A line without its newline; a NUL in it has become '?'. */
	void (*line)(void *ctx, const char *line);
};

/*
 * Read once from the non-blocking fd and give the complete lines. Returns 1 if
 * bytes were read, 0 at the end of the file or on an error, -1 if there are no
 * bytes now.
 */
int apsp_line_reader_read(struct apsp_line_reader *reader, int fd);

/* Give the last line, which has no newline. */
void apsp_line_reader_end(struct apsp_line_reader *reader);

#endif
