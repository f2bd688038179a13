/*
 * A job as plain data: what storage records, the worker does and api shows.
 */
#ifndef APSP_BASE_JOB_H
#define APSP_BASE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/profile.h"
#include "daemon/base/table_file.h"

enum {
	APSP_DEVICE_NAME_SIZE = 128,
	APSP_PHASE_SIZE = 16,
	APSP_PLAN_TEXT_SIZE = 512, /* a plan's explanation with its NUL */
	APSP_JOB_TRIES = 2,	   /* a job is tried this often at most */
};

enum apsp_job_state {
	APSP_JOB_QUEUED,
	APSP_JOB_RUNNING,
	APSP_JOB_SUCCEEDED,
	APSP_JOB_FAILED,
	APSP_JOB_CANCELLED,
};

/* "queued", "running", …; apsp_job_state_from_name() gives -1 for others. */
const char *apsp_job_state_name(enum apsp_job_state state);
int apsp_job_state_from_name(const char *name);

/* What the worker needs to begin. */
struct apsp_job_spec {
	uint64_t id;
	uint64_t generation;
	char graph[APSP_NAME_SIZE];
	char profile_name[APSP_NAME_SIZE];
	struct apsp_profile profile;
};

/*
 * What is known of a job while it runs, all of it from the solver. Texts are
 * empty until known.
 */
struct apsp_job_progress {
	char phase[APSP_PHASE_SIZE]; /* "read", "distance", "predecessor", … */
	double progress;	     /* 0 to 1, never falling */
	double eta_s;		     /* seconds left; below 0: not known */
	char algorithm[APSP_ALGORITHM_SIZE];
	char device[APSP_DEVICE_NAME_SIZE];
	char element[8];		/* "u16", "i32", "f64" */
	char plan[APSP_PLAN_TEXT_SIZE]; /* why this algorithm, in words */
};

/* How a job ended without tables. */
struct apsp_job_failure {
	struct apsp_err err;
	/*
	 * The vertices of a negative cycle in order, as NUL-terminated labels
	 * one after the other; NULL and 0 where there is none.
	 */
	char *cycle;
	size_t cycle_size;
};

/* Free what *failure holds. */
void apsp_job_failure_done(struct apsp_job_failure *failure);

#endif
