/*
 * A loop over the host's processors; see parallel.h.
 */
#include "compute/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct loop {
	size_t n;
	atomic_size_t next;
	void (*body)(void *ctx, unsigned int thread, size_t i);
	void *ctx;
};

struct hand {
	struct loop *loop;
	unsigned int thread;
	pthread_t id;
	bool started;
};

unsigned int apsp_parallel_width(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	n = CPU_COUNT(&set);
	return n < 1		       ? 1
	       : n > APSP_PARALLEL_MAX ? APSP_PARALLEL_MAX
				       : (unsigned int)n;
}

static void *hand_run(void *arg)
{
	struct hand *hand = arg;
	struct loop *loop = hand->loop;
	size_t i;

	while ((i = atomic_fetch_add(&loop->next, 1)) < loop->n)
		loop->body(loop->ctx, hand->thread, i);
	return NULL;
}

void apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	struct loop loop = {.n = n, .body = body, .ctx = ctx};
	struct hand hands[APSP_PARALLEL_MAX];

	if (width > APSP_PARALLEL_MAX)
		width = APSP_PARALLEL_MAX;
	if (width > n)
		width = (unsigned int)n;
	for (unsigned int t = 1; t < width; t++) {
		hands[t] = (struct hand){.loop = &loop, .thread = t};
		hands[t].started = pthread_create(&hands[t].id, NULL, hand_run,
					   &hands[t]) == 0;
	}
	hands[0] = (struct hand){.loop = &loop};
	hand_run(&hands[0]);
	for (unsigned int t = 1; t < width; t++)
		if (hands[t].started)
			pthread_join(hands[t].id, NULL);
}
