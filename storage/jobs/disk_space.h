/*
 * Room for tables, judged before their job is queued and before it runs
 * (storage/jobs/README.md, Room on disk): what the cache may hold and what the
 * file system has free. The tables that are still served count as used.
 */
#ifndef APSP_STORAGE_JOBS_DISK_SPACE_H
#define APSP_STORAGE_JOBS_DISK_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/job.h"

struct apsp_store;
struct apsp_transaction;

/*
 * Fix how much the cache may hold from now on: `wanted` bytes, or, where that
 * is 0, the tables that are there and four fifths of what is free. APSP_EIO.
 */
int apsp_disk_space_limit(
	struct apsp_store *store, uint64_t wanted, struct apsp_err *err);

/* What there is room for. */
struct apsp_disk_space {
	uint64_t limit_bytes; /* what the cache may hold */
	uint64_t used_bytes;  /* what it holds (cache_use.h) */
	uint64_t job_bytes;   /* of these, what the job that runs has taken */
	uint64_t free_bytes;  /* on the cache's disk */
	uint64_t left_bytes;  /* for more tables: by the limit, by the disk */
	bool limited;	      /* by the limit rather than by the disk */
};

/* Any thread. APSP_EIO. */
int apsp_disk_space_read(const struct apsp_store *store,
	struct apsp_disk_space *out, struct apsp_err *err);

/*
 * Whether there is room for `needed` bytes: those of a job's files
 * (job_files.h) with the smallest element that the weights allow (weights.h).
 * Only the solver can tell whether the paths fit it; it reserves the true size
 * before it computes. APSP_ENOSPACE: there is no room, and the message has both
 * sizes; APSP_EIO.
 */
int apsp_disk_space_check(
	const struct apsp_store *store, uint64_t needed, struct apsp_err *err);

/*
 * If the transaction queued a job: whether all queued jobs fit together, beside
 * the rest of what the job that runs needs. Called after
 * apsp_generations_settle(). Errors as apsp_disk_space_check(), and APSP_EDB.
 */
int apsp_disk_space_admit(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * The job is about to run: store in job->room_bytes how large its table file
 * may be. APSP_ENOSPACE: its narrowest tables would pass the limit, which may
 * have been lowered since it was queued. Errors as apsp_disk_space_admit().
 */
int apsp_disk_space_claim(struct apsp_transaction *tx,
	struct apsp_job_spec *job, struct apsp_err *err);

#endif
