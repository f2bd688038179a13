/*
 * The directories <cache_dir>/jobs/<id>, in which daemon and solver exchange
 * the files `graph` and `tables` of a job (compute/worker/README.md, A child
 * owns the device). When a job begins, an empty directory is made for it. When
 * the job ends, the directory is removed. Functions that fail return the codes
 * of apsp_fail_errno() (daemon/base/err.h).
 */
#ifndef APSP_COMPUTE_WORKER_JOB_DIR_H
#define APSP_COMPUTE_WORKER_JOB_DIR_H

#include <stdint.h>

#include "daemon/base/err.h"

enum {
	APSP_JOB_PATH_SIZE = 4096,
};

/*
 * Make <cache_dir>/jobs. If it exists, remove the jobs' directories that an
 * earlier daemon left in it; other files and directories stay.
 */
int apsp_job_dir_prepare(const char *cache_dir, struct apsp_err *err);

/* Make an empty directory for the job `id`, and store its path in `out`. */
int apsp_job_dir_make(const char *cache_dir, uint64_t id,
	char out[APSP_JOB_PATH_SIZE], struct apsp_err *err);

/* Return the disk space in bytes that the files in the directory of the job
   `id` take; 0 if there is no such directory. */
uint64_t apsp_job_dir_bytes(const char *cache_dir, uint64_t id);

/* Remove the directory at path, with its content. Symbolic links in it are
   removed, not followed. */
int apsp_job_dir_remove(const char *path, struct apsp_err *err);

#endif
