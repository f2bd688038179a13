/*
 * A few threads for work that is too long for the threads that serve
 * connections: bodies that are decompressed, reads of large tables
 * (api/http/README.md, Long work has threads of its own).
 *
 * Work is done in steps. Between two steps other work has its turn, and the
 * pool checks that the client is still there, else the work ends.
 */
#ifndef APSP_API_HTTP_WORK_POOL_H
#define APSP_API_HTTP_WORK_POOL_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_work_pool;

/* One piece of work, a member of its owner, which sets the first four
   members. */
struct apsp_work {
	/* Do a part. Returns 1 if there is more, else the result. */
	int (*step)(void *ctx, struct apsp_err *err);
	/* The last call, which may free the work. */
	void (*done)(void *ctx, int result, const struct apsp_err *err);
	void *ctx;
	int fd; /* the client's socket */

	/* The pool's own. */
	struct apsp_work *next;
	int64_t left_ns; /* processor time since the client closed its half */
};

/* Start the threads. The caller ends the pool with apsp_work_pool_stop().
   APSP_ENOMEM, APSP_EIO. */
int apsp_work_pool_start(unsigned int n_threads, struct apsp_work_pool **out,
	struct apsp_err *err);

/*
 * Queue work. A thread of the pool calls done() at its end; after
 * apsp_work_pool_finish(), the calling thread does. The result may be
 * APSP_ECANCELLED, if the client has gone, or APSP_ESTOPPING.
 */
void apsp_work_pool_add(struct apsp_work_pool *pool, struct apsp_work *work);

/* End all work with APSP_ESTOPPING, and wait until each done() was called. */
void apsp_work_pool_finish(struct apsp_work_pool *pool);

/* Finish, and free the pool. Accepts NULL. */
void apsp_work_pool_stop(struct apsp_work_pool *pool);

#endif
