/*
 * One run of a closure; see closure_run.h.
 */
#include "tests/bench/closure_run.h"

#include "tests/bench/timing.h"

static void device_settle(void *ctx)
{
	const struct apsp_device *const *device = ctx;

	if (*device)
		clFinish((*device)->queue);
}

double bench_closure_make(const struct apsp_closure_algorithm *closure,
	const struct apsp_closure_task *task, struct apsp_bits *out)
{
	const struct apsp_device *device = task->device;
	struct apsp_progress silent;
	struct apsp_err err;

	apsp_progress_init(&silent, NULL, NULL);
	silent.settle = device_settle;
	silent.settle_ctx = &device;
	apsp_progress_stage(&silent, APSP_STAGE_CLOSURE);
	if (closure->run(task, &silent, out, &err) < 0)
		bench_die(&err);
	apsp_progress_stage(&silent, APSP_STAGE_CLOSURE);
	return silent.stages.seconds[APSP_STAGE_CLOSURE];
}
