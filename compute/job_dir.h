/*
 * The directories <cache_dir>/jobs/<id>: one per job, made fresh, holding
 * `graph` and `tables`, removed at the job's end (design.md, decision 1).
 */
#ifndef APSP_COMPUTE_JOB_DIR_H
#define APSP_COMPUTE_JOB_DIR_H

#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_JOB_PATH_SIZE = 4096,
};

/* Make <cache_dir>/jobs, or empty it of what an earlier daemon left. */
int apsp_job_dir_prepare(const char *cache_dir, struct apsp_err *err);

/* Make the directory of job id, empty; out gets its path. */
int apsp_job_dir_make(const char *cache_dir, uint64_t id,
	char out[APSP_JOB_PATH_SIZE], struct apsp_err *err);

/* Remove the directory at path with what is in it. Links are not followed. */
int apsp_job_dir_remove(const char *path, struct apsp_err *err);

#endif
