/*
 * Threads with one queue; see work_pool.h. Work goes to the end of the queue if
 * it needs another step, if it waits for rows, or if it begins to wait for
 * memory. If work that has waited for memory still finds too little, it goes to
 * the front. So the work that has waited longest for memory is tried first.
 *
 * A step may have parts. Threads that find no work in the queue help with parts
 * of other threads' steps. The thread whose step has parts does each part that
 * no other thread has begun. So all parts are done even if no thread helps.
 */
#include "api/http/work_pool.h"

#include <assert.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "daemon/base/clock.h"

enum {
	THREADS_MAX = 4,
	NICE = 5, /* nice value of the pool's threads, so that the threads that
		     serve connections have priority */
	/*
	 * After the client of some work has closed its sending half, the work
	 * ends when it has used HALF_CLOSED_MS more of processor time, or when
	 * one of its waits for memory or rows has lasted for
	 * HALF_CLOSED_WAIT_MS. Such a client may be waiting for its answer or
	 * may be gone. No system call distinguishes these two cases.
	 */
	HALF_CLOSED_MS = 250,
	HALF_CLOSED_WAIT_MS = 1000,
	/* After a step has failed for lack of memory, the pool waits this long
	   before the next step of any work that waits for memory. Work that
	   waits for rows is tried again after the same time. */
	RETRY_MS = 10,
	TRIM_STEPS = 64, /* number of steps after which unused memory is
			    returned to the system */
};

/* A step that has parts, on the stack of the thread that does the step. */
struct divided {
	int (*part)(void *ctx, unsigned int i, struct apsp_err *err);
	void *ctx;
	unsigned int n;
	unsigned int next;   /* the next part to begin */
	unsigned int n_left; /* parts that have not ended */
	int results[APSP_WORK_PARTS_MAX];
	struct apsp_err errs[APSP_WORK_PARTS_MAX];
	pthread_cond_t ended; /* n_left is 0 */
	struct divided *other;
};

struct apsp_work_pool {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_cond_t stepped; /* signals apsp_work_pool_cancel() that a step
				   has ended */
	struct apsp_work *first, **last;
	struct divided *divided; /* list of steps with parts that no thread has
				    begun */
	bool finishing;		 /* no further step is done, and the threads end
				    when the queue is empty */
	uint32_t wait_s;  /* longest time, in seconds, for which work waits for
			     memory */
	int64_t retry_ns; /* before this time, work that waits for memory is
			     tried only if its wait_s seconds are over, and then
			     for the last time */
	unsigned int n_busy;
	/* For each busy thread, the work whose step it does. These pointers are
	   only compared, because the work may have been freed. */
	const struct apsp_work *stepping[THREADS_MAX];
	unsigned int n_steps; /* number of steps since unused memory was last
				 returned */
	unsigned int n_threads;
	pthread_t threads[THREADS_MAX];
};

static int64_t after_ms(int64_t ms)
{
	return apsp_clock_ns() + ms * 1000000;
}

/*
 * Whether the client of `work` counts as gone: the connection is closed, or the
 * client has closed its sending half, and `work` has used more than
 * HALF_CLOSED_MS of processor time since then. `ns` is the processor time of
 * the last step of `work`. If the client has only closed its sending half, also
 * shorten the wait of `work`, if any, to HALF_CLOSED_WAIT_MS.
 */
static bool client_gone(struct apsp_work *work, int64_t ns)
{
	struct pollfd look = {work->fd, POLLRDHUP, 0};
	int64_t wait_end_ns = after_ms(HALF_CLOSED_WAIT_MS);

	if (poll(&look, 1, 0) <= 0)
		return false;
	if (look.revents & (POLLHUP | POLLERR | POLLNVAL))
		return true;
	if (look.revents & POLLRDHUP) {
		work->left_ns += ns;
		if (work->give_up_ns > wait_end_ns)
			work->give_up_ns = wait_end_ns;
	}
	return work->left_ns > (int64_t)HALF_CLOSED_MS * 1000000;
}

/*
 * Do one step of the work. Returns 1 if the work needs another step, or
 * APSP_WORK_WAITS or APSP_WORK_WAITS_ROWS if it waits. With any other result
 * the work has ended and may have been freed.
 */
