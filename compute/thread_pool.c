/*
 * A loop gives out tickets, one for each thread that may help; a ticket's number
 * is the thread's number in that loop. Who wakes and finds a ticket takes part
 * and wakes the next ones, so that the caller's own thread, which begins at once,
 * does not wake all. When it finds no more to do, it takes the tickets that are
 * left back, so that it waits for nobody who has not begun.
 *
 * The pool is one of a process and is never freed: its threads hold nothing
 * between loops, and end with the process.
 */
#include "compute/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>

enum {
	WOKEN = 2, /* by each who begins */
};

struct loop {
	size_t n;
	atomic_size_t next;
	void (*body)(void *ctx, unsigned int thread, size_t i);
	void *ctx;
};

static struct {
	pthread_mutex_t use; /* who runs a loop */
	pthread_mutex_t mutex;
	pthread_cond_t work; /* there are tickets */
	pthread_cond_t rest; /* nobody works */
	unsigned int started;
	unsigned int tickets;
	unsigned int working;
	struct loop *loop; /* whose tickets these are */
} pool = {
	.use = PTHREAD_MUTEX_INITIALIZER,
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.rest = PTHREAD_COND_INITIALIZER,
};

static void share_do(struct loop *loop, unsigned int thread)
{
	size_t i;

	while ((i = atomic_fetch_add(&loop->next, 1)) < loop->n)
		loop->body(loop->ctx, thread, i);
}

/* Wake a few of those who have a ticket; the mutex is held. */
static void some_wake(void)
{
	for (unsigned int t = 0; t < WOKEN && t < pool.tickets; t++)
		pthread_cond_signal(&pool.work);
}

static void *hand_run(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&pool.mutex);
	for (;;) {
		struct loop *loop;
		unsigned int thread;

		while (pool.tickets == 0)
			pthread_cond_wait(&pool.work, &pool.mutex);
		loop = pool.loop;
		thread = pool.tickets--;
		pool.working++;
		some_wake();
		pthread_mutex_unlock(&pool.mutex);
		share_do(loop, thread);
		pthread_mutex_lock(&pool.mutex);
		if (--pool.working == 0)
			pthread_cond_signal(&pool.rest);
	}
	return NULL;
}

/* Start what is missing of `wanted` threads beside the caller's. */
static void hands_start(unsigned int wanted)
{
	pthread_attr_t detached;

	if (pool.started >= wanted || pthread_attr_init(&detached) != 0)
		return;
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	while (pool.started < wanted) {
		pthread_t id;

		if (pthread_create(&id, &detached, hand_run, NULL) != 0)
			break;
		pool.started++;
	}
	pthread_attr_destroy(&detached);
}

void apsp_thread_pool_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	struct loop loop = {.n = n, .body = body, .ctx = ctx};
	unsigned int helpers = (n < width ? (unsigned int)n : width) - (n > 0);

	if (helpers == 0 || pthread_mutex_trylock(&pool.use) != 0) {
		share_do(&loop, 0);
		return;
	}
	hands_start(helpers);
	pthread_mutex_lock(&pool.mutex);
	pool.loop = &loop;
	pool.tickets = helpers;
	some_wake();
	pthread_mutex_unlock(&pool.mutex);
	share_do(&loop, 0);
	pthread_mutex_lock(&pool.mutex);
	pool.tickets = 0;
	while (pool.working > 0)
		pthread_cond_wait(&pool.rest, &pool.mutex);
	pthread_mutex_unlock(&pool.mutex);
	pthread_mutex_unlock(&pool.use);
}
