/*
 * Searches from batches of sources over a list of edges; see edge_sweep.h.
 */
#include "compute/distance/edge_sweep.h"

#include <stdio.h>
#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/device/round_bound.h"
#include "compute/distance/edge_list.h"
#include "compute/graph/v_element.h"
#include "compute/plan/batch_size.h"
#include "daemon/base/auto.h"

enum {
	/* size in bytes of two texts: the compiler options, and the words in an
	   error message that name the failed action ("run …") */
	TEXT_SIZE = 64,
	/* the kernel `harvest` has this number of arguments between the panels'
	   arguments and the algorithm's own argument */
	HARVEST_ARGS = 3,
};

static int ends_load(struct apsp_edge_sweep *sweep,
	const struct apsp_edge_list *list, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) uint32_t *ends = NULL;
	size_t size = list->n_edges * sizeof(*ends);
	int r;

	ends = malloc(size + 1);
	if (!ends)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to load %llu edges",
			(unsigned long long)list->n_edges);
	for (uint64_t e = 0; e < list->n_edges; e++)
		ends[e] = list->edges[e].tail;
	r = apsp_device_copy_make(
		sweep->panels->device, size, ends, &sweep->tails, err);
	for (uint64_t e = 0; e < list->n_edges; e++)
		ends[e] = list->edges[e].head;
	if (r >= 0)
		r = apsp_device_copy_make(
			sweep->panels->device, size, ends, &sweep->heads, err);
	return r;
}

static int lengths_load(struct apsp_edge_sweep *sweep,
	const struct apsp_edge_list *list, struct apsp_err *err)
{
	bool wide = sweep->method->word_bytes == sizeof(cl_long);
	size_t size = list->n_edges * sweep->method->word_bytes;
	APSP_AUTO(apsp_free) void *values = NULL;

	values = malloc(size + 1);
	if (!values)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to load %llu edges",
			(unsigned long long)list->n_edges);
	for (uint64_t e = 0; e < list->n_edges; e++)
		if (wide)
			((cl_long *)values)[e] = list->edges[e].length;
		else
			((cl_int *)values)[e] = (cl_int)list->edges[e].length;
	return apsp_device_buffer_make(
		sweep->panels->device, size, values, &sweep->lengths, err);
}

static int list_load(struct apsp_edge_sweep *sweep,
	const struct apsp_task *task, struct apsp_err *err)
{
	APSP_AUTO(apsp_edge_list_done) struct apsp_edge_list list = {0};
	int r = apsp_edge_list_build(task->lengths, task->integers, task->order,
		apsp_v_element_infinity(sweep->panels->element),
		sweep->panels->device->tuning->segment, &list, err);

	if (r < 0)
		return r;
	sweep->n_edges = list.n_edges;
	r = ends_load(sweep, &list, err);
	return r < 0 || !sweep->method->weighted
		       ? r
		       : lengths_load(sweep, &list, err);
}

static int kernels_make(struct apsp_edge_sweep *sweep, struct apsp_err *err)
{
	const struct apsp_panels *panels = sweep->panels;
	const struct apsp_edge_method *method = sweep->method;
	const struct apsp_kernel_wanted wanted[] = {{"begin", &sweep->begin},
		{"sweep", &sweep->sweep}, {"harvest", &sweep->harvest},
		{"rebase", &sweep->rebase}};
	char options[TEXT_SIZE];

	snprintf(options, sizeof(options), "-DEDGE_ROWS=%u %s",
		panels->device->tuning->edge_rows, method->options);
	return apsp_kernel_cache_build(panels->device, method->source,
		panels->element, options, wanted, method->rebases ? 4 : 3, err);
}

