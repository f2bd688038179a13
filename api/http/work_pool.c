/*
 * Threads with one queue; see work_pool.h. After a step, work that needs
 * another one goes to the end of the queue.
 */
#include "api/http/work_pool.h"

#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/base/clock.h"

enum {
	THREADS_MAX = 4,
	NICE = 5, /* nice value; the threads that serve connections have
		     priority */
	/*
	 * Processor time that work may still use when its client has closed its
	 * sending half. Such a client may be waiting for its answer or be gone,
	 * and no system call distinguishes the two.
	 */
	HALF_CLOSED_MS = 250,
	TRIM_STEPS = 64, /* steps after which unused memory is returned to the
			    system */
};

struct apsp_work_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct apsp_work *first, **last;
	bool finishing; /* no further step is done */
	bool stopping;	/* threads end */
	unsigned int n_busy;
	unsigned int n_steps; /* since memory was returned */
	unsigned int n_threads;
	pthread_t threads[THREADS_MAX];
};

/* Whether the client of a work is gone. ns is the processor time of the
   work's last step. */
static bool client_gone(struct apsp_work *work, int64_t ns)
{
	struct pollfd look = {work->fd, POLLRDHUP, 0};

	if (poll(&look, 1, 0) <= 0)
		return false;
	if (look.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	if (look.revents & POLLRDHUP)
		work->left_ns += ns;
	return work->left_ns > (int64_t)HALF_CLOSED_MS * 1000000;
}

/* Do a step of a work. Returns 1 if it needs another one; else it has ended,
   and may have been freed. */
static int work_on(struct apsp_work *work, bool finishing)
{
	struct apsp_err err = {0};
	int64_t began = apsp_clock_thread_ns();
	int r;

	if (finishing)
		r = apsp_fail(&err, APSP_ESTOPPING, "the daemon is stopping");
	else
		r = work->step(work->ctx, &err);
	if (r == 1 && client_gone(work, apsp_clock_thread_ns() - began))
		r = apsp_fail(&err, APSP_ECANCELLED, "the client has gone");
	if (r != 1)
		work->done(work->ctx, r, &err);
	return r;
}

static void append(struct apsp_work_pool *pool, struct apsp_work *work)
{
	work->next = NULL;
	*pool->last = work;
	pool->last = &work->next;
}

/* Do a step of the first work in the queue. Called with the lock held;
   releases it meanwhile. */
static void turn(struct apsp_work_pool *pool)
{
	struct apsp_work *work = pool->first;
	bool finishing = pool->finishing, trim;
	int r;

	pool->first = work->next;
	if (!pool->first)
		pool->last = &pool->first;
	pool->n_busy++;
	pthread_mutex_unlock(&pool->lock);
	r = work_on(work, finishing);
	pthread_mutex_lock(&pool->lock);
	pool->n_busy--;
	pool->n_steps++;
	if (r == 1)
		append(pool, work);
	trim = !pool->first && pool->n_busy == 0 && pool->n_steps >= TRIM_STEPS;
	if (trim)
		pool->n_steps = 0;
	if (pool->finishing)
		pthread_cond_broadcast(&pool->changed);
	if (!trim)
		return;
	pthread_mutex_unlock(&pool->lock);
	malloc_trim(0);
	pthread_mutex_lock(&pool->lock);
}

static void *run(void *arg)
{
	struct apsp_work_pool *pool = arg;

	/* each thread has its own nice value on Linux, so this changes only
	   the calling thread's */
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	pthread_mutex_lock(&pool->lock);
	while (!pool->stopping || pool->first) {
		if (pool->first)
			turn(pool);
		else
			pthread_cond_wait(&pool->changed, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int apsp_work_pool_start(unsigned int n_threads, struct apsp_work_pool **out,
	struct apsp_err *err)
{
	struct apsp_work_pool *pool = calloc(1, sizeof(*pool));
	int r = 0;

	if (!pool)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->changed, NULL);
	pool->last = &pool->first;
	while (pool->n_threads < n_threads && pool->n_threads < THREADS_MAX &&
		r == 0) {
		r = pthread_create(
			&pool->threads[pool->n_threads], NULL, run, pool);
		pool->n_threads += r == 0;
	}
	if (r != 0 && pool->n_threads == 0) {
		apsp_work_pool_stop(pool);
		return apsp_fail_errno(err, r, "start a thread for long work");
	}
	*out = pool;
	return 0;
}

void apsp_work_pool_add(struct apsp_work_pool *pool, struct apsp_work *work)
{
	bool finishing;

	work->left_ns = 0;
	pthread_mutex_lock(&pool->lock);
	finishing = pool->finishing;
	if (!finishing) {
		append(pool, work);
		pthread_cond_signal(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
	if (finishing)
		work_on(work, true);
}

void apsp_work_pool_finish(struct apsp_work_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->finishing = true;
	pthread_cond_broadcast(&pool->changed);
	while (pool->first || pool->n_busy > 0)
		pthread_cond_wait(&pool->changed, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void apsp_work_pool_stop(struct apsp_work_pool *pool)
{
	if (!pool)
		return;
	apsp_work_pool_finish(pool);
	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	for (unsigned int i = 0; i < pool->n_threads; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->changed);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}
