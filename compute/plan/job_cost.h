/*
 * Seconds of a whole job by its stages, from the last byte of the upload to
 * tables that answer requests. A job's record has the same stages
 * (daemon/base/job_stages.h). Plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_JOB_COST_H
#define APSP_COMPUTE_PLAN_JOB_COST_H

#include "compute/plan/algorithm.h"
#include "compute/plan/plan_facts.h"
#include "daemon/base/job_stages.h"

struct apsp_job_cost {
	double seconds[APSP_N_STAGES];
};

/*
 * The cost of a job in which this algorithm computes V in distance_s seconds.
 * The seconds of waiting for other jobs and of earlier tries are 0.
 */
void apsp_job_cost_make(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm, double distance_s,
	struct apsp_job_cost *out);

double apsp_job_cost_sum(const struct apsp_job_cost *cost);

#endif
