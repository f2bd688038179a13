/*
 * What plans said of the last jobs and what these took. A machine that is
 * slower or faster than its rates say, or that is busy, shows in all its jobs:
 * estimates follow. Plain data.
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
	struct apsp_job_cost said; /* by rates alone */
	struct apsp_job_cost took;
	unsigned int n_told; /* how often the solver told what its plan said */
};

/* All zero is one without jobs. */
struct apsp_job_pace {
	struct apsp_paced_job jobs[APSP_JOB_PACE_JOBS]; /* a ring */
	size_t n;					/* that were added */
};

void apsp_job_pace_add(
	struct apsp_job_pace *pace, const struct apsp_paced_job *job);

/* How many jobs it knows: the last ones, APSP_JOB_PACE_JOBS at most. */
size_t apsp_job_pace_jobs(const struct apsp_job_pace *pace);

/* Whether one of them had that rate and element: then kernels are compiled. */
bool apsp_job_pace_ran(const struct apsp_job_pace *pace, int rate, int element);

/*
 * Multiply each part of a job by how much longer or shorter than said the same
 * part of the last jobs took: the median of five at most that were said to take
 * about as long, and, of V, had the same rate. One that stands for the rates
 * is among them, so that a single job moves an estimate by half. At most twice,
 * at least half. Stages that hand work to each other are one part.
 */
void apsp_job_pace_apply(const struct apsp_job_pace *pace, int rate,
	int element, struct apsp_job_cost *cost);

/* As the solver's event `cost`: "multi-source.u16 store 0.01 read …". */
void apsp_job_pace_format(int rate, int element,
	const struct apsp_job_cost *said, char out[APSP_JOB_PACE_TEXT_SIZE]);

/* Back from the text: rate, element, said, n_told. Other texts change nothing.
 */
void apsp_job_pace_parse(const char *text, struct apsp_paced_job *job);

#endif
