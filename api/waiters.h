/*
 * Suspended requests. libmicrohttpd neither times them out nor survives a stop
 * with one of them (design.md, decision 13), so each has a slot here, the ones
 * that wait for a job have a deadline, and a stop resumes those first.
 *
 * Waits for a job and waits for the writer have max slots each, so that those
 * who watch jobs never keep an upload out.
 */
#ifndef APSP_API_WAITERS_H
#define APSP_API_WAITERS_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_request;
struct apsp_waiters;

/* APSP_ENOMEM. The caller ends it with apsp_waiters_free(). */
int apsp_waiters_new(
	uint32_t max, struct apsp_waiters **out, struct apsp_err *err);
void apsp_waiters_free(struct apsp_waiters *waiters);

/* A moment in the order of job changes. Any thread. */
uint64_t apsp_waiters_now(struct apsp_waiters *waiters);

/*
 * Suspend req; on its connection's thread only. With job 0 it is resumed by
 * apsp_waiters_resume() alone; else also when the job has changed since the
 * moment, or at the deadline. APSP_EBUSY, APSP_ESTOPPING.
 */
int apsp_waiters_suspend(struct apsp_waiters *waiters, struct apsp_request *req,
	uint64_t job, uint64_t moment, int64_t deadline_ns,
	struct apsp_err *err);

/* Any thread. A request that does not wait is left alone. */
void apsp_waiters_resume(
	struct apsp_waiters *waiters, struct apsp_request *req);

/* A job changed. Any thread. */
void apsp_waiters_changed(struct apsp_waiters *waiters, uint64_t job);

/* Resume those whose deadline has passed. */
void apsp_waiters_expire(struct apsp_waiters *waiters, int64_t now_ns);

/* Resume the waits for jobs; refuse new waits of any kind from now on. */
void apsp_waiters_stop(struct apsp_waiters *waiters);

/* After stop: wait until the writer has resumed the others. */
void apsp_waiters_join(struct apsp_waiters *waiters);

#endif
