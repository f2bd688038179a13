/* Keeps the last lines of a solver's stderr; see stderr_tail.h. */
#include "compute/worker/stderr_tail.h"

#include <stdio.h>
#include <string.h>

#include "daemon/base/utf8.h"

void apsp_stderr_tail_add(struct apsp_stderr_tail *tail, const char *line)
{
	char *last = tail->lines[tail->n % APSP_STDERR_TAIL_LINES];

	/* leave out lines of dashes, because mpirun prints one below its last
	   message */
	if (!line[strspn(line, " -")])
		return;
	snprintf(last, APSP_STDERR_TAIL_LINE_SIZE, "%s", line);
	apsp_utf8_clean(last);
	tail->n++;
}

const char *apsp_stderr_tail_get(
	const struct apsp_stderr_tail *tail, size_t number)
{
	return number < tail->n && number < APSP_STDERR_TAIL_LINES
		       ? tail->lines[(tail->n - 1 - number) %
				     APSP_STDERR_TAIL_LINES]
		       : NULL;
}
