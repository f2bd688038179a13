/*
 * The attempts at V; see attempt.h.
 */
#include "compute/attempt.h"

#include <stdlib.h>

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

/* What was planned for one width. */
struct chosen {
	struct apsp_attempt attempt; /* with the algorithm */
	uint32_t rows;		     /* of V at once */
};

/* V on its way from the panels to the tables. */
struct passage {
	const struct apsp_attempt *attempt;
	struct apsp_result *result;
	struct apsp_device_arcs arcs; /* none where there are windows */
	struct apsp_panels panels;
	struct apsp_predecessors predecessors;
	struct apsp_readback *readback; /* NULL: no rows have come */
};

static void passage_done(struct passage *p)
{
	apsp_readback_free(p->readback);
	apsp_predecessors_done(&p->predecessors);
	apsp_panels_done(&p->panels);
	apsp_device_arcs_done(&p->arcs);
}

/*
 * The arcs that predecessors are looked for among: with all of V at hand the
 * essential ones, else all but those that are known to be useless.
 */
static int predecessors_open(
	struct passage *p, const uint8_t *useless, struct apsp_err *err)
{
	const struct apsp_problem *problem = p->attempt->problem;
	uint64_t n_arcs = problem->lengths.n_arcs;
	APSP_AUTO(apsp_free) uint8_t *flags = NULL;
	int r = 0;

	flags = malloc(n_arcs + 1);
	if (!flags)
		return apsp_fail(err, APSP_ENOMEM, "select arcs");
	if (apsp_panels_whole(&p->panels))
		r = apsp_panels_essential(&p->panels, &p->arcs, flags, err);
	else
		for (uint64_t e = 0; e < n_arcs; e++)
			flags[e] = !(useless && useless[e]);
	if (r >= 0)
		r = apsp_predecessors_open(&p->panels, &problem->lengths,
			&problem->integers, flags, &p->predecessors, err);
	apsp_device_arcs_done(&p->arcs); /* selected */
	return r;
}

static int passage_begin(
	struct passage *p, const uint8_t *useless, struct apsp_err *err)
{
	const struct apsp_attempt *attempt = p->attempt;
	int r;

	apsp_monitor_stage(attempt->monitor, APSP_STAGE_WRITE);
	r = arcs_write(attempt->problem, p->result, err);
	apsp_monitor_stage(attempt->monitor, APSP_STAGE_PREDECESSOR);
	if (r >= 0)
		r = predecessors_open(p, useless, err);
	return r < 0 ? r
		     : apsp_readback_open(&p->predecessors, attempt->monitor,
			       p->result, &p->readback, err);
}

/* What the panels hold goes on; of windows this is apsp_task's take(). */
static int rows_take(void *ctx, const uint8_t *useless, struct apsp_err *err)
{
	struct passage *p = ctx;
	struct apsp_monitor *monitor = p->attempt->monitor;
	const struct apsp_panels *panels = &p->panels;
	int r = p->readback ? 0 : passage_begin(p, useless, err);

	if (apsp_panels_whole(panels) && r == 0)
		r = apsp_monitor_enter(monitor, APSP_PHASE_PREDECESSOR, err);
	else
		apsp_monitor_turn(monitor, APSP_PHASE_PREDECESSOR);
	if (r == 0)
		r = apsp_readback_rows(p->readback, panels, err);
	if (panels->first + panels->n_rows < panels->n_vertices)
		apsp_monitor_turn(monitor, APSP_PHASE_DISTANCE);
	return r;
}

static int attempt_on_device(const struct chosen *chosen,
	enum apsp_element element, struct apsp_result *result,
	struct apsp_err *err)
{
	const struct apsp_attempt *attempt = &chosen->attempt;
	APSP_AUTO(passage_done)
	struct passage p = {.attempt = attempt, .result = result};
	struct apsp_problem *problem = attempt->problem;
	struct apsp_monitor *monitor = attempt->monitor;
	bool whole = apsp_panels_tiles(chosen->rows) ==
		     apsp_panels_tiles(problem->lengths.n_vertices);
	const struct apsp_task task = {.lengths = &problem->lengths,
		.integers = &problem->integers,
		.order = &problem->order,
		.arcs = whole ? &p.arcs : NULL,
		.take = rows_take,
		.ctx = &p};
	int r;

	apsp_monitor_stage(monitor, APSP_STAGE_SELF_TEST);
	r = apsp_self_test(attempt->device, attempt->algorithm, element, err);
	apsp_monitor_stage(monitor, APSP_STAGE_UPLOAD);
	if (r >= 0 && whole)
		r = apsp_device_arcs_load(attempt->device, &problem->lengths,
			&problem->integers, &problem->order, element, &p.arcs,
			err);
	if (r >= 0)
		r = apsp_algorithm_panels(attempt->algorithm, attempt->device,
			&task, element, chosen->rows, &p.panels, err);
	apsp_monitor_stage(monitor, APSP_STAGE_DISTANCE);
	if (r >= 0)
		r = attempt->algorithm->run(&task, &p.panels, monitor, err);
	if (r == 0 && apsp_panels_whole(&p.panels))
		r = rows_take(&p, NULL, err);
	return r == 0 ? apsp_readback_finish(
				p.readback, problem->n_reachable, err)
		      : r;
}

/*
 * Plan, say so, and have *out name the chosen algorithm. What does not fit is
 * refused here, before anything is allocated.
 */
static int choose(const struct apsp_attempt *attempt,
	const struct apsp_width *width, struct chosen *out,
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
	*out = (struct chosen){*attempt, (uint32_t)estimate->rows};
	out->attempt.algorithm = apsp_algorithm_find(estimate->name);
	if (!out->attempt.algorithm_name)
		out->attempt.algorithm_name = estimate->name;
	apsp_monitor_plan(monitor, out->attempt.algorithm_name, plan.text);
	return 0;
}

/* One width: 0, APSP_VERDICT_TOO_NARROW, or a negative code. */
static int attempt_width(const struct chosen *chosen,
	const struct apsp_width *width, struct apsp_err *err)
{
	const struct apsp_attempt *attempt = &chosen->attempt;
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
		r = attempt_on_device(chosen, width->element, result, err);
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
		struct chosen chosen;

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
