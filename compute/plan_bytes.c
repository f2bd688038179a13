/*
 * What is there at once, added up from footprint.h and the costs; see
 * plan_bytes.h.
 */
#include "compute/plan_bytes.h"

#include "compute/footprint.h"

/* An algorithm with so many rows of V at a time. */
struct way {
	const struct apsp_workload *work;
	const struct apsp_tuning *tuning;
	const struct apsp_cost *cost;
	bool host_memory; /* the device's is the host's */
	uint64_t n_rows;
	bool has_windows;
};

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct way way_of(const struct apsp_plan_facts *facts,
	const struct apsp_cost *cost, uint64_t n_rows)
{
	return (struct way){.work = &facts->work,
		.tuning = facts->device.tuning,
		.cost = cost,
		.host_memory = facts->device.host_memory,
		.n_rows = n_rows,
		.has_windows = n_rows < facts->work.n_vertices};
}

/* Rows on their way back, in one slot. */
static uint64_t slot_bytes(const struct way *way)
{
	const struct apsp_workload *work = way->work;

	return apsp_readback_bytes(work->n_vertices,
		apsp_element_wider(work->element, work->distance),
		way->tuning->staging_bytes);
}

/* Arcs as panels.h has them, on the device and on their way there. */
static uint64_t arcs_bytes(const struct way *way)
{
	return way->has_windows ? 0
				: apsp_device_arcs_bytes(way->work->n_arcs,
					  way->work->element,
					  way->tuning->staging_bytes);
}

/* V or a window of it, as much of it as is on the device all the while. */
static uint64_t v_bytes(const struct way *way)
{
	const struct apsp_workload *work = way->work;

	return way->cost->home == APSP_COST_STREAMED
		       ? apsp_marks_bytes(work->n_vertices)
		       : apsp_panels_bytes(
				 work->n_vertices, way->n_rows, work->element);
}

/* Beside it while V is made: what the algorithm takes, and arcs. */
static uint64_t device_before(const struct way *way)
{
	const struct apsp_cost *cost = way->cost;

	return apsp_bytes_add(arcs_bytes(way),
		cost->own_bytes ? cost->own_bytes(way->work, way->tuning) : 0);
}

/*
 * While rows are read back: predecessors' arcs, which are picked from those
 * before there are rows. With windows the algorithm goes on after it.
 */
static uint64_t device_after(const struct way *way)
{
	const struct apsp_workload *work = way->work;
	uint64_t by_head = apsp_predecessors_bytes(
		work->n_vertices, work->n_arcs, work->element);
	uint64_t rows = apsp_rows_bytes(work->n_vertices, work->n_arcs,
		work->element, work->distance, way->tuning);

	return apsp_bytes_add(by_head,
		way->has_windows ? apsp_bytes_add(rows, device_before(way))
				 : larger(rows, arcs_bytes(way)));
}

static uint64_t device_bytes(const struct way *way)
{
	return apsp_bytes_add(
		v_bytes(way), larger(device_before(way), device_after(way)));
}

/*
 * A pivot block lies in one buffer, slabs are of one tile row at least; so do
 * essential arcs, which all may be.
 */
static uint64_t buffer_bytes(const struct way *way)
{
	const struct apsp_workload *work = way->work;
	const struct apsp_cost *cost = way->cost;
	uint32_t block =
		cost->home == APSP_COST_STREAMED ? 1 : way->tuning->pivot_tiles;
	uint64_t own =
		cost->own_buffer ? cost->own_buffer(work, way->tuning) : 0;
	uint64_t n_panels = (way->n_rows + APSP_TILE - 1) / APSP_TILE;
	uint64_t v = apsp_panels_buffer_bytes(
		work->n_vertices, n_panels, work->element, block);
	/* for path sums with their own lengths */
	enum apsp_element arcs =
		apsp_sums_on_device(work->distance, way->tuning)
			? APSP_ELEMENT_F64
			: work->element;

	return larger(
		larger(own, v), apsp_arcs_buffer_bytes(work->n_arcs, arcs));
}

