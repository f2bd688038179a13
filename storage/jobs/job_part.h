/*
 * The part of the store that only storage/jobs uses. storage/store.c owns it.
 */
#ifndef APSP_STORAGE_JOBS_JOB_PART_H
#define APSP_STORAGE_JOBS_JOB_PART_H

#include <stdint.h>

struct apsp_table_sync;

struct apsp_job_part {
	const char *cache_dir; /* borrowed */
	uint32_t max_queued;   /* the most jobs that may wait */
	uint64_t cache_limit;  /* the most bytes that the cache may hold */
	int64_t retry_at_ms; /* monotonic time at which opening closed tables is
				tried again */
	struct apsp_table_sync *table_sync;
};

#endif
