/*
 * Slots of suspended connections behind one mutex. A connection is resumed with
 * the mutex held. So none is resumed twice, and once a stop has seen all slots
 * free, no thread touches a connection any more.
 */
#include "api/connection/waiters.h"

#include <math.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "api/connection/connections.h"
#include "daemon/base/clock.h"
#include "daemon/base/job.h"

enum {
	N_MARKS = 64,
	PROGRESS_NS = 250000000, /* a wait is not ended by progress before */
};

struct waiter {
	struct MHD_Connection *connection;  /* NULL: free */
	const struct apsp_connection *conn; /* lives as long as connection */
	struct apsp_wait wait;
	int64_t since_ns;
};

struct apsp_waiters {
	pthread_mutex_t lock;
	pthread_cond_t resumed;
	bool stopping;
	/* Changed with the lock held. Read without it, because almost every
	   request asks for it. */
	atomic_uint_least64_t moment;
	/* the moment of the last change of jobs whose id has this remainder */
	uint64_t marks[N_MARKS];
	uint64_t running; /* the job that has told its progress last */
	double progress;
	uint32_t max;
	uint32_t n_jobs;
	uint32_t n_others;
	struct waiter *sure; /* past the limit, as many as there ever were */
	uint32_t n_sure;
	struct waiter slots[]; /* 2 · max */
};

int apsp_waiters_new(
	uint32_t max, struct apsp_waiters **out, struct apsp_err *err)
{
	struct apsp_waiters *waiters;

	waiters = calloc(
		1, sizeof(*waiters) + 2 * (size_t)max * sizeof(struct waiter));
	if (!waiters)
		return apsp_fail(err, APSP_ENOMEM, "no memory for waiters");
	waiters->max = max;
	pthread_mutex_init(&waiters->lock, NULL);
	pthread_cond_init(&waiters->resumed, NULL);
	*out = waiters;
	return 0;
}

void apsp_waiters_free(struct apsp_waiters *waiters)
{
	if (!waiters)
		return;
	pthread_cond_destroy(&waiters->resumed);
	pthread_mutex_destroy(&waiters->lock);
	free(waiters->sure);
	free(waiters);
}

uint64_t apsp_waiters_now(struct apsp_waiters *waiters)
{
	return atomic_load(&waiters->moment);
}

uint32_t apsp_waiters_count(struct apsp_waiters *waiters)
{
	uint32_t n;

	pthread_mutex_lock(&waiters->lock);
	n = waiters->n_jobs + waiters->n_others;
	pthread_mutex_unlock(&waiters->lock);
	return n;
}

static struct waiter *find(
	struct apsp_waiters *waiters, const struct MHD_Connection *connection)
{
	for (uint32_t i = 0; i < 2 * waiters->max; i++) {
		if (waiters->slots[i].connection == connection)
			return &waiters->slots[i];
	}
	return NULL;
}

/* With the lock held. The connection may be gone when this returns. */
static void resume(struct apsp_waiters *waiters, struct waiter *waiter)
{
	struct MHD_Connection *connection = waiter->connection;

	if (waiter->wait.job)
		waiters->n_jobs--;
	else
		waiters->n_others--;
	waiter->connection = NULL;
	MHD_resume_connection(connection);
	pthread_cond_broadcast(&waiters->resumed);
}

static int suspend(struct apsp_waiters *waiters,
	struct MHD_Connection *connection, const struct apsp_connection *conn,
	const struct apsp_wait *wait, struct apsp_err *err)
{
	uint32_t *count = wait->job ? &waiters->n_jobs : &waiters->n_others;
	struct waiter *waiter;

	if (waiters->stopping)
		return apsp_fail(err, APSP_ESTOPPING, "the daemon is stopping");
	waiter = *count < waiters->max ? find(waiters, NULL) : NULL;
	if (!waiter)
		return apsp_fail(err, APSP_EBUSY,
			"%u requests are waiting already", *count);
	(*count)++;
	waiter->connection = connection;
	waiter->conn = conn;
	waiter->wait = *wait;
	waiter->since_ns = apsp_clock_ns();
	MHD_suspend_connection(connection);
	if (wait->job && waiters->marks[wait->job % N_MARKS] > wait->moment)
		resume(waiters, waiter);
	return 0;
}

int apsp_waiters_suspend(struct apsp_waiters *waiters,
	struct MHD_Connection *connection, const struct apsp_connection *conn,
	const struct apsp_wait *wait, struct apsp_err *err)
{
	int r;

	pthread_mutex_lock(&waiters->lock);
	r = suspend(waiters, connection, conn, wait, err);
	pthread_mutex_unlock(&waiters->lock);
	return r;
}