static int work_on(struct apsp_work *work, uint32_t wait_s, bool finishing)
{
	struct apsp_err err = {0};
	int64_t began = apsp_clock_thread_ns();
	int r;

	if (finishing)
		r = apsp_fail(&err, APSP_ESTOPPING, "the daemon is stopping");
	else
		r = work->step(work->ctx, &err);
	work->retry_ns = r == APSP_WORK_WAITS_ROWS ? after_ms(RETRY_MS) : 0;
	if (r == APSP_WORK_WAITS_ROWS)
		wait_s = work->row_wait_s;
	if (r != APSP_WORK_WAITS && r != APSP_WORK_WAITS_ROWS)
		work->give_up_ns = 0;
	else if (work->give_up_ns == 0)
		work->give_up_ns = after_ms((int64_t)wait_s * 1000);
	else if (work->give_up_ns <= apsp_clock_ns())
		r = err.code;
	if (r > 0 && client_gone(work, apsp_clock_thread_ns() - began))
		r = apsp_fail(&err, APSP_ECANCELLED, "the client has gone");
	if (r <= 0)
		work->done(work->ctx, r, &err);
	return r;
}

static void append(struct apsp_work_pool *pool, struct apsp_work *work)
{
	work->next = NULL;
	*pool->last = work;
	pool->last = &work->next;
}

/*
 * Remove from the queue the first work whose next step is due, and return it.
 * If no step is due, returns NULL; *out_ns is then the time at which the next
 * step is due, or INT64_MAX if the queue is empty.
 */
static struct apsp_work *remove_due(
	struct apsp_work_pool *pool, int64_t *out_ns)
{
	int64_t now_ns = pool->first ? apsp_clock_ns() : 0, due_ns, retry_ns;
	struct apsp_work *work;

	*out_ns = INT64_MAX;
	for (struct apsp_work **at = &pool->first; (work = *at);
		at = &work->next) {
		retry_ns = work->retry_ns ? work->retry_ns : pool->retry_ns;
		due_ns = work->give_up_ns < retry_ns ? work->give_up_ns
						     : retry_ns;
		if (pool->finishing || due_ns <= now_ns) {
			*at = work->next;
			if (!*at)
				pool->last = at;
			return work;
		}
		if (due_ns < *out_ns)
			*out_ns = due_ns;
	}
	return NULL;
}

/* Do a step of `work`. The caller has removed `work` from the queue and holds
   the lock. This function releases the lock while the step runs, and holds it
   again when it returns. */
static void turn(struct apsp_work_pool *pool, struct apsp_work *work)
{
	/* whether `work` waited for memory */
	bool waited = work->give_up_ns != 0 && work->retry_ns == 0;
	bool finishing = pool->finishing, trim;
	const struct apsp_work **stepping = pool->stepping;
	int r;

	while (*stepping)
		stepping++;
	*stepping = work;
	pool->n_busy++;
	pthread_mutex_unlock(&pool->lock);
	r = work_on(work, pool->wait_s, finishing);
	pthread_mutex_lock(&pool->lock);
	pool->n_busy--;
	*stepping = NULL;
	pool->n_steps++;
	/* do not queue cancelled work again: apsp_work_pool_cancel() waits only
	   for the end of this step */
	if (r > 0 && work->cancelled) {
	} else if (r == APSP_WORK_WAITS && waited) {
		work->next = pool->first;
		pool->first = work;
		if (!work->next)
			pool->last = &work->next;
	} else if (r > 0) {
		append(pool, work);
	}
	if (r == APSP_WORK_WAITS)
		pool->retry_ns = after_ms(RETRY_MS);
	else if (waited)
		pool->retry_ns = 0; /* this work found memory, so do not delay
				       the next work that waits for memory */
	trim = !pool->first && pool->n_busy == 0 && pool->n_steps >= TRIM_STEPS;
	if (trim)
		pool->n_steps = 0;
	pthread_cond_broadcast(&pool->stepped);
	if (!trim)
		return;
	pthread_mutex_unlock(&pool->lock);
	malloc_trim(0);
	pthread_mutex_lock(&pool->lock);
}

/* Do the next part of a step. Call this with the lock held. It releases the
   lock while the part runs, and holds it again when it returns. */
