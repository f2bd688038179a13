/*
 * A few threads for work that is too long for the threads that serve
 * connections: bodies that are decompressed, reads of large tables
 * (api/http/README.md, Long work has threads of its own).
 *
 * Work is done in steps. Between two of them others have their turn, and the
 * client is looked for: nobody works for one that has gone.
 */
#ifndef APSP_API_HTTP_WORK_POOL_H
#define APSP_API_HTTP_WORK_POOL_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_work_pool;

/* One piece of work, inside its owner. Zero but for these four members. */
struct apsp_work {
	/* Do a part. Returns 1 if there is more, else the result. */
	int (*step)(void *ctx, struct apsp_err *err);
	/* The last call; the work may be gone when it returns. */
	void (*done)(void *ctx, int result, const struct apsp_err *err);
	void *ctx;
	int fd; /* the client's socket */

	/* The pool's own. */
	struct apsp_work *next;
	int64_t left_ns; /* processor time since the client closed its half */
};

/* APSP_ENOMEM, APSP_EIO. The caller ends it with apsp_work_pool_stop(). */
int apsp_work_pool_start(unsigned int n_threads, struct apsp_work_pool **out,
	struct apsp_err *err);

/*
 * Have the work done. Its done() is called from a thread of the pool, or, after
 * apsp_work_pool_finish(), from this one. APSP_ECANCELLED as the result: the
 * client has gone; APSP_ESTOPPING.
 */
void apsp_work_pool_add(struct apsp_work_pool *pool, struct apsp_work *work);

/* End all work with APSP_ESTOPPING, and wait until each has been told. */
void apsp_work_pool_finish(struct apsp_work_pool *pool);

/* Finish, and free the pool. Accepts NULL. */
void apsp_work_pool_stop(struct apsp_work_pool *pool);

#endif
