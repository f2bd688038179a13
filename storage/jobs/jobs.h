/*
 * Jobs as requests see them: the records of jobs, and the command that cancels
 * a queued job. job_queue.h queues jobs; the worker runs them through
 * job_claim.h, job_graph.h, job_publish.h and job_tries.h.
 */
#ifndef APSP_STORAGE_JOBS_JOBS_H
#define APSP_STORAGE_JOBS_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"
#include "storage/database/writer.h"

struct apsp_store;

struct apsp_job_record {
	uint64_t id;
	char graph[APSP_NAME_SIZE];
	char profile[APSP_NAME_SIZE];
	char revision[APSP_HASH_SIZE];
	enum apsp_job_state state;
	unsigned int tries;
	int64_t queued_at_ms;
	int64_t started_at_ms; /* 0: the job has not started yet */
	int64_t ended_at_ms;   /* 0: the job has not ended yet */
	/* the progress of the last try that has ended; the worker has the
	   progress of the running try */
	struct apsp_job_progress last;
	struct apsp_job_failure
		failure; /* the error of a failed or cancelled job; for all
			    other jobs, err.code is 0 */
};

/*
 * Read one record. The caller ends *out with apsp_job_record_done(). Any thread
 * may call this. When a record says that the job has succeeded, requests can
 * already use the job's tables (active_jobs.h). APSP_ENOJOB, APSP_EROW,
 * APSP_EDB, APSP_ENOMEM.
 */
int apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err);
void apsp_job_record_done(struct apsp_job_record *record);

/*
 * Selects the records to list. A member that is NULL or 0 does not restrict the
 * list.
 */
struct apsp_job_filter {
	const char *graph;
	const char *state;  /* one of apsp_job_state_names */
	uint64_t before_id; /* select only records with a smaller id */
};

/*
 * Read at most max records that the filter admits, newest first. Records that
 * cannot be read are skipped. Returns how many were read. As in
 * apsp_jobs_get(), a job that has succeeded is listed as running until requests
 * can use its tables. Housekeeping keeps the records of only the newest 10,000
 * ended jobs. Fails as apsp_jobs_get() does.
 */
int apsp_jobs_list(struct apsp_store *store,
	const struct apsp_job_filter *filter, struct apsp_job_record *out,
	size_t max, struct apsp_err *err);

/* Count the records in each state. Fails as apsp_jobs_get() does. */
int apsp_jobs_count(struct apsp_store *store, uint64_t out[APSP_N_JOB_STATES],
	struct apsp_err *err);

/*
 * End a queued job as cancelled. *out_state is the job's state afterwards; if
 * it is APSP_JOB_RUNNING, the caller must cancel the job in the worker. The row
 * of a running job records the request, so a crash does not undo it.
 * `done` gets the result: 0, APSP_ENOJOB or APSP_EDB.
 */
void apsp_jobs_cancel(struct apsp_store *store, uint64_t id,
	enum apsp_job_state *out_state, struct apsp_done done);

#endif
