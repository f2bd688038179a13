/*
 * One child process, run to its end (compute/worker/README.md, A child owns the
 * device). This file knows nothing of solvers.
 *
 *	stdin   control: nothing is ever written; end of file means stop
 *	stdout  lines for `line`
 *	stderr  lines for `log`
 *
 * The child leads its own process group, inherits no other descriptor, and
 * starts without blocked or ignored signals. When it has ended, its group is
 * killed.
 */
#ifndef APSP_COMPUTE_WORKER_CHILD_PROCESS_H
#define APSP_COMPUTE_WORKER_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

struct apsp_child_process_config {
	const char *const *argv; /* NULL-terminated; argv[0] is the path */
	char *const *env;
	/* non-blocking eventfd; emptied. A write makes us ask `stop` again */
	int wake_fd;
	int timeout_ms; /* then the child is stopped; 0: never */
	int linger_ms;	/* from the last line to TERM */
	int term_ms;	/* from TERM to KILL */
	int kill_ms;	/* from KILL to giving up */
	void *ctx;
	bool (*stop)(void *ctx); /* true: stop the child now */
	/* One line of stdout; true: no later line matters. */
	bool (*line)(void *ctx, const char *line);
	void (*log)(void *ctx, const char *line); /* one line of stderr */
};

struct apsp_child_process_end {
	bool timed_out;
	bool lost;  /* not even KILL ended it; status means nothing */
	int status; /* of waitpid(2) */
};

/*
 * Start the child and wait for its end; the functions of config are called on
 * this thread meanwhile. A child is stopped by TERM to its group and end of
 * file on its stdin, then by KILL after config->term_ms.
 *
 * Our process must have no other children, because every dead child is reaped
 * here: also one that ended late, and orphans where we run as process 1.
 *
 * Returns 0 however the child ended. APSP_ESOLVER: it cannot be started.
 */
int apsp_child_process_run(const struct apsp_child_process_config *config,
	struct apsp_child_process_end *out, struct apsp_err *err);

/*
 * How the child ended, as a phrase: "was killed by signal 11 (Segmentation
 * fault)", "ended with status 3".
 */
void apsp_child_process_end_describe(
	const struct apsp_child_process_end *end, char *out, size_t size);

#endif
