/*
 * Runs loops on the host's processors; see parallel.h.
 *
 * The first loop that has work for several threads starts the threads. They
 * sleep between loops, and exist until the process ends. With 16 processors,
 * starting threads for each of many short loops would take about as long as the
 * loops themselves.
 *
 * A loop has one ticket for each thread that is allowed to help. A thread takes
 * a ticket, and the number of the ticket becomes the thread's number in the
 * loop. Then the thread wakes a few other threads, and starts to work. So the
 * thread that calls the loop need not wake all threads itself, and begins its
 * own work at once. When the caller finds no more work, it withdraws the
 * remaining tickets, so it never waits for a thread that has not begun.
 */
#include "compute/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include "compute/control_group.h"
#include "daemon/base/auto.h"

enum {
	PATH_SIZE = APSP_CONTROL_GROUP_SIZE + 16,
	LINE_SIZE = 256,
	/* largest number of other threads that a thread wakes when it starts to
	   work */
	WOKEN = 2,
};

struct loop {
	size_t n;
	atomic_size_t next;
	void (*body)(void *ctx, unsigned int thread, size_t i);
	void *ctx;
};

static struct {
	pthread_mutex_t use; /* held by the thread that runs a loop */
	pthread_mutex_t mutex;
	pthread_cond_t work; /* signalled when a loop needs more threads */
	pthread_cond_t rest; /* signalled when all helpers are done */
	unsigned int started;
	unsigned int tickets;
	unsigned int working;
	/* the loop that runs now; at most `tickets` more threads may begin to
	   help it */
	struct loop *loop;
} pool = {
	.use = PTHREAD_MUTEX_INITIALIZER,
	.mutex = PTHREAD_MUTEX_INITIALIZER,
	.work = PTHREAD_COND_INITIALIZER,
	.rest = PTHREAD_COND_INITIALIZER,
};

/* Return the CPU quota of one control group, in processors; UINT64_MAX: there
   is no limit. `directory` is the group's directory. */
static uint64_t group_quota(const char *directory)
{
	unsigned long long quota, period;
	APSP_AUTO(apsp_file_close) FILE *file = NULL;
	char path[PATH_SIZE], line[LINE_SIZE];

	if (snprintf(path, sizeof(path), "%s/cpu.max", directory) <
		(int)sizeof(path))
		file = fopen(path, "re");
	/* the line "max 100000", which does not begin with a number, means that
	   there is no limit */
	if (!file || !fgets(line, sizeof(line), file) ||
		sscanf(line, "%llu %llu", &quota, &period) != 2 || quota == 0 ||
		period == 0)
		return UINT64_MAX;
	return (quota - 1) / period + 1;
}

unsigned int apsp_parallel_quota(const char *root, const char *group)
{
	uint64_t least = apsp_control_group_least(root, group, group_quota);

	return least < APSP_PARALLEL_MAX ? (unsigned int)least
					 : APSP_PARALLEL_MAX;
}

unsigned int apsp_parallel_processors(void)
{
	static atomic_uint quota; /* 0: the quota has not been read yet */
	unsigned int most = atomic_load(&quota);
	cpu_set_t sets[APSP_PARALLEL_CPUS / CPU_SETSIZE];
	int n;

	if (most == 0) {
		most = apsp_parallel_quota(APSP_CONTROL_GROUP_ROOT, NULL);
		atomic_store(&quota, most);
	}
	if (sched_getaffinity(0, sizeof(sets), sets) < 0)
		return 1;
	n = CPU_COUNT_S(sizeof(sets), sets);
	return n < 1 ? 1 : (unsigned int)n > most ? most : (unsigned int)n;
}

static void share_do(struct loop *loop, unsigned int thread)
{
	size_t i;

	while ((i = atomic_fetch_add(&loop->next, 1)) < loop->n)
		loop->body(loop->ctx, thread, i);
}

/* Wake at most WOKEN threads, but no more than the number of tickets that are
   left (see the first comment of this file). The caller holds the mutex. */
static void some_wake(void)
{
	for (unsigned int t = 0; t < WOKEN && t < pool.tickets; t++)
		pthread_cond_signal(&pool.work);
}

static void *helper_run(void *arg)
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

/* Start threads until there are `wanted` threads in addition to the calling
   thread. */
static void helpers_start(unsigned int wanted)
{
	pthread_attr_t detached;

	if (pool.started >= wanted || pthread_attr_init(&detached) != 0)
		return;
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	while (pool.started < wanted) {
		pthread_t id;

		if (pthread_create(&id, &detached, helper_run, NULL) != 0)
			break;
		pool.started++;
	}
	pthread_attr_destroy(&detached);
}

void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	struct loop loop = {.n = n, .body = body, .ctx = ctx};
	unsigned int helpers;

	if (width > APSP_PARALLEL_MAX)
		width = APSP_PARALLEL_MAX;
	helpers = (n < width ? (unsigned int)n : width) - (n > 0);
	if (helpers == 0 || pthread_mutex_trylock(&pool.use) != 0) {
		share_do(&loop, 0);
		return;
	}
	helpers_start(helpers);
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

static void parts_body(void *ctx, unsigned int thread, size_t i)
{
	const struct apsp_parallel_part *part = ctx;

	for (; i >= part->n; part++)
		i -= part->n;
	part->body(part->ctx, thread, i);
}

void apsp_parallel_parts(const struct apsp_parallel_part *parts, size_t n_parts,
	unsigned int width)
{
	size_t n = 0;

	for (size_t p = 0; p < n_parts; p++)
		n += parts[p].n;
	apsp_parallel_for(n, width, parts_body, (void *)(uintptr_t)parts);
}
