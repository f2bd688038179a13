/*
 * The writer thread: runs commands one after the other, long ones in steps
 * between the others, and a little background work (design.md, decision 3).
 */
#ifndef APSP_STORAGE_WRITER_H
#define APSP_STORAGE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/store.h"

/*
 * What to do; embedded as the first member of a command's own struct. After
 * run's last call free is called and then done.fn.
 */
struct apsp_command {
	struct apsp_command *next; /* the writer's */
	/* 0: finished; 1: call again, after others; negative: failed */
	int (*run)(struct apsp_command *command, struct apsp_err *err);
	void (*free)(struct apsp_command *command);
	struct apsp_done done; /* done.fn may be NULL */
	/*
	 * A long command takes turns with the others; long ones of the same
	 * key (borrowed) run in the order in which they were posted. NULL: a
	 * short command, run in one go.
	 */
	const char *key;
};

/*
 * A command of `size` bytes, 0 but for the run, done and free of the struct
 * apsp_command that it begins with; free is free(), and may be set anew. NULL:
 * no memory, and done has been told.
 */
void *apsp_command_new(size_t size,
	int (*run)(struct apsp_command *command, struct apsp_err *err),
	struct apsp_done done);

struct apsp_writer_config {
	void *ctx;
	/*
	 * Background work in short pieces; loading says that a long command is
	 * under way. Returns after how many milliseconds to come again, or -1:
	 * not before the next command.
	 */
	int (*background)(void *ctx, bool loading);
};

struct apsp_writer;

int apsp_writer_start(const struct apsp_writer_config *config,
	struct apsp_writer **out, struct apsp_err *err);

/* Finish what was posted, join the thread, free the writer. NULL is fine. */
void apsp_writer_stop(struct apsp_writer *writer);

/*
 * Hand a command over; it is the writer's from now on. Any thread. After
 * apsp_writer_stop() has begun it ends at once with APSP_ESTOPPING, on the
 * caller's thread.
 */
void apsp_writer_post(struct apsp_writer *writer, struct apsp_command *command);

#endif
