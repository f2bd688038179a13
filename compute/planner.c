/*
 * Facts from the problem and the device; see planner.h.
 */
#include "compute/planner.h"

#include "compute/calibration.h"
#include "compute/host_room.h"
#include "compute/sweeps.h"

static enum apsp_element distance_element(
	const struct apsp_problem *problem, enum apsp_element element)
{
	if (problem->integers.kind != APSP_DISTANCE_SUM)
		return element;
	return problem->graph.profile.precision == APSP_PRECISION_FLOAT64
		       ? APSP_ELEMENT_F64
		       : APSP_ELEMENT_F32;
}

static struct apsp_plan_device device_facts(const struct apsp_device *device)
{
	if (!device || !device->tuning)
		return apsp_plan_no_device();
	return (struct apsp_plan_device){
		.name = device->info.name,
		.host_memory = device->host_memory,
		.lacks_double = !device->info.has_double,
		.lacks_wide_atomics = !device->info.has_wide_atomics,
		.memory_bytes = device->memory_bytes,
		.largest_buffer_bytes = device->info.largest_buffer_bytes,
		.tuning = device->tuning,
	};
}

static void facts_collect(const struct apsp_problem *problem,
	const struct apsp_device *device, const struct apsp_width *width,
	struct apsp_plan_facts *out)
{
	double n = problem->lengths.n_vertices;

	*out = (struct apsp_plan_facts){
		.work = {.n_vertices = problem->lengths.n_vertices,
			.n_arcs = problem->lengths.n_arcs,
			.element = width->element,
			.distance = distance_element(problem, width->element),
			.unit_lengths =
				problem->integers.kind == APSP_DISTANCE_HOPS,
			.transformed = problem->lengths.lengths &&
				       problem->lengths.lengths !=
					       problem->lengths.weights,
			.hops = problem->hops,
			.reachable = (double)problem->n_reachable / (n * n)},
		.device = device_facts(device),
		.host_bytes = apsp_host_room_now(),
		/* the table's writer sees for itself, and says what it lacks */
		.disk_bytes = APSP_PLAN_UNKNOWN,
	};
	if (device && device->tuning)
		apsp_calibration_load(device, &out->rates);
	else
		apsp_rates_default(false, &out->rates);
}

int apsp_planner_make(const struct apsp_problem *problem,
	const struct apsp_device *device, const struct apsp_width *width,
	const char *asked, struct apsp_plan *out, struct apsp_err *err)
{
	struct apsp_plan_facts facts;
	int r;

	facts_collect(problem, device, width, &facts);
	/* one look at each arc is the least that multi-source can do with */
	facts.work.visits = asked[0] ? 0 : (double)facts.work.n_arcs;
	apsp_plan_make(&facts, asked, out);
	if (asked[0])
		return 0;
	facts.work.visits = 0;
	if (out->choice == APSP_COST_MULTI_SOURCE) {
		r = apsp_sweeps_count(&problem->lengths, &problem->integers,
			&problem->order, &facts.work.visits, err);
		if (r < 0)
			return r;
	}
	apsp_plan_make(&facts, asked, out);
	return 0;
}
