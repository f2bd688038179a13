/*
 * One child process: its start, its pipes, its time limits and its end. This is
 * the only file of the daemon that sends signals to a process
 * (compute/worker/README.md, A child owns the device). It knows nothing about
 * solvers.
 *
 *	stdin   control: lines for the child; end of file means stop
 *	stdout  lines for the listener
 *	stderr  log lines for the listener
 *
 * The child leads its own process group, inherits no other descriptor, and
 * starts without blocked or ignored signals. When it has ended, its group is
 * killed.
 *
 *	start ─▸ listen ─▸ it has ended
 *	           │  ▲
 *	           ▼  │ send
 *	         it stays ─▸ read … (between two errands)
 */
#ifndef APSP_COMPUTE_WORKER_CHILD_PROCESS_H
#define APSP_COMPUTE_WORKER_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon/base/err.h"
#include "daemon/base/pulse.h"
#include "daemon/base/stop.h"

struct apsp_child_process;

struct apsp_child_process_config {
	const char *const *argv; /* NULL-terminated; argv[0] is the path */
	char *const *env;
	/* non-blocking eventfd; emptied. A write makes us check the listener's
	   stop again */
	int wake_fd;
	struct apsp_pulse *pulse; /* of the calling thread; NULL: none */
	int linger_ms;		  /* from the last line to TERM */
	int term_ms;		  /* from TERM to KILL */
	int kill_ms;		  /* from KILL to giving up */
};

/* What a line of stdout means. */
enum apsp_child_line {
	APSP_CHILD_LINE_MORE, /* the child goes on */
	APSP_CHILD_LINE_LAST, /* no later line matters: the child ends */
	/* The errand is done, and the child stays. Lines that have arrived by
	   then are read, too. */
	APSP_CHILD_LINE_DONE,
};

/* Who reads the lines of one errand, and when to end it. */
struct apsp_child_listener {
	void *ctx;
	const struct apsp_stop *stop; /* ends the child; or NULL */
	enum apsp_child_line (*line)(void *ctx, const char *line);
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
 * Every other dead child of our process is reaped here, except `other`, which
 * may be NULL: a child that ended late, and orphans if we are process 1.
 *
 * APSP_EBUSY: a temporary lack of descriptors or processes; APSP_ESOLVER: the
 * child cannot be started for another reason.
 */
int apsp_child_process_start(const struct apsp_child_process_config *config,
	const struct apsp_child_process *other, struct apsp_child_process **out,
	struct apsp_err *err);

/*
 * Stop the child if ms pass from now on before the next call of this function,
 * while somebody listens. 0: it has no limit, as at first.
 */
void apsp_child_process_limit(struct apsp_child_process *child, int64_t ms);

/*
 * Wait until the child has ended or stays; the functions of the listener are
 * called on this thread meanwhile. A child is stopped by TERM to its group and
 * end of file on its stdin, then by KILL after config->term_ms.
 *
 * True: it has ended, *out says how, and the child was freed.
 */
bool apsp_child_process_listen(struct apsp_child_process *child,
	const struct apsp_child_listener *listener,
	struct apsp_child_process_end *out);

/*
 * Write to the child's stdin, at most PIPE_BUF bytes. False: the child does not
 * accept them.
 */
bool apsp_child_process_send(
	struct apsp_child_process *child, const char *text);

/* Readable once apsp_child_process_read() has work. -1: it never will. */
int apsp_child_process_fd(const struct apsp_child_process *child);

/*
 * Between two errands: read the lines that the child has printed. The result of
 * listener->line is ignored. False: the child has ended or closed its stdout;
 * end it. Never blocks.
 */
bool apsp_child_process_read(struct apsp_child_process *child,
	const struct apsp_child_listener *listener);

/* Stop the child, wait for its end and free it. Accepts NULL. */
void apsp_child_process_end(struct apsp_child_process *child,
	const struct apsp_child_listener *listener);

/*
 * How the child ended, as a phrase: "was killed by signal 11 (Segmentation
 * fault)", "ended with status 3".
 */
void apsp_child_process_end_describe(
	const struct apsp_child_process_end *end, char *out, size_t size);

#endif
