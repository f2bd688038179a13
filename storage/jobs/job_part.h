/*
 * The members of the store that only storage/jobs uses. storage/store.c owns
 * this struct.
 */
#ifndef APSP_STORAGE_JOBS_JOB_PART_H
#define APSP_STORAGE_JOBS_JOB_PART_H

#include <stdint.h>

struct apsp_table_sync;

struct apsp_job_part {
	char *cache_dir; /* owned */
	/* directory of the table files that came in bundles and that no job has
	   checked yet; owned */
	char *received_dir;
	uint32_t max_queued;  /* largest number of queued jobs */
	uint64_t cache_limit; /* limit of the cache's size in bytes */
	/* the limit was computed from the disk's free space, because
	   --cache-limit is not set */
	bool cache_limit_computed;
	/* monotonic time in milliseconds at which the store will try again to
	   open the table files that it could not open */
	int64_t retry_at_ms;
	struct apsp_table_sync *table_sync;
};

#endif
