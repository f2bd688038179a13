/*
 * One child process: its start, its pipes, its time limits and its end. No
 * other file of the daemon sends signals to a process
 * (compute/worker/README.md, A child owns the device). This file knows nothing
 * about solvers.
 *
 *	stdin   control: lines for the child; end of file means stop
 *	stdout  lines for the listener
 *	stderr  log lines, which go to our log unless the listener objects
 *
 * The child leads its own process group, and starts without blocked or ignored
 * signals. Apart from these three descriptors, the child inherits at most one
 * more: shared_fd. When the child has ended, its group is killed.
 *
 *	start ─▸ listen ─▸ the child has ended
 *	           │  ▲
 *	           ▼  │ send
 *	         the child stays ─▸ read … (between two tasks)
 */
#ifndef APSP_COMPUTE_WORKER_CHILD_PROCESS_H
#define APSP_COMPUTE_WORKER_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/log.h"
#include "daemon/base/pulse.h"
#include "daemon/base/stop.h"

struct apsp_child_process;

struct apsp_child_process_config {
	const char *const *argv; /* NULL-terminated; argv[0] is the path */
	char *const *env;
	/* in our log, each line of the child's stderr begins with this name;
	   borrowed until the child has ended */
	const char *name;
	/* A non-blocking eventfd. After a write to the eventfd,
	   apsp_child_process_listen() checks the listener's stop token at once,
	   and empties the eventfd. */
	int wake_fd;
	/* records signs of life of the thread that listens to the child
	   (daemon/base/pulse.h); NULL: nothing is recorded */
	struct apsp_pulse *pulse;
	/* a descriptor that the child gets as its descriptor 3; 0: none */
	int shared_fd;
	int term_ms; /* time from SIGTERM to SIGKILL; 0: two seconds */
};

/* The meaning of a line of stdout. */
enum apsp_child_line {
	APSP_CHILD_LINE_MORE, /* the child continues its task */
	APSP_CHILD_LINE_LAST, /* the child will end by itself; later lines are
				 ignored */
	/* The task is done, and the child stays for the next task. Lines that
	   have already arrived after this line are read, too. */
	APSP_CHILD_LINE_DONE,
};

/* The functions that are called with the lines of one task, and the token by
   which the task is stopped. */
struct apsp_child_listener {
	void *ctx;
	/* Borrowed. A stop request ends the child. NULL: nothing stops the
	   child. */
	const struct apsp_stop *stop;
	enum apsp_child_line (*line)(void *ctx, const char *line);
	/* Called with each line of stderr. `level` is the priority at the
	   beginning of the line (sd-daemon(3)), or APSP_LOG_INFO if the line
	   has none. False: do not log the line. NULL: log all lines. */
	bool (*log)(void *ctx, enum apsp_log_level level, const char *line);
};

struct apsp_child_process_end {
	bool timed_out;
	bool lost; /* not even SIGKILL ended the child */
	/* how the child ended, as a phrase: "was killed by signal 11
	   (Segmentation fault)", "ended with status 3" */
	char how[128];
};

/*
 * Start the child. Afterwards, config->argv and config->env are not needed any
 * more, but config->name is still needed. Linux kills the child when the
 * calling thread ends (daemon/base/program.h). The caller listens until the
 * child has ended (apsp_child_process_listen()) or ends the child itself
 * (apsp_child_process_end()). Both functions free *out.
 *
 * Before the start, this function also reaps dead children of this process that
 * nobody listens to: children that ended late, and orphans if this process has
 * id 1. Several threads may have children at the same time, at most 16 in all.
 *
 * APSP_EBUSY: there are no free descriptors or processes at present, or 16
 * children run; APSP_ESOLVER: the child cannot be started for another reason.
 */
int apsp_child_process_start(const struct apsp_child_process_config *config,
	struct apsp_child_process **out, struct apsp_err *err);

/*
 * Stop the child if it has not finished within ms milliseconds from now on. If
 * ms is 0, there is no limit. Before the first call of this function, a child
 * has no limit. A later call replaces the limit. The limit is checked only
 * while apsp_child_process_listen() runs.
 */
void apsp_child_process_limit(struct apsp_child_process *child, int64_t ms);

/*
 * Wait until the child has ended, or until it has done its task and stays for
 * the next one. Meanwhile this function calls the listener's functions on the
 * caller's thread. To stop the child, this function sends SIGTERM to the
 * child's group and closes the child's stdin; after config.term_ms it sends
 * SIGKILL to the group.
 *
 * True: the child has ended and was freed, and *out describes its end.
 */
bool apsp_child_process_listen(struct apsp_child_process *child,
	const struct apsp_child_listener *listener,
	struct apsp_child_process_end *out);

/*
 * Write text of at most PIPE_BUF bytes to the child's stdin. False: the text
 * was not written, because the pipe is full or closed.
 */
bool apsp_child_process_send(
	struct apsp_child_process *child, const char *text);

/* Return a descriptor that is readable when apsp_child_process_read() has
   something to read; -1: the child's stdout is closed. */
int apsp_child_process_fd(const struct apsp_child_process *child);

/*
 * Between two tasks: read the lines that the child has printed. The result of
 * listener->line is ignored. False: the child has ended or closed its stdout,
 * and the caller should end it. Never blocks.
 */
bool apsp_child_process_read(struct apsp_child_process *child,
	const struct apsp_child_listener *listener);

/* Stop the child, wait for its end, and free it. child may be NULL. */
void apsp_child_process_end(struct apsp_child_process *child,
	const struct apsp_child_listener *listener);

#endif
