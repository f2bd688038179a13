/*
 * The planned and the measured seconds of the last jobs. A machine can be busy,
 * or slower or faster than its rates say. Then all its jobs take longer than
 * planned, or all take less time. So the seconds of the last jobs correct later
 * estimates. All types here are plain data.
 */
#ifndef APSP_COMPUTE_PLAN_JOB_PACE_H
#define APSP_COMPUTE_PLAN_JOB_PACE_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/plan/job_cost.h"

enum {
	APSP_JOB_PACE_JOBS = 32,
	APSP_JOB_PACE_TEXT_SIZE = 64 + APSP_JOB_STAGES_TEXT_SIZE,
};

/* One job that succeeded. */
struct apsp_paced_job {
	/* index of the row of apsp_rates.rows with which the seconds of the
	   distances were planned */
	int rate;
	/* number type of the distance matrix V in the job */
	enum apsp_element element;
	/* the planned seconds of each stage, computed only from rates and not
	   corrected by earlier jobs */
	struct apsp_job_cost said;
	struct apsp_job_cost took;
	/* number of plans that the solver has reported for this job */
	unsigned int n_told;
};

/* The last jobs, in a ring. An object whose members are all 0 has no jobs. */
struct apsp_job_pace {
	struct apsp_paced_job jobs[APSP_JOB_PACE_JOBS]; /* a ring buffer */
	size_t n; /* number of jobs that were added; the ring holds only the
		     last APSP_JOB_PACE_JOBS of them */
};

void apsp_job_pace_add(
	struct apsp_job_pace *pace, const struct apsp_paced_job *job);

/* Return the number of jobs in the ring, at most APSP_JOB_PACE_JOBS. */
size_t apsp_job_pace_jobs(const struct apsp_job_pace *pace);

/*
 * Correct the planned seconds in *cost: multiply the stages of each phase
 * (apsp_stage_phase()) by a factor. The factor is the median of at most five
 * ratios of measured to planned seconds, and is limited to the range from one
 * half to two.
 *
 * The ratios come from the same phase of the last jobs. A job's ratio is used
 * only if the planned seconds of its phase are similar to the planned seconds
 * of the new job's phase. For the phase of the distances, the job must also
 * have used the same row of rates and the same element. One of the ratios is
 * always 1, as if an earlier job had taken exactly its planned seconds. If
 * there is only one earlier job, with the ratio r, the factor is (1 + r) / 2,
 * the median of 1 and r.
 */
void apsp_job_pace_apply(const struct apsp_job_pace *pace, int rate,
	enum apsp_element element, struct apsp_job_cost *cost);

/* Format the fields of the line `cost` that the solver prints: "store 0.01 read
   … rate multi-source element u16". If the algorithm of `rate` has no rates,
   the fields `rate` and `element` are left out. */
void apsp_job_pace_format(int rate, enum apsp_element element,
	const struct apsp_job_cost *said, char out[APSP_JOB_PACE_TEXT_SIZE]);

/* Parse the fields of a line `cost` into job->rate, job->element and job->said,
   and add 1 to job->n_told. If the field `rate` or `element` is missing or not
   known, *job does not change. */
void apsp_job_pace_parse(const char *text, struct apsp_paced_job *job);

#endif
