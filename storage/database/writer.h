/*
 * The writer thread. It runs short commands one after the other, and steps of
 * long commands between them. When there is no command, it does background work
 * (storage/database/README.md, One connection writes).
 */
#ifndef APSP_STORAGE_DATABASE_WRITER_H
#define APSP_STORAGE_DATABASE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

/*
 * How a command reports its end: `fn` is called once, on the writer thread, and
 * must not block. A command may fail before it reaches the writer: memory is
 * short (APSP_ENOMEM), the store is being closed (APSP_ESTOPPING), or a name in
 * the command is malformed. Then `fn` is called on the thread that posts the
 * command, before the posting function returns.
 */
struct apsp_done {
	void (*fn)(void *ctx, int result, const struct apsp_err *err);
	void *ctx;
};

/*
 * A command. The struct of each command has this struct as its first member.
 * After the last call of run(), the writer calls free(), unless it is NULL, and
 * then done.fn().
 */
struct apsp_command {
	struct apsp_command *next; /* the next command in the writer's queue */
	/* Runs one step of the command. Returns 0 if the command is finished,
	   or 1 if run() must be called again after other commands. Returns a
	   negative code if the command has failed. */
	int (*run)(struct apsp_command *command, struct apsp_err *err);
	/* Frees the command. NULL: the command lies on the stack of a waiting
	   thread. */
	void (*free)(struct apsp_command *command);
	struct apsp_done done; /* done.fn may be NULL */
	/*
	 * NULL: a short command; its run() never returns 1. Not NULL: a long
	 * command, whose steps alternate with other commands. Long commands
	 * with the same key run one after the other, in the order in which they
	 * were posted. Borrowed.
	 */
	const char *key;
};

/*
 * Allocate a command of `size` bytes that begins with a struct apsp_command.
 * Its members `run` and `done` have the given values. Its member `free` is set
 * to the function free(), and the caller may replace it. All other bytes are 0.
 * If memory is short, done.fn() is called and NULL is returned.
 */
void *apsp_command_new(size_t size,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_done done);

/* End a command that was not posted: free it, then report `result` by calling
   the done.fn() that was in the command. */
void apsp_command_end(
	struct apsp_command *command, int result, const struct apsp_err *err);

struct apsp_writer_config {
	void *ctx;
	/*
	 * Does a short piece of background work. `loading` is true while a long
	 * command is under way. Returns the milliseconds until the next call,
	 * or -1: no call before the next command. The writer also calls this
	 * function soon after each command.
	 */
	int (*background)(void *ctx, bool loading);
	/* longest sleep of the writer thread in milliseconds. The thread shows
	   a sign of life after each sleep. 0: the thread is not watched */
	int beat_ms;
};

struct apsp_writer;

/* Start the writer thread. The caller ends *out with apsp_writer_stop().
   APSP_ENOMEM; APSP_EIO: no thread could be made. */
int apsp_writer_start(const struct apsp_writer_config *config,
	struct apsp_writer **out, struct apsp_err *err);

/*
 * Check that the writer thread has shown a sign of life within the last
 * limit_ms milliseconds. During a step of a command, the thread may be silent
 * for ten minutes more. APSP_ESTALLED: the thread was silent for too long. Any
 * thread may call this.
 */
int apsp_writer_alive(const struct apsp_writer *writer, int64_t limit_ms,
	struct apsp_err *err);

/* Run all posted commands, join the writer thread, and free the writer. Accepts
   NULL. */
void apsp_writer_stop(struct apsp_writer *writer);

/*
 * Post a command, which the writer owns from now on. Any thread may call this.
 * If apsp_writer_stop() has begun, the command ends immediately, on the
 * caller's thread, with APSP_ESTOPPING.
 */
void apsp_writer_post(struct apsp_writer *writer, struct apsp_command *command);

/*
 * Run a short command and wait for its end. Call this only on a thread that may
 * block. The caller owns the command, which may lie on the caller's stack. This
 * function sets the members `run`, `free` and `done`. Returns the command's
 * result.
 */
int apsp_writer_run(struct apsp_writer *writer, struct apsp_command *command,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_err *err);

#endif
