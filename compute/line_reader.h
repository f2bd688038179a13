/*
 * Lines out of a child's pipe, in fixed memory: whatever the child writes, at
 * most one line of APSP_EVENT_LINE bytes is held.
 */
#ifndef APSP_COMPUTE_LINE_READER_H
#define APSP_COMPUTE_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/event.h"

struct apsp_line_reader {
	bool cut_long; /* give the start of an overlong line; else skip it */
	bool skipping; /* inside an overlong line */
	size_t used;
	char bytes[APSP_EVENT_LINE];
	void *ctx;
	/* A line without its newline; a NUL in it has become '?'. */
	void (*line)(void *ctx, const char *line);
};

/*
 * Read once from the non-blocking fd and give the lines that are complete.
 * Returns 1 if something was read, 0 at the end of the file or on an error, -1
 * if there is nothing to read now.
 */
int apsp_line_reader_read(struct apsp_line_reader *reader, int fd);

/* Give what is left without a newline: there will be no more. */
void apsp_line_reader_end(struct apsp_line_reader *reader);

#endif
