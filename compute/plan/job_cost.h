/*
 * The estimated seconds of a whole job, stage by stage, from the last byte of
 * the upload until requests are answered from the tables. A job's record has
 * the measured seconds of the same stages (daemon/job/job_stages.h). All
 * functions are plain arithmetic.
 */
#ifndef APSP_COMPUTE_PLAN_JOB_COST_H
#define APSP_COMPUTE_PLAN_JOB_COST_H

#include "compute/plan/algorithm.h"
#include "compute/plan/plan_facts.h"
#include "daemon/job/job_stages.h"

struct apsp_job_cost {
	double seconds[APSP_N_STAGES];
};

/*
 * Estimate a job in which `algorithm` computes the distance matrix V in
 * distance_s seconds on one device. If several processes share the rows (struct
 * apsp_plan_group), the seconds of the work on rows are divided by the number
 * of their devices or hosts. Two stages get 0 seconds: waiting for other jobs,
 * and earlier attempts at this job.
 */
void apsp_job_cost_make(const struct apsp_plan_facts *facts,
	const struct apsp_algorithm *algorithm, double distance_s,
	struct apsp_job_cost *out);

double apsp_job_cost_sum(const struct apsp_job_cost *cost);

#endif
