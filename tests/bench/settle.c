/*
 * The wait at the end of each stage; see settle.h.
 */
#include "tests/bench/settle.h"

#include <CL/cl.h>

#include "daemon/job/job_stages.h"

static const struct apsp_device *settled;

void __real_apsp_job_stages_end(
	struct apsp_job_stages *stages, enum apsp_stage stage);
void __wrap_apsp_job_stages_end(
	struct apsp_job_stages *stages, enum apsp_stage stage);

void __wrap_apsp_job_stages_end(
	struct apsp_job_stages *stages, enum apsp_stage stage)
{
	if (settled)
		clFinish(settled->queue);
	__real_apsp_job_stages_end(stages, stage);
}

void bench_settle(const struct apsp_device *device)
{
	settled = device;
}