static int edge_sweep_open(struct apsp_edge_sweep *sweep,
	const struct apsp_task *task, struct apsp_err *err)
{
	const struct apsp_device *device = sweep->panels->device;
	const struct apsp_edge_method *method = sweep->method;
	size_t row = (size_t)sweep->panels->n_vertices * method->word_bytes;
	uint64_t most = device->info.largest_buffer_bytes / row;
	int r = kernels_make(sweep, err);

	sweep->rows_max = (uint32_t)apsp_batch_size_edge_rows(
		sweep->panels->n_vertices, task->lengths->n_arcs, method->lanes,
		method->word_bytes, device->tuning);
	/* a batch has at least one row; if a buffer cannot hold even one row,
	   the allocation below fails */
	if (sweep->rows_max > most)
		sweep->rows_max = most > 0 ? (uint32_t)most : 1;
	if (r >= 0)
		r = list_load(sweep, task, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device, sweep->rows_max * row, NULL,
			&sweep->state, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
			((size_t)sweep->rows_max + 1) * sizeof(cl_uint), NULL,
			&sweep->changed, err);
	return r;
}

static void edge_sweep_done(struct apsp_edge_sweep *sweep)
{
	apsp_device_buffer_done(&sweep->tails);
	apsp_device_buffer_done(&sweep->heads);
	apsp_device_buffer_done(&sweep->lengths);
	apsp_device_buffer_done(&sweep->state);
	apsp_device_buffer_done(&sweep->changed);
	apsp_kernel_done(&sweep->begin);
	apsp_kernel_done(&sweep->sweep);
	apsp_kernel_done(&sweep->harvest);
	apsp_kernel_done(&sweep->rebase);
}

/* Replace *batch by the batch that follows it. If *batch is all zeros, replace
   it by the first batch of the panels' rows. False: no rows are left. */
static bool batch_next(
	const struct apsp_edge_sweep *sweep, struct apsp_edge_batch *batch)
{
	uint32_t lanes = sweep->method->lanes;
	uint32_t first = batch->first + batch->n_sources;
	uint32_t left = sweep->panels->n_rows - first;
	uint32_t most = sweep->rows_max * lanes;
	uint32_t n_sources = left < most ? left : most;

	*batch = (struct apsp_edge_batch){
		.first = first,
		.n_sources = n_sources,
		.n_rows = (n_sources + lanes - 1) / lanes,
	};
	return n_sources > 0;
}

static int window_solve(
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	const struct apsp_edge_sweep *sweep = work;
	struct apsp_edge_batch batch = {0};
	char what[TEXT_SIZE];
	int r = 0;

	while (r >= 0 && batch_next(sweep, &batch))
		r = sweep->method->solve(sweep, &batch, progress, err);
	if (r < 0)
		return r;
	snprintf(what, sizeof(what), "run %s", sweep->method->name);
	return apsp_opencl_check(
		apsp_opencl_finish(sweep->panels->device->queue), what, err);
}

int apsp_edge_sweep_run(const struct apsp_task *task,
	struct apsp_panels *panels, const struct apsp_edge_method *method,
	struct apsp_progress *progress, struct apsp_err *err)
{
	APSP_AUTO(edge_sweep_done)
	struct apsp_edge_sweep sweep = {.panels = panels, .method = method};
	int r = edge_sweep_open(&sweep, task, err);

	return r < 0 ? r
		     : apsp_task_windows(task, panels, window_solve, &sweep,
			       progress, err);
}

int apsp_edge_sweep_begin(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const void *unreached,
	struct apsp_err *err)
{
	static const cl_uint zero = 0;
	const struct apsp_panels *panels = sweep->panels;
	cl_command_queue queue = panels->device->queue;
	size_t size = sweep->method->word_bytes;
	const struct apsp_kernel_arg args[] = {APSP_ARG(sweep->state),
		APSP_ARG(panels->n_vertices), APSP_ARG(panels->sources),
		APSP_ARG(batch->first)};
	const struct apsp_kernel_items items = {batch->n_sources, 1, 1, 1};
	int r;

