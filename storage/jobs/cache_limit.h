/*
 * Checks that there is disk space for tables: within the cache's limit
 * (--cache-limit), and on the cache's disk. The space is checked before a job
 * is queued, and again before the job runs (storage/jobs/README.md, Disk
 * space). Tables that are still in use count as used space.
 */
#ifndef APSP_STORAGE_JOBS_CACHE_LIMIT_H
#define APSP_STORAGE_JOBS_CACHE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/job.h"

struct apsp_job_size;
struct apsp_store;
struct apsp_transaction;

/*
 * Set the limit of the cache's size to `wanted` bytes. If `wanted` is 0, the
 * limit is the size of the present tables plus four fifths of the disk's free
 * space. Tables that bundles have brought count as present tables, and files in
 * jobs/ count as free space. Call this before a job runs. APSP_EIO: the disk
 * cannot be measured.
 */
int apsp_cache_limit_set(
	struct apsp_store *store, uint64_t wanted, struct apsp_err *err);

struct apsp_cache_room {
	uint64_t limit_bytes; /* limit of the cache's size */
	uint64_t used_bytes;  /* bytes of disk that tables/, jobs/ and received/
				 use */
	uint64_t job_bytes;   /* bytes that jobs/ uses; part of used_bytes */
	uint64_t free_bytes;  /* free bytes of the cache's disk */
	uint64_t left_bytes; /* number of bytes that new tables may take without
				exceeding the limit or filling the disk */
	bool limited; /* the limit leaves fewer bytes than the disk has free */
};

/* Return the limit of the cache's size. Any thread may call this. */
uint64_t apsp_cache_limit_bytes(const struct apsp_store *store);

/* Measure the cache and its disk. Any thread may call this. APSP_EIO. */
int apsp_cache_limit_read(const struct apsp_store *store,
	struct apsp_cache_room *out, struct apsp_err *err);

/* Measure the cache as apsp_cache_limit_read() does, but store only the member
   left_bytes. */
int apsp_cache_limit_room(const struct apsp_store *store, uint64_t *out_bytes,
	struct apsp_err *err);

/*
 * Check that there is space for the files of a job (job_files.h). The check
 * assumes that the elements of the tables have the narrowest type that the
 * weights allow (arc_facts.h). Only the solver finds out the true size of the
 * files, and reserves it before it computes. `received` is the size of the
 * tables if a bundle has brought them: this part of the files is on the disk
 * already; 0: the job computes its tables. APSP_ENOSPACE: there is less space;
 * the message has the size of the files and the space. APSP_EIO.
 */
int apsp_cache_limit_check(const struct apsp_store *store,
	const struct apsp_job_size *size, const struct apsp_profile *rule,
	uint64_t received, struct apsp_err *err);

/*
 * At the end of a transaction that queued new jobs, check that the free space
 * suffices for the files of all queued jobs. It must also suffice for the bytes
 * that the running job has not reserved yet. Call this after
 * apsp_generations_settle(). Fails as apsp_cache_limit_check() does, or with
 * APSP_EDB.
 */
int apsp_cache_limit_admit(struct apsp_transaction *tx, struct apsp_err *err);

/*
 * Call this when a job is about to run. Sets job->room_bytes, the limit of the
 * size of the job's table file; 0: there is no limit, because the cache's limit
 * leaves at least as many bytes as are free on the disk. If the job computes no
 * tables (apsp_job_files_on_demand()), set job->profile.tables to
 * APSP_TABLES_NONE. APSP_ENOSPACE: even with the narrowest element type, the
 * job's files would exceed the limit; the limit may have been lowered since the
 * job was queued. Also fails as apsp_cache_limit_admit() does.
 */
int apsp_cache_limit_claim(struct apsp_transaction *tx,
	struct apsp_job_spec *job, struct apsp_err *err);

#endif
