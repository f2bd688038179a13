/*
 * One child process (compute/worker/README.md, A child owns the device). This
 * file knows nothing of solvers.
 *
 *	stdin   control: lines for the child; end of file means stop
 *	stdout  lines for `line`
 *	stderr  lines for `log`
 *
 * The child leads its own process group, inherits no other descriptor, and
 * starts without blocked or ignored signals. When it has ended, its group is
 * killed.
 *
 *	start ─▸ listen ─▸ it has ended
 *	           │  ▲
 *	           ▼  │ tell
 *	         it stays ─▸ tend … (between two errands)
 */
#ifndef APSP_COMPUTE_WORKER_CHILD_PROCESS_H
#define APSP_COMPUTE_WORKER_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "daemon/base/err.h"

struct apsp_child_process;

struct apsp_child_process_config {
	const char *const *argv; /* NULL-terminated; argv[0] is the path */
	char *const *env;
	/* non-blocking eventfd; emptied. A write makes us ask `stop` again */
	int wake_fd;
	int timeout_ms; /* then the child is stopped; 0: never */
	int linger_ms;	/* from the last line to TERM */
	int term_ms;	/* from TERM to KILL */
	int kill_ms;	/* from KILL to giving up */
};

/* What a line of stdout means. */
enum apsp_child_said {
	APSP_CHILD_SAID_MORE, /* the child goes on */
	APSP_CHILD_SAID_LAST, /* no later line matters: the child ends */
	/* The errand is done: the child stays. Lines that have come by then are
	   heard, too. */
	APSP_CHILD_SAID_DONE,
};

/* Who listens, for one errand. */
struct apsp_child_process_ear {
	void *ctx;
	bool (*stop)(void *ctx); /* true: stop the child now */
	enum apsp_child_said (*line)(void *ctx, const char *line);
	void (*log)(void *ctx, const char *line); /* one line of stderr */
};

struct apsp_child_process_end {
	bool timed_out;
	bool lost;  /* not even KILL ended it; status means nothing */
	int status; /* of waitpid(2) */
};

/*
 * Start the child. Argv and env are not needed afterwards. The caller listens
 * until it has ended, or ends it; then *out is freed.
 *
 * Every other dead child of our process is reaped here, but for `other`, which
 * may be NULL: one that ended late, and orphans where we run as process 1.
 *
 * APSP_EBUSY: a limit on descriptors or processes was met, which passes;
 * APSP_ESOLVER: it cannot be started for another reason.
 */
int apsp_child_process_start(const struct apsp_child_process_config *config,
	const struct apsp_child_process *other, struct apsp_child_process **out,
	struct apsp_err *err);

/*
 * Wait for the child's end, or until it has said that it stays; the functions
 * of ear are called on this thread meanwhile. A child is stopped by TERM to its
 * group and end of file on its stdin, then by KILL after config->term_ms.
 *
 * True: it has ended, *out says how, and the child was freed.
 */
bool apsp_child_process_listen(struct apsp_child_process *child,
	const struct apsp_child_process_ear *ear,
	struct apsp_child_process_end *out);

/*
 * Write to the child's stdin, at most PIPE_BUF bytes. False: it does not take
 * them.
 */
bool apsp_child_process_tell(
	struct apsp_child_process *child, const char *text);

/* Readable once there is something to tend. -1: nothing will come. */
int apsp_child_process_fd(const struct apsp_child_process *child);

/*
 * Between two errands: hear what the child has said. What ear->line returns is
 * ignored. False: it has ended, or closed its stdout; end it. Never
 * blocks.
 */
bool apsp_child_process_tend(struct apsp_child_process *child,
	const struct apsp_child_process_ear *ear);

/* Stop the child, wait for its end and free it. Accepts NULL. */
void apsp_child_process_end(struct apsp_child_process *child,
	const struct apsp_child_process_ear *ear);

/*
 * How the child ended, as a phrase: "was killed by signal 11 (Segmentation
 * fault)", "ended with status 3".
 */
void apsp_child_process_end_describe(
	const struct apsp_child_process_end *end, char *out, size_t size);

#endif