	r = apsp_opencl_fill(queue, sweep->state, unreached, size, 0,
		(size_t)batch->n_rows * panels->n_vertices * size,
		"begin a batch of sources", err);
	if (r >= 0)
		r = apsp_opencl_fill(queue, sweep->changed, &zero, sizeof(zero),
			0, ((size_t)batch->n_rows + 1) * sizeof(zero),
			"begin a batch of sources", err);
	return r < 0 ? r
		     : apsp_kernel_launch(panels->device, sweep->begin, args, 4,
			       items, err);
}

/* Enqueue one launch over the edges [begin, end). */
static int edges_launch(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, cl_ulong begin, cl_ulong end,
	struct apsp_kernel_arg own, struct apsp_err *err)
{
	const struct apsp_panels *panels = sweep->panels;
	const struct apsp_tuning *tuning = panels->device->tuning;
	uint64_t n_edges = end - begin;
	/* number of edges for each work-item: one edge on a GPU, all edges of
	   the launch on a CPU */
	cl_uint run = tuning->gpu ? 1 : (cl_uint)n_edges;
	const struct apsp_kernel_arg args[] = {APSP_ARG(sweep->state),
		APSP_ARG(sweep->tails), APSP_ARG(sweep->heads),
		APSP_ARG(panels->n_vertices), APSP_ARG(sweep->changed),
		APSP_ARG(begin), APSP_ARG(end), APSP_ARG(run),
		APSP_ARG(batch->n_rows), APSP_ARG(batch->round), own};
	const struct apsp_kernel_items items = {n_edges / run,
		(batch->n_rows + tuning->edge_rows - 1) / tuning->edge_rows,
		tuning->row_group, 1};

	return apsp_kernel_launch(
		panels->device, sweep->sweep, args, 11, items, err);
}

int apsp_edge_sweep_round(const struct apsp_edge_sweep *sweep,
	struct apsp_edge_batch *batch, struct apsp_kernel_arg own,
	struct apsp_progress *progress, struct apsp_err *err)
{
	const struct apsp_panels *panels = sweep->panels;
	uint64_t limit = panels->device->tuning->launch_edges /
			 ((uint64_t)batch->n_rows * sweep->method->lanes);
	cl_uint last = 0;
	int r = 0;

	batch->round++;
	limit = limit < 1 ? 1 : limit > UINT32_MAX ? UINT32_MAX : limit;
	for (uint64_t begin = 0; r >= 0 && begin < sweep->n_edges;
		begin += limit) {
		uint64_t left = sweep->n_edges - begin;

		r = edges_launch(sweep, batch, begin,
			begin + (left < limit ? left : limit), own, err);
	}
	if (r >= 0)
		r = apsp_opencl_read(panels->device->queue, sweep->changed, 0,
			sizeof(last), &last, "run a round over the edges", err);
	if (r >= 0)
		r = apsp_round_bound_check(panels->device,
			"the search over edges", last, panels->n_vertices - 1,
			err);
	if (r < 0)
		return r;
	batch->done = last != batch->round;
	return apsp_progress_step(progress,
		((double)panels->first + batch->first) / panels->n_vertices,
		err);
}

int apsp_edge_sweep_harvest(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const struct apsp_kernel_arg *own,
	struct apsp_err *err)
{
	const struct apsp_panels *panels = sweep->panels;
	const struct apsp_tuning *tuning = panels->device->tuning;
	const struct apsp_kernel_arg args[] = {APSP_ARG(panels->n_vertices),
		APSP_ARG(batch->first), APSP_ARG(sweep->state),
		own ? *own : (struct apsp_kernel_arg){0}};
	const struct apsp_kernel_items items = {
		(panels->n_vertices + tuning->span - 1) / tuning->span,
		batch->n_rows, tuning->row_group, 1};

	return apsp_panels_launch(panels, sweep->harvest, args,
		own ? HARVEST_ARGS + 1 : HARVEST_ARGS, items, err);
}
