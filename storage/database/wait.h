/*
 * The completion of a command, and a way to wait for it.
 */
#ifndef APSP_STORAGE_DATABASE_WAIT_H
#define APSP_STORAGE_DATABASE_WAIT_H

#include "daemon/base/err.h"

/*
 * How a command reports its end: fn is called once, on the writer thread, and
 * must not block. A command may fail before it reaches the writer: memory is
 * short (APSP_ENOMEM), the store is being closed (APSP_ESTOPPING), or a name in
 * it is malformed. Then fn is called on the caller's thread, before the call
 * returns.
 */
struct apsp_done {
	void (*fn)(void *ctx, int result, const struct apsp_err *err);
	void *ctx;
};

/*
 * Wait for the end of a command that was posted to the writer; for the worker
 * thread and for tests.
 *
 * 	wait = apsp_wait_new(err);
 * 	apsp_graphs_delete(store, …, apsp_wait_done(wait));
 * 	return apsp_wait_for(wait, err);
 */
struct apsp_wait;
struct apsp_wait *apsp_wait_new(struct apsp_err *err); /* NULL: APSP_ENOMEM */

/* The completion that ends the wait. It is for one command. */
struct apsp_done apsp_wait_done(struct apsp_wait *wait);

/* Block until the command has ended, free wait, return the command's result. */
int apsp_wait_for(struct apsp_wait *wait, struct apsp_err *err);

#endif
