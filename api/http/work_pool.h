/*
 * A few threads that do long work, such as decompressing bodies or reading
 * large tables, so that the threads that serve connections stay free
 * (api/http/README.md, Long work has threads of its own).
 *
 * Work is done in steps of a few milliseconds. After each step the pool does a
 * step of other work, and checks whether the client of the first work is still
 * there. If this client is gone, the first work ends.
 */
#ifndef APSP_API_HTTP_WORK_POOL_H
#define APSP_API_HTTP_WORK_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_work_pool;

/* Results of a step that has to be repeated. The step's err then has the code
   APSP_EBUSY. */
#define APSP_WORK_WAITS 2      /* there is not enough free memory at present */
#define APSP_WORK_WAITS_ROWS 3 /* rows of distances are being computed */

enum {
	APSP_WORK_PARTS_MAX = 4, /* largest number of parts of a step */
};

/* One piece of work. Each struct apsp_work is a member of another struct; the
   owner of that struct sets step, done, ctx, fd and row_wait_s. */
struct apsp_work {
	/*
	 * Do a step. Returns 1 if another step is needed, APSP_WORK_WAITS or
	 * APSP_WORK_WAITS_ROWS if memory or rows are missing, otherwise the
	 * work's result. The pool repeats a step that waits. If the memory is
	 * still missing after the pool's wait_s seconds, or the rows after
	 * row_wait_s seconds, the work ends with the step's error. If the
	 * client has closed its sending half, each wait ends after one second
	 * at most.
	 */
	int (*step)(void *ctx, struct apsp_err *err);
	/* Called once, after the last step. May free the work. */
	void (*done)(void *ctx, int result, const struct apsp_err *err);
	void *ctx;
	int fd;		     /* the client's socket */
	uint32_t row_wait_s; /* longest time, in seconds, for which the work
				waits for rows */

	/* The following members are only for the pool. */
	struct apsp_work *next;
	int64_t give_up_ns; /* time at which the work stops waiting and ends;
			       0: the work does not wait */
	int64_t retry_ns;   /* time at which the pool looks again whether the
			       rows are ready; 0: the work does not wait for
			       rows */
	bool cancelled;
	int64_t left_ns; /* processor time that steps have used after the client
			    had closed its sending half */
};

/* Start the threads, at most 4. Work that needs memory waits at most wait_s
   seconds until there is enough memory. The caller ends *out with
   apsp_work_pool_stop(). APSP_ENOMEM. Fails as apsp_fail_errno() does if no
   thread can be started. */
int apsp_work_pool_start(unsigned int n_threads, uint32_t wait_s,
	struct apsp_work_pool **out, struct apsp_err *err);

/*
 * Queue work. When the work ends, a thread of the pool calls its done(). If
 * apsp_work_pool_finish() was called before, the work ends at once, and the
 * calling thread calls done(). The argument `result` of done() is the last
 * result of step(), APSP_ECANCELLED if the client is gone, or APSP_ESTOPPING
 * after apsp_work_pool_finish().
 */
void apsp_work_pool_add(struct apsp_work_pool *pool, struct apsp_work *work);

/*
 * Remove work from the pool. If a thread is doing a step of the work, wait
 * until this step has ended. Afterwards the pool does not use the work. If the
 * work had not ended, done() is never called. *work must still exist.
 */
void apsp_work_pool_cancel(struct apsp_work_pool *pool, struct apsp_work *work);

/*
 * Call part(ctx, i, err) once for each i below n, and wait until all calls have
 * returned. n is from 1 to APSP_WORK_PARTS_MAX. Only a step of the pool's work
 * may call this function. Threads of the pool that have nothing else to do call
 * part() at the same time. Returns the first negative result in the order of i,
 * with its error, or else the largest result.
 */
int apsp_work_pool_parts(struct apsp_work_pool *pool, unsigned int n,
	int (*part)(void *ctx, unsigned int i, struct apsp_err *err), void *ctx,
	struct apsp_err *err);

/* End all work with APSP_ESTOPPING, wait until done() has been called for each
   piece of work, and end the threads. */
void apsp_work_pool_finish(struct apsp_work_pool *pool);

/* Do the same as apsp_work_pool_finish(), and free the pool. Accepts NULL. */
void apsp_work_pool_stop(struct apsp_work_pool *pool);

#endif
