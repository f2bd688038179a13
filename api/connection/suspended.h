/*
 * Suspended connections: libmicrohttpd does not serve them, because their
 * requests wait for a job or for the store's writer. libmicrohttpd has no time
 * limit for a suspended connection, so each wait for a job has a deadline here.
 * If libmicrohttpd were stopped while a connection is suspended, it would abort
 * the process (api/connection/README.md, Accepting connections). So all
 * suspended connections are in a list. A stopping server first resumes the
 * connections that wait for jobs, and waits until the writer has resumed the
 * connections that wait for the writer.
 *
 * Connections that wait for jobs and connections that wait for the writer have
 * separate limits. So an upload can wait for the writer even if very many
 * clients wait for jobs.
 */
#ifndef APSP_API_CONNECTION_SUSPENDED_H
#define APSP_API_CONNECTION_SUSPENDED_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_connection;
struct apsp_suspended;

/* A value of apsp_wait.job: wait until the list of graphs changes. In this
   file, the list counts as a job that reports no progress, and a change of the
   list counts as a change of the job's state. */
#define APSP_WAIT_GRAPHS UINT64_MAX

/* The events that a suspended connection waits for. The first event that
   happens ends the wait. */
struct apsp_wait {
	uint64_t job; /* id of the job that is waited for, or APSP_WAIT_GRAPHS;
			 0: the wait is not for a job, and only
			 apsp_suspended_resume() ends it */
	/* A result of apsp_suspended_now(). The wait ends when the job's state
	   changes after this moment. */
	uint64_t moment;
	/* The wait ends when apsp_clock_ns() reaches this deadline. */
	int64_t deadline_ns;
	/* The wait ends when the job's progress differs from this number by
	   APSP_JOB_PROGRESS_STEP or more. NAN: progress never ends the wait. */
	double progress;
};

/* The suspension of a request's connection; a member of the request. All
   zeros: the connection is not suspended. */
struct apsp_suspension {
	struct MHD_Connection *connection;
	const struct apsp_connection *conn;
	struct apsp_wait wait;
	int64_t since_ns;
	struct apsp_suspension *next, **link; /* the next element of the list,
						 and the pointer in the list
						 that points to this element */
};

/*
 * Make an empty list. At most `max` connections can wait for jobs, and at most
 * `max` other connections can wait for the store's writer. The caller ends *out
 * with apsp_suspended_free(). APSP_ENOMEM.
 */
int apsp_suspended_new(
	uint32_t max, struct apsp_suspended **out, struct apsp_err *err);
void apsp_suspended_free(struct apsp_suspended *suspended);

/* Returns the present moment: the number of calls of apsp_suspended_changed()
   so far. Any thread may call this function. */
uint64_t apsp_suspended_now(struct apsp_suspended *suspended);

/*
 * Suspend a connection. Call this on the connection's thread. *out must live
 * until the connection is resumed. If the connection waits for a job, it is
 * also resumed when its client closes the sending half. If `past_limit` is
 * true, the limit is ignored. Set `past_limit` if a refusal would waste work
 * that is already done, such as reading a long upload.
 *
 * APSP_EBUSY: the limit is reached. APSP_ESTOPPING: the server stops.
 */
int apsp_suspended_add(struct apsp_suspended *suspended,
	struct MHD_Connection *connection, const struct apsp_connection *conn,
	const struct apsp_wait *wait, bool past_limit,
	struct apsp_suspension *out, struct apsp_err *err);

/* Resume a connection. If the connection is not suspended, do nothing. Any
   thread may call this function. */
void apsp_suspended_resume(
	struct apsp_suspended *suspended, struct apsp_suspension *suspension);

/* Returns the number of suspended connections. Any thread may call this
   function. */
uint32_t apsp_suspended_count(struct apsp_suspended *suspended);

/* Resume the connections that wait for `job`, because the state of this job has
   changed. `job` is APSP_WAIT_GRAPHS if the list of graphs has changed. Any
   thread may call this function. */
void apsp_suspended_changed(struct apsp_suspended *suspended, uint64_t job);

/*
 * Store the progress of the running job. Resumes no connection, because solvers
 * report progress dozens of times a second. apsp_suspended_expire() resumes the
 * connections that wait for this progress. Any thread may call this function.
 */
void apsp_suspended_progressed(
	struct apsp_suspended *suspended, uint64_t job, double progress);

/*
 * Check each connection that waits for a job. Resume the connection in any of
 * three cases: the wait's deadline has passed; the client has closed its
 * sending half; the wait has lasted for at least a quarter of a second, and the
 * job's progress differs from wait.progress by APSP_JOB_PROGRESS_STEP or more.
 */
void apsp_suspended_expire(struct apsp_suspended *suspended, int64_t now_ns);

/* Resume the connections that wait for jobs. From now on, apsp_suspended_add()
   fails. */
void apsp_suspended_stop(struct apsp_suspended *suspended);

/* Wait until the store's writer has resumed all connections that wait for the
   writer. Call this after apsp_suspended_stop(). */
void apsp_suspended_join(struct apsp_suspended *suspended);

#endif
