/*
 * Types for jobs, which several directories of the source use. The queue of
 * jobs and the records of jobs are in storage (storage/jobs/jobs.h).
 */
#ifndef APSP_DAEMON_JOB_JOB_H
#define APSP_DAEMON_JOB_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/job_stages.h"
#include "daemon/job/profile.h"
#include "daemon/job/table_file.h"

enum {
	APSP_DEVICE_NAME_SIZE = 128,
	APSP_PHASE_SIZE = 16,
	/* bytes of the text that explains a plan, with its NUL */
	APSP_PLAN_TEXT_SIZE = 640,
};

enum apsp_job_state {
	APSP_JOB_QUEUED,
	APSP_JOB_RUNNING,
	APSP_JOB_SUCCEEDED,
	APSP_JOB_FAILED,
	APSP_JOB_CANCELLED,
	APSP_N_JOB_STATES,
};

/* The names of the states: "queued", "running", …. */
extern const char *const apsp_job_state_names[APSP_N_JOB_STATES];

/* Return the state that has this name, or -1 if no state has it. */
int apsp_job_state_from_name(const char *name);

/* The smallest change of a job's progress for which a waiting client gets an
   answer. */
#define APSP_JOB_PROGRESS_STEP 0.01

/* Whether the state is queued or running. */
bool apsp_job_state_active(enum apsp_job_state state);

/* The data that the worker gets when it claims a job from the queue. */
struct apsp_job_spec {
	uint64_t id;
	uint64_t generation;
	char graph[APSP_NAME_SIZE];
	char profile_name[APSP_NAME_SIZE];
	/* the job computes the tables of this revision of the graph; the
	   profile with the hash `hash` says how lengths are computed */
	char revision[APSP_HASH_SIZE];
	char hash[APSP_HASH_SIZE];
	struct apsp_profile profile;
	/* limit of the size of the job's table file; 0: no limit */
	uint64_t room_bytes;
	/* seconds of the stages that ended before the worker claimed the job */
	struct apsp_job_stages stages;
	/* number of tries so far, including the try that begins */
	unsigned int tries;
};

/* The progress that the solver has reported. A text is empty until the solver
   reports it. */
struct apsp_job_progress {
	char phase[APSP_PHASE_SIZE]; /* present phase: "read", "distance", … */
	/* the part of the job that is done, from 0 to 1; the number never falls
	   during a try */
	double progress;
	double eta_s; /* seconds left; below 0: unknown */
	char algorithm[APSP_ALGORITHM_SIZE];
	char device[APSP_DEVICE_NAME_SIZE];
	char element[8]; /* "u16", "i32", "f64" */
	/* the reason why the algorithm was chosen */
	char plan[APSP_PLAN_TEXT_SIZE];
	/* seed that selects the rows in which the host checks whole paths; 0:
	   not known yet */
	uint32_t proof_seed;
	/* seconds of the stages that have ended */
	struct apsp_job_stages stages;
};

/* The job that the worker runs. */
struct apsp_job_present {
	uint64_t id; /* 0: no job runs */
	/* number of tries so far, including the present try */
	unsigned int tries;
	struct apsp_job_progress progress; /* progress of the present try */
};

/* The reason why a job ended without tables. */
struct apsp_job_failure {
	struct apsp_err err;
	/*
	 * For APSP_ENEGCYCLE, the labels of the cycle's vertices in order, each
	 * with a NUL. For other errors, cycle is NULL and cycle_size is 0.
	 */
	char *cycle;
	size_t cycle_size;
};

/* Free the memory of failure->cycle. */
void apsp_job_failure_done(struct apsp_job_failure *failure);

#endif
