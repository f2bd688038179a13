/*
 * `bf-edges`: Bellman–Ford over the list of edges, for batches of sources. Each
 * round relaxes every edge for every source of the batch. Rounds run until a
 * round changes nothing. Two arcs of the same length between the same two
 * vertices, one in each direction, count as one edge, which is relaxed both
 * ways. Edges are sorted for a good use of the cache (edge_list.h). A round has
 * m·s relaxations if the graph has m arcs and the batch has s sources. If every
 * pair has a shortest path of at most h arcs, a batch needs at most h + 1
 * rounds. Method: "SSSP and BFS on Kepler", 2014.
 *
 * Distances are integers of 32 bits, or of 64 bits if the distance matrix has
 * doubles, because OpenCL has atomic minima for integers only.
 */
#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/opencl.h"
#include "compute/distance/task.h"
#include "compute/distance/edge_sweep.h"
#include "compute/graph/v_element.h"
#include "daemon/base/auto.h"

/* The distance of a vertex to which no path is known yet, if the elements of
   the distance matrix have 64 bits (NONE in kernels/bf_edges.cl). */
#define NONE_64 (INT64_C(1) << 62)

struct bf_edges {
	const struct apsp_panels *panels;
	struct apsp_edge_sweep sweep;
	/* lengths of the edges; they have the same type as distances */
	cl_mem lengths;
};

static void bf_edges_done(struct bf_edges *bf)
{
	apsp_edge_sweep_done(&bf->sweep);
	apsp_device_buffer_done(&bf->lengths);
}

static bool is_wide(enum apsp_element element)
{
	return element == APSP_ELEMENT_F64;
}

/*
 * Check that the device can compute with this type of element. Only benchmarks
 * need the check, because a plan never chooses this algorithm for a device that
 * cannot run it. Returns 0; APSP_ELIMIT: the element needs 64-bit atomic
 * minima, and the device has none.
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

static int lengths_load(struct bf_edges *bf, const struct apsp_edge_list *list,
	struct apsp_err *err)
{
	bool wide = is_wide(bf->panels->element);
	size_t size = list->n_edges * bf->sweep.shape.word_bytes;
	APSP_AUTO(apsp_free) void *values = NULL;
	cl_int *narrow_values;
	cl_long *wide_values;

	values = malloc(size + 1);
	if (!values)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to load %llu edges",
			(unsigned long long)list->n_edges);
	narrow_values = values;
	wide_values = values;
	for (uint64_t e = 0; e < list->n_edges; e++)
		if (wide)
			wide_values[e] = list->edges[e].length;
		else
			narrow_values[e] = (cl_int)list->edges[e].length;
	return apsp_device_buffer_make(
		bf->panels->device, size, values, &bf->lengths, err);
}

static int bf_edges_open(
	struct bf_edges *bf, const struct apsp_task *task, struct apsp_err *err)
{
	const struct apsp_device *device = bf->panels->device;
	const struct apsp_tuning *tuning = device->tuning;
	enum apsp_element element = bf->panels->element;
	const struct apsp_edge_method method = {.source = "bf_edges",
		.options = apsp_tuning_owns_rows(tuning) ? "-DOWN_ROWS=1" : "",
		.shape = {.lanes = 1,
			.word_bytes = is_wide(element) ? sizeof(cl_long)
						       : sizeof(cl_int)}};
	APSP_AUTO(apsp_edge_list_done) struct apsp_edge_list list = {0};
	int r = device_check(device, element, err);

	if (r >= 0)
		r = apsp_edge_list_build(task->lengths, task->integers,
			task->order, apsp_v_element_infinity(element),
			tuning->segment, &list, err);
	if (r >= 0)
		r = apsp_edge_sweep_open(
			task, bf->panels, &list, &method, &bf->sweep, err);
	if (r >= 0)
		r = lengths_load(bf, &list, err);
	return r;
}

static int batch_solve(const struct bf_edges *bf, struct apsp_edge_batch *batch,
	struct apsp_progress *progress, struct apsp_err *err)
{
	const struct apsp_kernel_arg lengths = APSP_ARG(bf->lengths);
	const cl_long wide = NONE_64;
	const cl_int narrow =
		(cl_int)apsp_v_element_infinity(bf->panels->element);
	const void *none =
		is_wide(bf->panels->element) ? (const void *)&wide : &narrow;
	int r = apsp_edge_sweep_begin(&bf->sweep, batch, none, err);

	while (r >= 0 && !batch->done)
		r = apsp_edge_sweep_round(
			&bf->sweep, batch, lengths, progress, err);
	return r < 0 ? r
		     : apsp_edge_sweep_harvest(&bf->sweep, batch, NULL, err);
}

static int window_solve(
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	const struct bf_edges *bf = work;
	struct apsp_edge_batch batch = {0};
	int r = 0;

	while (r >= 0 && apsp_edge_sweep_next(&bf->sweep, &batch))
		r = batch_solve(bf, &batch, progress, err);
	if (r < 0)
		return r;
	return apsp_opencl_check(apsp_opencl_finish(bf->panels->device->queue),
		"run bf-edges", err);
}

int apsp_bf_edges_run(const struct apsp_task *task, struct apsp_panels *panels,
	struct apsp_progress *progress, struct apsp_err *err)
{
	APSP_AUTO(bf_edges_done) struct bf_edges bf = {.panels = panels};
	int r = bf_edges_open(&bf, task, err);

	return r < 0 ? r
		     : apsp_task_windows(
			       task, panels, window_solve, &bf, progress, err);
}
