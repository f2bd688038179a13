/*
 * Suspended connections, whose requests wait for a job or for the store's
 * writer. libmicrohttpd neither times out a suspended connection nor survives a
 * stop with one (api/connection/README.md, We accept, libmicrohttpd serves). So
 * all of them are in one list, each wait for a job has a deadline, and a stop
 * resumes the waits for jobs first.
 *
 * Waits for a job and waits for the writer have a limit each, so that clients
 * who watch jobs never keep an upload out.
 */
#ifndef APSP_API_CONNECTION_SUSPENDED_H
#define APSP_API_CONNECTION_SUSPENDED_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_connection;
struct apsp_suspended;

/* The event for which a suspended connection waits. */
struct apsp_wait {
	uint64_t job; /* 0: only apsp_suspended_resume() ends the wait */
	/* The wait ends when the job changes after this moment, … */
	uint64_t moment;
	/* … when apsp_clock_ns() has passed this deadline, … */
	int64_t deadline_ns;
	/* … or when the job's progress differs from this by
	   APSP_JOB_PROGRESS_STEP; NAN: never */
	double progress;
};

/* One suspension, inside the request. Zero: the connection is not suspended. */
struct apsp_suspension {
	struct MHD_Connection *connection;
	const struct apsp_connection *conn;
	struct apsp_wait wait;
	int64_t since_ns;
	struct apsp_suspension *next, **link; /* in the list */
};

/*
 * At most max connections may wait for jobs, and as many for the writer. The
 * caller ends *out with apsp_suspended_free(). APSP_ENOMEM.
 */
int apsp_suspended_new(
	uint32_t max, struct apsp_suspended **out, struct apsp_err *err);
void apsp_suspended_free(struct apsp_suspended *suspended);

/* The present moment, in the order of job changes. Any thread. */
uint64_t apsp_suspended_now(struct apsp_suspended *suspended);

/*
 * Suspend a connection; on its own thread only. out lives until the resume. A
 * wait for a job also ends when the client of conn has closed its sending half.
 * past_limit: for a request whose work would be lost, such as an upload that
 * has been read. APSP_EBUSY: the limit is reached; APSP_ESTOPPING.
 */
int apsp_suspended_add(struct apsp_suspended *suspended,
	struct MHD_Connection *connection, const struct apsp_connection *conn,
	const struct apsp_wait *wait, bool past_limit,
	struct apsp_suspension *out, struct apsp_err *err);

/* Any thread. Does nothing if the connection is not suspended. */
void apsp_suspended_resume(
	struct apsp_suspended *suspended, struct apsp_suspension *suspension);

/* How many connections are suspended. Any thread. */
uint32_t apsp_suspended_count(struct apsp_suspended *suspended);

/* A job changed. Any thread. */
void apsp_suspended_changed(struct apsp_suspended *suspended, uint64_t job);

/*
 * Note the progress of the job that runs. Any thread. Resumes nothing, because
 * solvers report progress dozens of times a second; apsp_suspended_expire()
 * compares it.
 */
void apsp_suspended_progressed(
	struct apsp_suspended *suspended, uint64_t job, double progress);

/*
 * Resume the waits for jobs whose deadline has passed, whose client has left,
 * or that have lasted a quarter of a second and whose job has made a step of
 * progress.
 */
void apsp_suspended_expire(struct apsp_suspended *suspended, int64_t now_ns);

/* Resume the waits for jobs, and refuse every wait from now on. */
void apsp_suspended_stop(struct apsp_suspended *suspended);

/* After the stop: wait until the writer has resumed the others. */
void apsp_suspended_join(struct apsp_suspended *suspended);

#endif
