/*
 * Reads lines from a pipe into memory of a fixed size. The reader holds at most
 * one line of APSP_SOLVER_EVENT_LINE bytes, even if the writer's lines are
 * longer.
 */
#ifndef APSP_COMPUTE_LINE_READER_H
#define APSP_COMPUTE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/solver_event.h"

struct apsp_line_reader {
	/* true: report the beginning of a line that is too long; false: skip
	   such a line */
	bool cut_long;
	bool skipping; /* true: the reader skips the rest of a line that is too
			  long */
	size_t used;
	char bytes[APSP_SOLVER_EVENT_LINE];
	void *ctx;
	/* Called with each line, without its newline. Each NUL in the line is
	   replaced by '?'. */
	void (*line)(void *ctx, const char *line);
};

/*
 * Read once from the non-blocking fd and report the complete lines. Returns 1
 * if bytes were read, 0 at the end of the file or on an error, -1 if there are
 * no bytes now.
 */
int apsp_line_reader_read(struct apsp_line_reader *reader, int fd);

/* Call this at the end of the input. If the last line has no newline, the
   function reports it. */
void apsp_line_reader_end(struct apsp_line_reader *reader);

#endif
