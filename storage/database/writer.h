/*
 * The writer thread: runs commands one after the other, long ones in steps
 * between the short ones, and background work in between
 * (storage/database/README.md, One connection writes).
 */
#ifndef APSP_STORAGE_DATABASE_WRITER_H
#define APSP_STORAGE_DATABASE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/database/wait.h"

/*
 * A command: the first member of each command's own struct. After its last
 * call of run the writer calls free, then done.fn.
 */
struct apsp_command {
	struct apsp_command *next; /* in the writer's queue */
	/* 0: finished; 1: call again, after others; negative: failed */
	int (*run)(struct apsp_command *command, struct apsp_err *err);
	void (*free)(struct apsp_command *command);
	struct apsp_done done; /* done.fn may be NULL */
	/*
	 * NULL: a short command, whose run never returns 1. Else a long one,
	 * which takes turns with all others, except that long commands of one
	 * key (borrowed) run in the order in which they were posted.
	 */
	const char *key;
};

/*
 * A new command of size bytes, which begin with a struct apsp_command. run and
 * done are set, free is set to free() and may be replaced; all other bytes are
 * 0. Returns NULL where memory is short, after done was called.
 */
void *apsp_command_new(size_t size,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_done done);

/* Free a command that is not posted, and report result through its done. */
void apsp_command_end(
	struct apsp_command *command, int result, const struct apsp_err *err);

struct apsp_writer_config {
	void *ctx;
	/*
	 * Does a short piece of background work; loading tells that a long
	 * command is under way. Returns after how many milliseconds the writer
	 * calls again, or -1: not before the next command. Soon after a command
	 * the writer calls in any case.
	 */
	int (*background)(void *ctx, bool loading);
	int beat_ms; /* how often to show a sign of life; 0: never */
};

struct apsp_writer;

/* The caller ends *out with apsp_writer_stop(). APSP_ENOMEM;
   APSP_EIO: there is no thread. */
int apsp_writer_start(const struct apsp_writer_config *config,
	struct apsp_writer **out, struct apsp_err *err);

/*
 * Whether the thread has shown a sign of life within limit_ms. A command may
 * take ten minutes. APSP_ESTALLED. Any thread.
 */
int apsp_writer_alive(const struct apsp_writer *writer, int64_t limit_ms,
	struct apsp_err *err);

/* Finish what was posted, join the thread, free the writer. NULL is fine. */
void apsp_writer_stop(struct apsp_writer *writer);

/*
 * Hand a command over: from now on the writer owns it. Any thread. Once
 * apsp_writer_stop() has begun, the command ends at once with APSP_ESTOPPING,
 * on the caller's thread.
 */
void apsp_writer_post(struct apsp_writer *writer, struct apsp_command *command);

/*
 * Run a short command and wait for its end, on a thread that may block. The
 * command is the caller's and may lie on its stack; run, free and done are set.
 * Returns the command's result. APSP_ENOMEM: it did not run.
 */
int apsp_writer_run(struct apsp_writer *writer, struct apsp_command *command,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_err *err);

#endif
