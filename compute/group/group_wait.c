/*
 * Waiting for operations of MPI; see group_wait.h.
 */
#include "compute/group/group_wait.h"

#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "compute/group/group.h"

enum {
	/* A waiting process looks again and again whether its operation has
	   completed, and sleeps in between. Each sleep takes 1/NAP_PART of the
	   time for which the process has already waited, but at least NAP_NS
	   and at most NAP_MOST_NS nanoseconds. */
	NAP_PART = 64,
	NAP_NS = 20000,
	NAP_MOST_NS = 2000000,
	/* nanoseconds between two calls of waits() */
	WAITS_EVERY_NS = 100000000,
};

/* rank 0 calls this function while it waits (apsp_group_on_wait()) */
static struct {
	void (*waits)(void *ctx);
	void *ctx;
} on_wait;

void apsp_wait_asleep(MPI_Request *request)
{
	struct timespec nap = {0};
	int64_t slept_ns = 0, called_ns = 0;
	int done = 0;

	for (;;) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		nap.tv_nsec = slept_ns / NAP_PART;
		nap.tv_nsec = nap.tv_nsec < NAP_NS	  ? NAP_NS
			      : nap.tv_nsec > NAP_MOST_NS ? NAP_MOST_NS
							  : nap.tv_nsec;
		nanosleep(&nap, NULL);
		slept_ns += nap.tv_nsec;
		if (on_wait.waits && slept_ns - called_ns >= WAITS_EVERY_NS) {
			called_ns = slept_ns;
			on_wait.waits(on_wait.ctx);
		}
	}
}

void apsp_wait_awake(MPI_Request *request)
{
	int done = 0;

	while (!done) {
		MPI_Test(request, &done, MPI_STATUS_IGNORE);
		if (!done)
			sched_yield();
	}
}

void apsp_wait_for_all(void)
{
	MPI_Request request;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	apsp_wait_asleep(&request);
}

void apsp_group_on_wait(void (*waits)(void *ctx), void *ctx)
{
	on_wait.waits = apsp_group_rank() == 0 ? waits : NULL;
	on_wait.ctx = ctx;
}
