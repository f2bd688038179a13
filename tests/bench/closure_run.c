/*
 * One run of a closure; see closure_run.h.
 */
#include "tests/bench/closure_run.h"

#include "tests/bench/settle.h"
#include "tests/bench/timing.h"

double bench_closure_make(const struct apsp_closure_algorithm *closure,
	const struct apsp_closure_task *task, struct apsp_bits *out)
{
	struct apsp_progress silent;
	struct apsp_err err;

	apsp_progress_init(&silent, NULL, NULL);
	bench_settle(task->device);
	apsp_progress_stage(&silent, APSP_STAGE_CLOSURE);
	if (closure->run(task, &silent, out, &err) < 0)
		bench_die(&err);
	apsp_progress_stage(&silent, APSP_STAGE_CLOSURE);
	bench_settle(NULL);
	return silent.stages.seconds[APSP_STAGE_CLOSURE];
}
