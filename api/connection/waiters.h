/*
 * Suspended connections, whose requests wait for a job or for the writer.
 * libmicrohttpd neither times out a suspended connection nor survives a stop
 * with one (api/connection/README.md, We accept, libmicrohttpd serves). So each
 * has a slot here, each wait for a job has a deadline, and a stop resumes the
 * waits for jobs first.
 *
 * Waits for a job and waits for the writer have max slots each, so that clients
 * who watch jobs never keep an upload out.
 */
#ifndef APSP_API_CONNECTION_WAITERS_H
#define APSP_API_CONNECTION_WAITERS_H

#include <microhttpd.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_connection;
struct apsp_waiters;

/* What a suspended connection waits for. */
struct apsp_wait {
	uint64_t job; /* 0: apsp_waiters_resume() alone ends the wait */
	/* the wait ends with a change of the job after this moment, … */
	uint64_t moment;
	/* … when apsp_clock_ns() is past this, … */
	int64_t deadline_ns;
	/* … and when the job is APSP_JOB_PROGRESS_STEP from this; NAN: never */
	double progress;
};

/* APSP_ENOMEM. The caller ends it with apsp_waiters_free(). */
int apsp_waiters_new(
	uint32_t max, struct apsp_waiters **out, struct apsp_err *err);
void apsp_waiters_free(struct apsp_waiters *waiters);

/* A moment in the order of job changes. Any thread. */
uint64_t apsp_waiters_now(struct apsp_waiters *waiters);

/*
 * Suspend a connection; on its own thread only. A wait for a job also ends when
 * the client of conn has closed its sending half. APSP_EBUSY, APSP_ESTOPPING.
 */
int apsp_waiters_suspend(struct apsp_waiters *waiters,
	struct MHD_Connection *connection, const struct apsp_connection *conn,
	const struct apsp_wait *wait, struct apsp_err *err);

/*
 * The same with job 0, and past the limit: for a request that only waits for
 * the writer and whose work would be lost, such as an upload that has been
 * read. APSP_ESTOPPING, APSP_ENOMEM.
 */
int apsp_waiters_suspend_surely(struct apsp_waiters *waiters,
	struct MHD_Connection *connection, struct apsp_err *err);

/* Any thread. Does nothing to a connection that does not wait. */
void apsp_waiters_resume(
	struct apsp_waiters *waiters, struct MHD_Connection *connection);

/* How many connections wait. Any thread. */
uint32_t apsp_waiters_count(struct apsp_waiters *waiters);

/* A job changed. Any thread. */
void apsp_waiters_changed(struct apsp_waiters *waiters, uint64_t job);

/*
 * The progress of the job that runs. Any thread. Wakes nobody, because solvers
 * tell their progress dozens of times a second: apsp_waiters_expire() compares.
 */
void apsp_waiters_progressed(
	struct apsp_waiters *waiters, uint64_t job, double progress);

/*
 * Resume the waits for jobs whose deadline has passed, whose client has left,
 * or that have lasted a quarter of a second and whose job has made a step of
 * progress.
 */
void apsp_waiters_expire(struct apsp_waiters *waiters, int64_t now_ns);

/* Resume the waits for jobs; refuse new waits of any kind from now on. */
void apsp_waiters_stop(struct apsp_waiters *waiters);

/* After apsp_waiters_stop(): wait until the writer has resumed the others. */
void apsp_waiters_join(struct apsp_waiters *waiters);

#endif
