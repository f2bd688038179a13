/*
 * Jobs: the records, which are also the queue, and the worker's side of it.
 */
#ifndef APSP_STORAGE_JOBS_H
#define APSP_STORAGE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"
#include "storage/store.h"

struct apsp_job_record {
	uint64_t id;
	char graph[APSP_NAME_SIZE];
	char profile[APSP_NAME_SIZE];
	char revision[APSP_HASH_SIZE];
	enum apsp_job_state state;
	unsigned int tries;
	int64_t queued_at_ms;
	int64_t started_at_ms; /* 0: not yet */
	int64_t ended_at_ms;   /* 0: not yet */
	/* of the last try, kept at its end; live ones come from the worker */
	struct apsp_job_progress last;
	struct apsp_job_failure failure; /* err.code is 0 unless it failed */
};

/*
 * Copy one record, by a read-only connection or from memory. The caller ends it
 * with apsp_job_record_done(). APSP_ENOJOB, APSP_EDB.
 */
int apsp_jobs_get(struct apsp_store *store, uint64_t id,
	struct apsp_job_record *out, struct apsp_err *err);
void apsp_job_record_done(struct apsp_job_record *record);

/*
 * Newest first, those with an id below `before` (0: all), of one graph unless
 * graph is NULL, at most max. Returns how many, or a negative code. Old records
 * of ended jobs past the last 10,000 are removed.
 */
int apsp_jobs_list(struct apsp_store *store, const char *graph, uint64_t before,
	struct apsp_job_record *out, size_t max, struct apsp_err *err);

/*
 * End a queued job as cancelled. *out_state is what it is then; for
 * APSP_JOB_RUNNING the caller tells the worker. Through done: APSP_ENOJOB.
 */
void apsp_jobs_cancel(struct apsp_store *store, uint64_t id,
	enum apsp_job_state *out_state, struct apsp_done done);

/*
 * The worker's five calls, which main puts into struct apsp_worker_ops; each
 * waits for the writer. compute/worker.h says what they mean. `load` streams
 * the arcs from a read-only connection into the graph file; APSP_ECANCELLED:
 * the graph is gone.
 *
 * One worker, one job at a time: a job that is recorded as running at a claim
 * is one whose end could not be recorded (the disk was full). It is queued
 * again, or failed after APSP_JOB_TRIES.
 */
int apsp_jobs_claim(struct apsp_store *store, struct apsp_job_spec *out,
	struct apsp_err *err);
int apsp_jobs_load(struct apsp_store *store, const struct apsp_job_spec *job,
	const char *path, struct apsp_err *err);
int apsp_jobs_publish(struct apsp_store *store, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last, const char *path,
	struct apsp_err *err);
void apsp_jobs_fail(struct apsp_store *store, const struct apsp_job_spec *job,
	const struct apsp_job_progress *last,
	const struct apsp_job_failure *failure, bool retry);
void apsp_jobs_put_back(
	struct apsp_store *store, const struct apsp_job_spec *job);

#endif
