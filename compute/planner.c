/*
 * Facts from the problem and the device; see planner.h.
 */
#include "compute/planner.h"

#include "compute/host_room.h"

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
		return (struct apsp_plan_device){.name = "host"};
	return (struct apsp_plan_device){
		.name = device->info.name,
		.gpu = device->tuning->gpu,
		.lacks_double = !device->has_double,
		.memory_bytes = device->memory_bytes,
		.largest_buffer_bytes = device->info.largest_buffer_bytes,
		.staging_bytes = device->tuning->staging_bytes,
	};
}

void apsp_planner_facts(const struct apsp_problem *problem,
	const struct apsp_device *device, const struct apsp_rates *rates,
	const struct apsp_width *width, struct apsp_plan_facts *out)
{
	double n = problem->lengths.n_vertices;

	*out = (struct apsp_plan_facts){
		.work = {.n_vertices = problem->lengths.n_vertices,
			.n_arcs = problem->lengths.n_arcs,
			.element = width->element,
			.distance = distance_element(problem, width->element),
			.hops = problem->hops,
			.reachable = (double)problem->n_reachable / (n * n)},
		.device = device_facts(device),
		.host_bytes = apsp_host_room_now(),
		/* the table's writer sees for itself, and says what it lacks */
		.disk_bytes = APSP_PLAN_UNKNOWN,
	};
	if (rates)
		out->rates = *rates;
	else
		apsp_rates_default(out->device.gpu, &out->rates);
}
