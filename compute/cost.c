/*
 * The table of costs; see cost.h.
 */
#include "compute/cost.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "compute/footprint.h"
#include "compute/tuning.h"

enum {
	STREAMED_PLACES = 5, /* streamed_plan.h, which is the device's side */
};

static double tiles_of(const struct apsp_workload *work)
{
	return ceil((double)work->n_vertices / APSP_TILE);
}

static double padded(const struct apsp_workload *work)
{
	return APSP_TILE * tiles_of(work);
}

/*
 * All relaxations but those through tiles of nothing but infinity. One
 * component that holds a share p of the vertices, the others alone, reaches
 * p^2 of the pairs and needs p^3 of the work.
 */
static double cubic(const struct apsp_workload *work)
{
	return pow(padded(work), 3) * pow(work->reachable, 1.5);
}

static double whole_cubic(const struct apsp_workload *work)
{
	return pow(padded(work), 2) * (double)work->n_vertices;
}

static double no_steps(const struct apsp_workload *work)
{
	(void)work;
	return 0;
}

static double vertex_steps(const struct apsp_workload *work)
{
	return (double)work->n_vertices;
}

/* Bellman–Ford's: one for each arc of a path, and one that changes nothing. */
static double rounds(const struct apsp_workload *work)
{
	/* where it is not known: between a small world's and a grid's */
	double hops = work->hops ? (double)work->hops
				 : sqrt((double)work->n_vertices);

	return hops + 1;
}

static double rounds_cubic(const struct apsp_workload *work)
{
	return rounds(work) * pow(padded(work), 3);
}

/* A squaring doubles the hops that V knows; the last one changes nothing. */
static double squarings(const struct apsp_workload *work)
{
	return ceil(log2(rounds(work))) + 1;
}

static double squared_cubic(const struct apsp_workload *work)
{
	return squarings(work) * cubic(work);
}

static double squared_steps(const struct apsp_workload *work)
{
	return squarings(work) * tiles_of(work);
}

/* Dijkstra's heap: an arc and, for each vertex, the depth of the heap. */
static double dijkstras(const struct apsp_workload *work)
{
	double n = (double)work->n_vertices;

	return n * ((double)work->n_arcs + n * log2(n + 2));
}

static uint64_t panels(const struct apsp_workload *work, uint64_t after)
{
	return apsp_bytes_add(
		apsp_panels_bytes(work->n_vertices, work->element), after);
}

/* A sum for each tile, before and after. */
static uint64_t panels_and_sums(
	const struct apsp_workload *work, uint64_t after)
{
	uint64_t tiles = (uint64_t)tiles_of(work);
	uint64_t sums = apsp_bytes_multiply(tiles, tiles * 16);

	return apsp_bytes_add(
		panels(work, after), apsp_bytes_add(sums, sizeof(uint32_t)));
}

/* The weights have panels of their own; and a mark for each source. */
static uint64_t two_panels(const struct apsp_workload *work, uint64_t after)
{
	uint64_t marks = sizeof(uint32_t) * (work->n_vertices + 1);

	return apsp_bytes_add(panels(work, marks), panels(work, after));
}

/* Pivots and a ring of slabs, each of one tile row at least. */
static uint64_t slabs(const struct apsp_workload *work, uint64_t after)
{
	uint64_t tiles = (uint64_t)tiles_of(work);
	uint64_t places = tiles < STREAMED_PLACES ? tiles : STREAMED_PLACES;
	uint64_t bytes = apsp_bytes_multiply(
		places * tiles, (uint64_t)APSP_TILE * APSP_TILE *
					apsp_element_size(work->element));

	return apsp_bytes_add(apsp_bytes_multiply(tiles, tiles),
		bytes > after ? bytes : after);
}

static uint64_t panels_on_host(const struct apsp_workload *work)
{
	return apsp_panels_bytes(work->n_vertices, work->element);
}

#define BF_DENSE(form)                                                         \
	{                                                                      \
		.name = "bf-dense-" form, .operations = rounds_cubic,          \
		.steps = rounds, .device_bytes = two_panels                    \
	}

const struct apsp_cost apsp_costs[APSP_COST_IDS] = {
	[APSP_COST_BF_DENSE_REDUCE] = BF_DENSE("reduce"),
	[APSP_COST_BF_DENSE_TRANSPOSED] = BF_DENSE("transposed"),
	[APSP_COST_BF_DENSE_VERTEX] = BF_DENSE("vertex"),
	[APSP_COST_BLOCKED_FW] = {.name = "blocked-fw",
		.competes = true,
		.operations = cubic,
		.steps = tiles_of,
		.device_bytes = panels},
	[APSP_COST_FW] = {.name = "fw",
		.operations = whole_cubic,
		.steps = vertex_steps,
		.device_bytes = panels},
	[APSP_COST_MINPLUS_SQUARING] = {.name = "minplus-squaring",
		.operations = squared_cubic,
		.steps = squared_steps,
		.device_bytes = panels_and_sums},
	[APSP_COST_REFERENCE] = {.name = "reference",
		.operations = dijkstras,
		.steps = no_steps},
	[APSP_COST_STREAMED_FW] = {.name = "streamed-fw",
		.competes = true,
		.stands_in = true,
		.operations = cubic,
		.steps = tiles_of,
		.device_bytes = slabs,
		.host_bytes = panels_on_host},
};

int apsp_cost_find(const char *name)
{
	for (int i = 0; i < APSP_COST_IDS; i++)
		if (strcmp(apsp_costs[i].name, name) == 0)
			return i;
	return -1;
}
