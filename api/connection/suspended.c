/*
 * A list of suspended connections, protected by a mutex. A thread holds the
 * mutex while it takes a connection out of the list and resumes it. So no
 * connection is resumed twice. Also, once a stopping server finds the list
 * empty, no thread still uses a connection that was in the list.
 */
#include "api/connection/suspended.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "api/connection/connection.h"
#include "daemon/base/clock.h"
#include "daemon/job/job.h"

enum {
	N_MARKS = 64,
	/* nanoseconds; when a job makes progress, only requests that have
	   already waited for at least this time are resumed */
	PROGRESS_NS = 250000000,
};

struct apsp_suspended {
	pthread_mutex_t lock;
	pthread_cond_t resumed;
	bool stopping;
	/* Number of changes so far: state changes of all jobs, and changes of
	   the list of graphs. This number is written only with the lock held,
	   but read without the lock, because almost every request reads it. */
	atomic_uint_least64_t moment;
	/* marks[i] is the value that `moment` had after the latest state change
	   of any job whose id % N_MARKS is i */
	uint64_t marks[N_MARKS];
	uint64_t running; /* id of the job that last reported its progress */
	double progress;
	uint32_t max;
	uint32_t n_jobs;
	uint32_t n_others;
	struct apsp_suspension *first;
};

int apsp_suspended_new(
	uint32_t max, struct apsp_suspended **out, struct apsp_err *err)
{
	struct apsp_suspended *suspended = calloc(1, sizeof(*suspended));

	if (!suspended)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	suspended->max = max;
	pthread_mutex_init(&suspended->lock, NULL);
	pthread_cond_init(&suspended->resumed, NULL);
	*out = suspended;
	return 0;
}

void apsp_suspended_free(struct apsp_suspended *suspended)
{
	if (!suspended)
		return;
	pthread_cond_destroy(&suspended->resumed);
	pthread_mutex_destroy(&suspended->lock);
	free(suspended);
}

uint64_t apsp_suspended_now(struct apsp_suspended *suspended)
{
	return atomic_load(&suspended->moment);
}

uint32_t apsp_suspended_count(struct apsp_suspended *suspended)
{
	uint32_t n;

	pthread_mutex_lock(&suspended->lock);
	n = suspended->n_jobs + suspended->n_others;
	pthread_mutex_unlock(&suspended->lock);
	return n;
}

/* Resume a connection. The connection's request may already be freed when this
   function returns. The caller holds the lock. */
static void resume(
	struct apsp_suspended *suspended, struct apsp_suspension *suspension)
{
	struct MHD_Connection *connection = suspension->connection;

	if (suspension->wait.job)
		suspended->n_jobs--;
	else
		suspended->n_others--;
	*suspension->link = suspension->next;
	if (suspension->next)
		suspension->next->link = suspension->link;
	suspension->connection = NULL;
	MHD_resume_connection(connection);
	pthread_cond_broadcast(&suspended->resumed);
}

int apsp_suspended_add(struct apsp_suspended *suspended,
	struct MHD_Connection *connection, const struct apsp_connection *conn,
	const struct apsp_wait *wait, bool past_limit,
	struct apsp_suspension *out, struct apsp_err *err)
{
	uint32_t *count = wait->job ? &suspended->n_jobs : &suspended->n_others;
	int r = 0;

	pthread_mutex_lock(&suspended->lock);
	if (suspended->stopping)
		r = apsp_fail(err, APSP_ESTOPPING, "the daemon is stopping");
	else if (*count >= suspended->max && !past_limit)
		r = apsp_fail(err, APSP_EBUSY,
			"%u requests are waiting already", *count);
	if (r == 0) {
		(*count)++;
		*out = (struct apsp_suspension){
			.connection = connection,
			.conn = conn,
			.wait = *wait,
			.since_ns = apsp_clock_ns(),
			.next = suspended->first,
			.link = &suspended->first,
		};
		if (out->next)
			out->next->link = &out->next;
		suspended->first = out;
		MHD_suspend_connection(connection);
		if (wait->job &&
			suspended->marks[wait->job % N_MARKS] > wait->moment)
			resume(suspended, out);
	}
	pthread_mutex_unlock(&suspended->lock);
	return r;
}

void apsp_suspended_resume(
	struct apsp_suspended *suspended, struct apsp_suspension *suspension)
{
	pthread_mutex_lock(&suspended->lock);
	if (suspension->connection)
		resume(suspended, suspension);
	pthread_mutex_unlock(&suspended->lock);
}

void apsp_suspended_changed(struct apsp_suspended *suspended, uint64_t job)
{
	struct apsp_suspension *next;

	pthread_mutex_lock(&suspended->lock);
	suspended->marks[job % N_MARKS] =
		atomic_fetch_add(&suspended->moment, 1) + 1;
	for (struct apsp_suspension *s = suspended->first; s; s = next) {
		next = s->next;
		if (job != 0 && s->wait.job == job)
			resume(suspended, s);
	}
	pthread_mutex_unlock(&suspended->lock);
}

void apsp_suspended_progressed(
	struct apsp_suspended *suspended, uint64_t job, double progress)
{
	pthread_mutex_lock(&suspended->lock);
	suspended->running = job;
	suspended->progress = progress;
	pthread_mutex_unlock(&suspended->lock);
}

/* Do the work of apsp_suspended_expire(). The caller holds the lock. */
static void expire(struct apsp_suspended *suspended, int64_t now_ns)
{
	struct apsp_suspension *next;

	for (struct apsp_suspension *s = suspended->first; s; s = next) {
		const struct apsp_wait *wait = &s->wait;
		/* false if wait->progress is NAN, because no comparison with
		   NAN is true */
		bool progressed = suspended->running == wait->job &&
				  fabs(suspended->progress - wait->progress) >=
					  APSP_JOB_PROGRESS_STEP &&
				  now_ns - s->since_ns >= PROGRESS_NS;

		next = s->next;
		if (wait->job != 0 && (wait->deadline_ns <= now_ns ||
					      s->conn->gone || progressed))
			resume(suspended, s);
	}
}

void apsp_suspended_expire(struct apsp_suspended *suspended, int64_t now_ns)
{
	pthread_mutex_lock(&suspended->lock);
	expire(suspended, now_ns);
	pthread_mutex_unlock(&suspended->lock);
}

void apsp_suspended_stop(struct apsp_suspended *suspended)
{
	pthread_mutex_lock(&suspended->lock);
	suspended->stopping = true;
	expire(suspended, INT64_MAX);
	pthread_mutex_unlock(&suspended->lock);
}

void apsp_suspended_join(struct apsp_suspended *suspended)
{
	pthread_mutex_lock(&suspended->lock);
	while (suspended->n_others > 0)
		pthread_cond_wait(&suspended->resumed, &suspended->lock);
	pthread_mutex_unlock(&suspended->lock);
}