/* A slot of those past the limit; NULL: none. With the lock held. */
static struct waiter *sure_find(
	struct apsp_waiters *waiters, const struct MHD_Connection *connection)
{
	for (uint32_t i = 0; i < waiters->n_sure; i++) {
		if (waiters->sure[i].connection == connection)
			return &waiters->sure[i];
	}
	return NULL;
}

/* A free slot past the limit, made if there is none; NULL: no memory. */
static struct waiter *sure_new(struct apsp_waiters *waiters)
{
	struct waiter *waiter = sure_find(waiters, NULL), *larger;

	if (waiter)
		return waiter;
	larger = reallocarray(
		waiters->sure, waiters->n_sure + 1, sizeof(*larger));
	if (!larger)
		return NULL;
	waiters->sure = larger;
	waiter = &waiters->sure[waiters->n_sure++];
	*waiter = (struct waiter){0};
	return waiter;
}

int apsp_waiters_suspend_surely(struct apsp_waiters *waiters,
	struct MHD_Connection *connection, struct apsp_err *err)
{
	struct waiter *waiter = NULL;
	int r = 0;

	pthread_mutex_lock(&waiters->lock);
	if (waiters->stopping)
		r = apsp_fail(err, APSP_ESTOPPING, "the daemon is stopping");
	else
		waiter = sure_new(waiters);
	if (waiter) {
		waiters->n_others++;
		waiter->connection = connection;
		MHD_suspend_connection(connection);
	} else if (r == 0) {
		r = apsp_fail(err, APSP_ENOMEM, "no memory to wait");
	}
	pthread_mutex_unlock(&waiters->lock);
	return r;
}

void apsp_waiters_resume(
	struct apsp_waiters *waiters, struct MHD_Connection *connection)
{
	struct waiter *waiter;

	pthread_mutex_lock(&waiters->lock);
	waiter = find(waiters, connection);
	if (!waiter)
		waiter = sure_find(waiters, connection);
	if (waiter)
		resume(waiters, waiter);
	pthread_mutex_unlock(&waiters->lock);
}

void apsp_waiters_changed(struct apsp_waiters *waiters, uint64_t job)
{
	pthread_mutex_lock(&waiters->lock);
	waiters->marks[job % N_MARKS] =
		atomic_fetch_add(&waiters->moment, 1) + 1;
	for (uint32_t i = 0; i < 2 * waiters->max && waiters->n_jobs > 0; i++) {
		struct waiter *waiter = &waiters->slots[i];

		if (waiter->connection && job != 0 && waiter->wait.job == job)
			resume(waiters, waiter);
	}
	pthread_mutex_unlock(&waiters->lock);
}

void apsp_waiters_progressed(
	struct apsp_waiters *waiters, uint64_t job, double progress)
{
	pthread_mutex_lock(&waiters->lock);
	waiters->running = job;
	waiters->progress = progress;
	pthread_mutex_unlock(&waiters->lock);
}

/* Whether a wait for a job ends by itself. */
static bool is_over(const struct apsp_waiters *waiters,
	const struct waiter *waiter, int64_t now_ns)
{
	const struct apsp_wait *wait = &waiter->wait;

	if (wait->deadline_ns <= now_ns ||
		apsp_connection_is_gone(waiter->conn))
		return true;
	/* false for NAN */
	return waiters->running == wait->job &&
	       fabs(waiters->progress - wait->progress) >=
		       APSP_JOB_PROGRESS_STEP &&
	       now_ns - waiter->since_ns >= PROGRESS_NS;
}

/* With the lock held: resume waits for jobs that are over at now_ns. */
static void resume_until(struct apsp_waiters *waiters, int64_t now_ns)
{
	for (uint32_t i = 0; i < 2 * waiters->max && waiters->n_jobs > 0; i++) {
		struct waiter *waiter = &waiters->slots[i];

		if (waiter->connection && waiter->wait.job != 0 &&
			is_over(waiters, waiter, now_ns))
			resume(waiters, waiter);
	}
}

void apsp_waiters_expire(struct apsp_waiters *waiters, int64_t now_ns)
{
	pthread_mutex_lock(&waiters->lock);
	resume_until(waiters, now_ns);
	pthread_mutex_unlock(&waiters->lock);
}

void apsp_waiters_stop(struct apsp_waiters *waiters)
{
	pthread_mutex_lock(&waiters->lock);
	waiters->stopping = true;
	resume_until(waiters, INT64_MAX);
	pthread_mutex_unlock(&waiters->lock);
}

void apsp_waiters_join(struct apsp_waiters *waiters)
{
	pthread_mutex_lock(&waiters->lock);
	while (waiters->n_others > 0)
		pthread_cond_wait(&waiters->resumed, &waiters->lock);
	pthread_mutex_unlock(&waiters->lock);
}