/* V where streamed-fw has it, with rows that are gathered for the device. */
static uint64_t host_v_bytes(const struct way *way)
{
	const struct apsp_workload *work = way->work;
	uint64_t streamed = apsp_bytes_add(
		slot_bytes(way), apsp_panels_bytes(work->n_vertices,
					 work->n_vertices, work->element));

	return apsp_bytes_add(
		way->cost->home == APSP_COST_STREAMED ? streamed : 0,
		way->host_memory ? v_bytes(way) : 0);
}

/*
 * Beside it while V is made: arcs on their way, weights, which are written when
 * there are rows, and marks of useless arcs where there are windows.
 */
static uint64_t host_before(const struct way *way)
{
	const struct apsp_workload *work = way->work;
	uint64_t bytes = apsp_bytes_add(arcs_bytes(way),
		apsp_weights_bytes(work->n_arcs, work->transformed));

	if (way->has_windows)
		bytes = apsp_bytes_add(bytes, work->n_arcs);
	return apsp_bytes_add(bytes, way->host_memory ? device_before(way) : 0);
}

/*
 * While rows are read back: path sums, the pinned side of the slots, and what
 * marked the arcs that predecessors are looked for among.
 */
static uint64_t host_after(const struct way *way)
{
	const struct apsp_workload *work = way->work;
	uint64_t marks =
		apsp_bytes_multiply(work->n_arcs, way->has_windows ? 2 : 1);
	uint64_t slots =
		apsp_bytes_multiply(APSP_READBACK_SLOTS, slot_bytes(way));
	uint64_t sums = apsp_sums_host_bytes(work->n_vertices, work->n_arcs,
		work->distance, way->tuning->gpu);
	uint64_t bytes = apsp_bytes_add(apsp_bytes_add(marks, slots),
		apsp_bytes_add(sums, arcs_bytes(way)));

	return apsp_bytes_add(bytes, way->host_memory ? device_after(way) : 0);
}

static uint64_t host_bytes(const struct way *way)
{
	const struct apsp_workload *work = way->work;
	uint64_t solve;

	if (way->cost->home == APSP_COST_ON_HOST)
		solve = apsp_sums_host_bytes(work->n_vertices, work->n_arcs,
			work->distance, way->tuning->gpu);
	else
		solve = apsp_bytes_add(host_v_bytes(way),
			larger(host_before(way), host_after(way)));
	return apsp_bytes_add(apsp_host_bytes(work->n_vertices, work->n_arcs),
		larger(apsp_read_bytes(work->n_arcs, work->transformed),
			solve));
}

static bool has_room(const struct apsp_plan_facts *facts, const struct way *way)
{
	return device_bytes(way) <= facts->device.memory_bytes &&
	       buffer_bytes(way) <= facts->device.largest_buffer_bytes &&
	       host_bytes(way) <= facts->host_bytes;
}

/* With the rows that it should have, or half and half again until they fit. */
static struct way way_choose(
	const struct apsp_plan_facts *facts, const struct apsp_cost *cost)
{
	uint64_t n = facts->work.n_vertices, rows;
	struct way way = way_of(facts, cost, n);

	if (!cost->window)
		return way;
	rows = cost->window(&facts->work, facts->device.tuning);
	if (rows < n)
		way = way_of(facts, cost, rows);
	while (!has_room(facts, &way) && rows > APSP_TILE) {
		rows = (rows / 2 + APSP_TILE - 1) / APSP_TILE * APSP_TILE;
		if (rows < n)
			way = way_of(facts, cost, rows);
	}
	return way;
}

void apsp_plan_bytes(const struct apsp_plan_facts *facts,
	const struct apsp_cost *cost, struct apsp_estimate *out)
{
	struct way way = way_choose(facts, cost);

	out->rows = way.n_rows;
	out->host_bytes = host_bytes(&way);
	if (cost->home == APSP_COST_ON_HOST)
		return;
	out->device_bytes = device_bytes(&way);
	out->buffer_bytes = buffer_bytes(&way);
}
