/*
 * Planned and taken seconds of the last jobs. If a machine is slower or faster
 * than its rates, or busy, then all its jobs show that, and estimates follow.
 * Plain data.
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
	int rate;    /* row of the rates (rates.h) that V's seconds come from */
	int element; /* of V: apsp_rates_index() */
	struct apsp_job_cost said; /* planned, from rates alone */
	struct apsp_job_cost took;
	unsigned int n_told; /* plans that the solver reported */
};

/* If all zero, there are no jobs. */
struct apsp_job_pace {
	struct apsp_paced_job jobs[APSP_JOB_PACE_JOBS]; /* a ring */
	size_t n; /* jobs that were added, the forgotten ones included */
};

void apsp_job_pace_add(
	struct apsp_job_pace *pace, const struct apsp_paced_job *job);

/* The number of jobs that are remembered, APSP_JOB_PACE_JOBS at most. */
size_t apsp_job_pace_jobs(const struct apsp_job_pace *pace);

/* Whether one of them had that rate and element, so that kernels are compiled.
 */
bool apsp_job_pace_ran(const struct apsp_job_pace *pace, int rate, int element);

/*
 * Multiply the stages of each phase (apsp_stage_phase()) by a median ratio of
 * taken to planned seconds. The median is over the same phase of the last jobs,
 * five values at most: jobs that were planned to take about as long and, for
 * the distances, had the same rate. One of the values is always 1, for the
 * rates, so that a single job moves an estimate by half. The factor is at least
 * one half and at most two.
 */
void apsp_job_pace_apply(const struct apsp_job_pace *pace, int rate,
	int element, struct apsp_job_cost *cost);

/* Format the fields of the solver's line `cost`: "store 0.01 read … rate
   multi-source.u16". A rate that does not exist is left out. */
void apsp_job_pace_format(int rate, int element,
	const struct apsp_job_cost *said, char out[APSP_JOB_PACE_TEXT_SIZE]);

/* Parse such fields into rate, element and said, and count n_told. Other fields
   change nothing. */
void apsp_job_pace_parse(const char *text, struct apsp_paced_job *job);

#endif