static void part_do(struct apsp_work_pool *pool, struct divided *step)
{
	unsigned int i = step->next++;
	struct divided **at = &pool->divided;

	if (step->next == step->n) {
		while (*at != step)
			at = &(*at)->other;
		*at = step->other;
	}
	pthread_mutex_unlock(&pool->lock);
	step->results[i] = step->part(step->ctx, i, &step->errs[i]);
	pthread_mutex_lock(&pool->lock);
	if (--step->n_left == 0)
		pthread_cond_signal(&step->ended);
}

int apsp_work_pool_parts(struct apsp_work_pool *pool, unsigned int n,
	int (*part)(void *ctx, unsigned int i, struct apsp_err *err), void *ctx,
	struct apsp_err *err)
{
	struct divided step = {
		.part = part,
		.ctx = ctx,
		.n = n,
		.n_left = n,
	};
	int result = 0;

	assert(n > 0 && n <= APSP_WORK_PARTS_MAX);
	pthread_cond_init(&step.ended, NULL);
	pthread_mutex_lock(&pool->lock);
	step.other = pool->divided;
	pool->divided = &step;
	for (unsigned int i = 1; i < n; i++)
		pthread_cond_signal(&pool->changed);
	while (step.next < n)
		part_do(pool, &step);
	while (step.n_left > 0)
		pthread_cond_wait(&step.ended, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	pthread_cond_destroy(&step.ended);
	for (unsigned int i = 0; i < n && result >= 0; i++) {
		if (step.results[i] < 0)
			*err = step.errs[i];
		if (step.results[i] < 0 || step.results[i] > result)
			result = step.results[i];
	}
	return result;
}

static void *run(void *arg)
{
	struct apsp_work_pool *pool = arg;
	struct apsp_work *work;
	struct timespec until;
	int64_t due_ns;

	/* each thread has its own nice value on Linux, so this changes only the
	   calling thread's value */
	(void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	pthread_mutex_lock(&pool->lock);
	while (!pool->finishing || pool->first) {
		work = remove_due(pool, &due_ns);
		until.tv_sec = due_ns / 1000000000;
		until.tv_nsec = due_ns % 1000000000;
		if (work)
			turn(pool, work);
		else if (pool->divided)
			part_do(pool, pool->divided);
		else
			pthread_cond_timedwait(
				&pool->changed, &pool->lock, &until);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

int apsp_work_pool_start(unsigned int n_threads, uint32_t wait_s,
	struct apsp_work_pool **out, struct apsp_err *err)
{
	struct apsp_work_pool *pool = calloc(1, sizeof(*pool));
	pthread_condattr_t attr;
	int r = 0;

	if (!pool)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	pthread_mutex_init(&pool->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_cond_init(&pool->stepped, NULL);
	pool->last = &pool->first;
	pool->wait_s = wait_s;
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

	work->left_ns = work->give_up_ns = work->retry_ns = 0;
	work->cancelled = false;
	pthread_mutex_lock(&pool->lock);
	finishing = pool->finishing;
	if (!finishing) {
		append(pool, work);
		pthread_cond_signal(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
	if (finishing)
		work_on(work, pool->wait_s, true);
}

static bool is_stepping(
	const struct apsp_work_pool *pool, const struct apsp_work *work)
{
	for (unsigned int i = 0; i < THREADS_MAX; i++)
		if (pool->stepping[i] == work)
			return true;
	return false;
}

void apsp_work_pool_cancel(struct apsp_work_pool *pool, struct apsp_work *work)
{
	struct apsp_work **at = &pool->first;

	pthread_mutex_lock(&pool->lock);
	work->cancelled = true;
	while (*at && *at != work)
		at = &(*at)->next;
	if (*at) { /* the work is in the queue */
		*at = work->next;
		if (!*at)
			pool->last = at;
	}
	while (is_stepping(pool, work))
		pthread_cond_wait(&pool->stepped, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void apsp_work_pool_finish(struct apsp_work_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	pool->finishing = true;
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	while (pool->n_threads > 0)
		pthread_join(pool->threads[--pool->n_threads], NULL);
}

void apsp_work_pool_stop(struct apsp_work_pool *pool)
{
	if (!pool)
		return;
	apsp_work_pool_finish(pool);
	pthread_cond_destroy(&pool->changed);
	pthread_cond_destroy(&pool->stepped);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}
