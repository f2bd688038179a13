/*
 * `bf-edges`: Bellman–Ford over the list of edges, for batches of sources. Each
 * round relaxes every edge for every source of the batch. Rounds run until a
 * round changes nothing. Two arcs of the same length between the same two
 * vertices, one in each direction, count as one edge, which is relaxed in both
 * directions. Edges are sorted for a good use of the cache (edge_list.h). If
 * the graph has m arcs and the batch has s sources, a round has m·s
 * relaxations. If every pair has a shortest path of at most h arcs, a batch
 * needs at most h + 1 rounds: the last round finds no change. Method: "SSSP and
 * BFS on Kepler", 2014.
 *
 * Distances are integers of 32 bits, or of 64 bits if the distance matrix has
 * doubles, because OpenCL has atomic minima for integers only.
 */
#include "compute/device/kernel.h"
#include "compute/distance/edge_sweep.h"
#include "compute/distance/task.h"
#include "compute/graph/v_element.h"

/* The distance of a vertex that no path has reached yet, for distances of 64
   bits (NONE in kernels/bf_edges.cl). */
#define NONE_64 (INT64_C(1) << 62)

static bool is_wide(enum apsp_element element)
{
	return element == APSP_ELEMENT_F64;
}

/*
 * Check that the device can compute distances of the type `element`. Only
 * benchmarks need the check, because a plan never chooses this algorithm for a
 * device that cannot run it. Returns 0; APSP_ELIMIT: the element needs 64-bit
 * atomic minima, and the device has none.
 */
static int device_check(const struct apsp_device *device,
	enum apsp_element element, struct apsp_err *err)
{
	if (!is_wide(element) || device->info.has_wide_atomics ||
		apsp_tuning_owns_rows(device->tuning))
		return 0;
	return apsp_fail(err, APSP_ELIMIT,
		"bf-edges needs 64-bit atomic minima for distances past 2^30 "
		"units, which '%s' does not have",
		device->info.name);
}

static int batch_solve(const struct apsp_edge_sweep *sweep,
	struct apsp_edge_batch *batch, struct apsp_progress *progress,
	struct apsp_err *err)
{
	enum apsp_element element = sweep->panels->element;
	const struct apsp_kernel_arg lengths = APSP_ARG(sweep->lengths);
	const cl_long wide = NONE_64;
	const cl_int narrow = (cl_int)apsp_v_element_infinity(element);
	const void *none = is_wide(element) ? (const void *)&wide : &narrow;
	int r = apsp_edge_sweep_begin(sweep, batch, none, err);

	while (r >= 0 && !batch->done)
		r = apsp_edge_sweep_round(sweep, batch, lengths, progress, err);
	return r < 0 ? r : apsp_edge_sweep_harvest(sweep, batch, NULL, err);
}

int apsp_bf_edges_run(const struct apsp_task *task, struct apsp_panels *panels,
	struct apsp_progress *progress, struct apsp_err *err)
{
	const struct apsp_device *device = panels->device;
	const struct apsp_edge_method method = {.name = "bf-edges",
		.source = "bf_edges",
		.options = apsp_tuning_owns_rows(device->tuning)
				   ? "-DOWN_ROWS=1"
				   : "",
		.lanes = 1,
		.word_bytes = is_wide(panels->element) ? sizeof(cl_long)
						       : sizeof(cl_int),
		.weighted = true,
		.solve = batch_solve};
	int r = device_check(device, panels->element, err);

	return r < 0 ? r
		     : apsp_edge_sweep_run(
			       task, panels, &method, progress, err);
}
