/*
 * The attempts at V; see attempt.h.
 */
#include "compute/attempt.h"

#include "compute/host_solve.h"
#include "compute/planner.h"
#include "compute/readback.h"
#include "compute/self_test.h"
#include "daemon/base/auto.h"

APSP_AUTO_DEFINE(result_free, struct apsp_result, apsp_result_free);

/* Nothing wants the weights any more; they may be as large as half the file. */
static int arcs_write(struct apsp_problem *problem, struct apsp_result *result,
	struct apsp_err *err)
{
	int r = apsp_result_arcs(result, err);

	if (r >= 0)
		apsp_lengths_drop_weights(&problem->lengths);
	return r;
}

static int attempt_on_device(const struct apsp_attempt *attempt,
	enum apsp_element element, struct apsp_result *result,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	APSP_AUTO(apsp_predecessors_done)
	struct apsp_predecessors predecessors = {0};
	struct apsp_problem *problem = attempt->problem;
	struct apsp_monitor *monitor = attempt->monitor;
	const struct apsp_task task = {
		&problem->lengths, &problem->integers, &problem->order, &arcs};
	int r;

	apsp_monitor_stage(monitor, APSP_STAGE_SELF_TEST);
	r = apsp_self_test(attempt->device, attempt->algorithm, element, err);
	apsp_monitor_stage(monitor, APSP_STAGE_UPLOAD);
	if (r >= 0)
		r = apsp_device_arcs_load(attempt->device, &problem->lengths,
			&problem->integers, &problem->order, element, &arcs,
			err);
	if (r >= 0)
		r = apsp_algorithm_panels(attempt->algorithm, attempt->device,
			&task, element, &panels, err);
	apsp_monitor_stage(monitor, APSP_STAGE_DISTANCE);
	if (r >= 0)
		r = attempt->algorithm->run(&task, &panels, monitor, err);
	apsp_monitor_stage(monitor, APSP_STAGE_WRITE);
	if (r >= 0)
		r = arcs_write(problem, result, err);
	apsp_monitor_stage(monitor, APSP_STAGE_PREDECESSOR);
	if (r >= 0)
		r = apsp_predecessors_open(&panels, &problem->lengths,
			&problem->integers, &arcs, &predecessors, err);
	apsp_device_arcs_done(&arcs); /* they are seen to be essential or not */
	if (r >= 0)
		r = apsp_monitor_enter(monitor, APSP_PHASE_PREDECESSOR, err);
	if (r < 0)
		return r;
	return apsp_readback_run(&panels, &predecessors, problem->n_reachable,
		monitor, result, err);
}

/*
 * Plan, say so, and make *out the attempt with the chosen algorithm. What does
 * not fit is refused here, before anything is allocated.
 */
static int choose(const struct apsp_attempt *attempt,
	const struct apsp_width *width, struct apsp_attempt *out,
	struct apsp_err *err)
{
	const char *asked = attempt->algorithm ? attempt->algorithm->name : "";
	struct apsp_monitor *monitor = attempt->monitor;
	const struct apsp_estimate *estimate;
	struct apsp_plan plan;
	int r;

	r = apsp_planner_make(
		attempt->problem, attempt->device, width, asked, &plan, err);
	if (r >= 0)
		r = apsp_plan_check(&plan, err);
	if (r < 0)
		return r;
	estimate = apsp_plan_choice(&plan);
	monitor->weights[APSP_PHASE_DISTANCE] = estimate->distance_s;
	monitor->weights[APSP_PHASE_PREDECESSOR] =
		estimate->seconds - estimate->distance_s;
	*out = *attempt;
	out->algorithm = apsp_algorithm_find(estimate->name);
	if (!out->algorithm_name)
		out->algorithm_name = estimate->name;
	apsp_monitor_plan(monitor, out->algorithm_name, plan.text);
	return 0;
}

/* One width: 0, APSP_VERDICT_TOO_NARROW, or a negative code. */
static int attempt_width(const struct apsp_attempt *attempt,
	const struct apsp_width *width, struct apsp_err *err)
{
	APSP_AUTO(result_free) struct apsp_result *result = NULL;
	struct apsp_problem *problem = attempt->problem;
	const struct apsp_result_config config = {
		.path = attempt->path,
		.algorithm = attempt->algorithm_name,
		.lengths = &problem->lengths,
		.integers = &problem->integers,
		.element = width->element,
		.precision = problem->graph.profile.precision,
	};
	int r;

	r = apsp_monitor_enter(attempt->monitor, APSP_PHASE_DISTANCE, err);
	apsp_monitor_element(attempt->monitor, width->element);
	apsp_monitor_stage(attempt->monitor, APSP_STAGE_WRITE);
	if (r >= 0)
		r = apsp_result_open(&config, &result, err);
	if (r < 0)
		return r;
	if (attempt->algorithm->start != APSP_START_HOST) {
		r = attempt_on_device(attempt, width->element, result, err);
	} else {
		r = arcs_write(problem, result, err);
		if (r >= 0)
			r = apsp_host_solve_run(&problem->lengths,
				&problem->integers, width->element,
				attempt->monitor, result, err);
	}
	if (r != 0)
		return r;
	apsp_monitor_stage(attempt->monitor, APSP_STAGE_WRITE);
	r = apsp_result_finish(
		result, &problem->closure, &problem->on_cycle, err);
	apsp_monitor_stage(attempt->monitor, APSP_STAGE_WRITE);
	return r;
}

int apsp_attempt_run(const struct apsp_attempt *attempt, struct apsp_err *err)
{
	struct apsp_problem *problem = attempt->problem;
	int r = attempt->algorithm ? apsp_algorithm_takes(attempt->algorithm,
					     &problem->integers, err)
				   : 0;

	for (int w = 0; r >= 0 && w < problem->n_widths; w++) {
		const struct apsp_width *width = &problem->widths[w];
		struct apsp_attempt chosen;

		apsp_monitor_stage(attempt->monitor, APSP_STAGE_READ);
		r = apsp_problem_weights(problem, err);
		if (r >= 0)
			r = apsp_problem_scale(problem, width, err);
		if (r >= 0)
			r = choose(attempt, width, &chosen, err);
		if (r >= 0)
			r = attempt_width(&chosen, width, err);
		if (r != APSP_VERDICT_TOO_NARROW)
			return r;
	}
	if (r < 0)
		return r;
	return apsp_fail(err, APSP_EOVERFLOW,
		"distances exceed 2^53 units; scale the weights down");
}
