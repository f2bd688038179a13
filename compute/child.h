/*
 * One child process, run to its end: the solver (design.md, decision 1).
 *
 *	stdin   control: nothing is ever written, its end means stop
 *	stdout  lines for `line`
 *	stderr  lines for `log`
 *
 * It leads its own process group, has no other descriptor of ours, no blocked
 * or ignored signals, and nothing of its group is left when it has ended.
 */
#ifndef APSP_COMPUTE_CHILD_H
#define APSP_COMPUTE_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

enum {
	APSP_CHILD_TERM_MS = 2000,   /* from TERM to KILL */
	APSP_CHILD_KILL_MS = 900,    /* from KILL to giving up */
	APSP_CHILD_LINGER_MS = 3000, /* from the last line to TERM */
};

struct apsp_child_config {
	const char *const *argv; /* NULL-terminated; argv[0] is the path */
	char *const *env;
	int wake_fd;	/* eventfd, non-blocking: ask `stop` again; emptied */
	int timeout_ms; /* ended like by `stop` after this; 0: never */
	void *ctx;
	bool (*stop)(void *ctx); /* true: end it now */
	/* One line of stdout; true: it was the last that matters. */
	bool (*line)(void *ctx, const char *line);
	void (*log)(void *ctx, const char *line); /* one line of stderr */
};

struct apsp_child_end {
	bool timed_out;
	bool lost;  /* did not even end by KILL; status says nothing */
	int status; /* as of waitpid(2) */
};

/*
 * Start the child and wait for its end; the functions of config are called on
 * this thread meanwhile. To stop it: TERM to the group and end of its stdin,
 * KILL after APSP_CHILD_TERM_MS.
 *
 * The process must have no other children: strays that ended late, or that the
 * child left to a daemon running as process 1, are collected here.
 *
 * Returns 0 when it has ended in whatever way. APSP_ESOLVER: cannot be started.
 */
int apsp_child_run(const struct apsp_child_config *config,
	struct apsp_child_end *out, struct apsp_err *err);

/*
 * How it ended, as a phrase: "was killed by signal 11 (Segmentation fault)",
 * "ended with status 3".
 */
void apsp_child_end_describe(
	const struct apsp_child_end *end, char *out, size_t size);

#endif
