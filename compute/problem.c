/*
 * The host's part of a solve; see problem.h.
 */
#include "compute/problem.h"

int apsp_problem_open(
	const char *path, struct apsp_problem *out, struct apsp_err *err)
{
	return apsp_graph_open(path, &out->graph, err);
}

void apsp_problem_done(struct apsp_problem *problem)
{
	apsp_bits_done(&problem->on_cycle);
	apsp_bits_done(&problem->closure);
	apsp_order_done(&problem->order);
	apsp_components_done(&problem->components);
	apsp_integers_done(&problem->integers);
	apsp_lengths_done(&problem->lengths);
	apsp_graph_done(&problem->graph);
}

int apsp_problem_lengths(struct apsp_problem *problem,
	struct apsp_cycle *out_cycle, struct apsp_err *err)
{
	struct apsp_width_facts facts = {0};
	int64_t bound = 0;
	int r;

	r = apsp_lengths_build(&problem->graph, &problem->lengths, err);
	if (r >= 0)
		r = apsp_integers_build(&problem->graph, &problem->lengths, 0,
			&problem->integers, out_cycle, err);
	if (r >= 0)
		r = apsp_integers_bound(&problem->lengths, &problem->integers,
			&bound, &facts.hops, err);
	if (r < 0)
		return r;
	problem->hops = facts.hops;
	facts.kind = problem->integers.kind;
	facts.n_vertices = problem->lengths.n_vertices;
	facts.negative = problem->integers.potentials != NULL;
	facts.largest = bound;
	if (facts.kind == APSP_DISTANCE_SCALED)
		facts.largest = bound / problem->integers.scale;
	problem->n_widths = apsp_widths_plan(&facts, problem->widths);
	return 0;
}

int apsp_problem_closure(struct apsp_problem *problem,
	const struct apsp_closure *closure, const struct apsp_device *device,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	const struct apsp_closure_task task = {.lengths = &problem->lengths,
		.components = &problem->components,
		.device = device};
	int r;

	r = apsp_components_build(&problem->lengths, &problem->components, err);
	if (r >= 0)
		r = apsp_order_build(&problem->lengths, &problem->components,
			&problem->order, err);
	if (!closure)
		closure = apsp_closure_find("");
	if (r >= 0)
		r = closure->run(&task, monitor, &problem->closure, err);
	if (r >= 0)
		r = apsp_on_cycle(&problem->lengths, &problem->components,
			&problem->on_cycle, err);
	if (r < 0)
		return r;
	problem->n_reachable = apsp_bits_count(&problem->closure);
	return 0;
}

int apsp_problem_weights(struct apsp_problem *problem, struct apsp_err *err)
{
	if (problem->lengths.weights)
		return 0;
	apsp_lengths_done(&problem->lengths);
	return apsp_lengths_build(&problem->graph, &problem->lengths, err);
}

int apsp_problem_scale(struct apsp_problem *problem,
	const struct apsp_width *width, struct apsp_err *err)
{
	struct apsp_cycle cycle = {0};
	int r;

	if (problem->integers.kind != APSP_DISTANCE_SCALED ||
		problem->integers.scale == width->scale)
		return 0;
	apsp_integers_done(&problem->integers);
	/* no cycle can come up now that did not before */
	r = apsp_integers_build(&problem->graph, &problem->lengths,
		width->scale, &problem->integers, &cycle, err);
	apsp_cycle_done(&cycle);
	return r;
}
