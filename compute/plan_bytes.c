/*
 * What is there at once, added up from footprint.h and the costs; see
 * plan_bytes.h.
 */
#include "compute/plan_bytes.h"

#include "compute/footprint.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Rows on their way back, in one slot. */
static uint64_t slot_bytes(const struct apsp_plan_facts *facts)
{
	const struct apsp_workload *work = &facts->work;

	return apsp_readback_bytes(work->n_vertices,
		apsp_element_wider(work->element, work->distance),
		facts->device.tuning->staging_bytes);
}

/*
 * V all the while; first arcs and what the algorithm takes, then predecessors,
 * whose arcs are picked from those before there are rows.
 */
uint64_t apsp_plan_device_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost)
{
	const struct apsp_workload *work = &facts->work;
	const struct apsp_tuning *tuning = facts->device.tuning;
	uint64_t n = work->n_vertices, n_arcs = work->n_arcs;
	uint64_t own = cost->own_bytes ? cost->own_bytes(work, tuning) : 0;
	uint64_t arcs = apsp_device_arcs_bytes(
		n_arcs, work->element, tuning->staging_bytes);
	uint64_t rows = apsp_rows_bytes(
		n, n_arcs, work->element, work->distance, tuning);
	uint64_t after = apsp_bytes_add(
		apsp_predecessors_bytes(n, n_arcs, work->element),
		larger(arcs, rows));
	uint64_t v = cost->home == APSP_COST_STREAMED
			     ? apsp_marks_bytes(n)
			     : apsp_panels_bytes(n, work->element);

	if (cost->home == APSP_COST_ON_HOST)
		return 0;
	return apsp_bytes_add(v, larger(apsp_bytes_add(arcs, own), after));
}

/*
 * A pivot block lies in one buffer, slabs are of one tile row at least; so do
 * essential arcs, which all may be.
 */
uint64_t apsp_plan_buffer_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost)
{
	const struct apsp_workload *work = &facts->work;
	const struct apsp_tuning *tuning = facts->device.tuning;
	uint32_t block =
		cost->home == APSP_COST_STREAMED ? 1 : tuning->pivot_tiles;
	uint64_t own = cost->own_buffer ? cost->own_buffer(work, tuning) : 0;
	uint64_t v = apsp_panels_buffer_bytes(
		work->n_vertices, work->element, block);
	/* for path sums with their own lengths */
	enum apsp_element arcs = apsp_sums_on_device(work->distance, tuning)
					 ? APSP_ELEMENT_F64
					 : work->element;

	if (cost->home == APSP_COST_ON_HOST)
		return 0;
	return larger(
		larger(own, v), apsp_arcs_buffer_bytes(work->n_arcs, arcs));
}

/* What the host has of V and of what is made of it. */
static uint64_t host_solve_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost)
{
	const struct apsp_workload *work = &facts->work;
	/* arcs on their way, marks of essential ones, and the pinned side of
	   the slots */
	uint64_t bytes = apsp_bytes_add(
		apsp_device_arcs_bytes(work->n_arcs, work->element,
			facts->device.tuning->staging_bytes),
		apsp_bytes_add(
			work->n_arcs, apsp_bytes_multiply(APSP_READBACK_SLOTS,
					      slot_bytes(facts))));

	if (cost->home == APSP_COST_ON_HOST)
		return 0;
	/* with rows that are gathered there for the device */
	if (cost->home == APSP_COST_STREAMED)
		bytes = apsp_bytes_add(bytes,
			apsp_bytes_add(apsp_panels_bytes(
					       work->n_vertices, work->element),
				slot_bytes(facts)));
	return facts->device.host_memory
		       ? apsp_bytes_add(
				 bytes, apsp_plan_device_bytes(facts, cost))
		       : bytes;
}

uint64_t apsp_plan_host_bytes(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost)
{
	const struct apsp_workload *work = &facts->work;
	uint64_t solve = apsp_bytes_add(host_solve_bytes(facts, cost),
		apsp_sums_host_bytes(work->n_vertices, work->n_arcs,
			work->distance, facts->device.tuning->gpu));

	return apsp_bytes_add(apsp_host_bytes(work->n_vertices, work->n_arcs),
		larger(apsp_read_bytes(work->n_arcs, work->transformed),
			solve));
}
