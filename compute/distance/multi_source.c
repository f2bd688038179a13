/*
 * `multi-source`: Bellman–Ford from a batch of sources at once. The sources of
 * a batch are neighbours in a breadth-first order and so need about the same
 * work. On CPUs, the distances from the sources lie in the lanes of vectors. On
 * GPUs, neighbouring work-items compute them. If all lengths are 1, the method
 * is breadth-first search, and a lane is a bit.
 *
 * Method: Bellman 1958, Moore 1959, with the alternating sweeps of Yen 1970;
 * many sources at once as in Then et al. 2014 (MS-BFS).
 *
 * The algorithm takes about n·m relaxations times the number of sweeps over the
 * vertices. A few sweeps are enough if lengths are similar. At worst there is
 * one sweep for each arc of the shortest path that has the most arcs. On GPUs
 * the whole device sweeps over the vertices for a few batches at a time
 * (multi_source_sweeps.h). On CPUs, in this file, each processor solves one
 * batch after another (kernels/multi_source_batches.clh).
 */
#include "compute/distance/task.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/device/root_buffers.h"
#include "compute/device/round_bound.h"
#include "compute/distance/multi_source_sweeps.h"
#include "compute/distance/position_arcs.h"
#include "compute/graph/semiring.h"
#include "compute/plan/batch_size.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 64,
	/*
	 * In the first launch, a work-item visits at most 1/FIRST of
	 * tuning->launch_pushes arcs. Each later launch doubles this number, up
	 * to launch_pushes. The first launches are short, so that
	 * `multi-source` can be given up early (contest.h). Later launches are
	 * long, so that the device seldom waits for the slowest work-item.
	 */
	FIRST = 8,
};

#define NO_BATCH UINT32_MAX

/* indices into the counters of kernels/multi_source_batches.clh */
enum counter {
	COUNTER_NEXT,
	COUNTER_DONE,
	N_COUNTERS,
};

struct batches {
	const struct apsp_device *device;
	struct apsp_panels *panels;
	/* the contest that may end `multi-source` early, or NULL */
	struct apsp_contest *contest;
	struct apsp_lane_batch batch;
	uint32_t n_items; /* number of work-items, each of which solves one
			     batch at a time */
	cl_uint budget;	  /* number of arcs that a work-item visits in the next
			     launch */
	struct apsp_position_arcs arcs;
	struct apsp_root_buffers root; /* only for widest paths */
	cl_mem d;
	cl_mem marks;
	cl_mem states;
	cl_mem counters;
	cl_kernel kernel;
};

static void batches_done(struct batches *b)
{
	apsp_position_arcs_done(&b->arcs);
	apsp_root_buffers_done(&b->root);
	apsp_device_buffer_done(&b->d);
	apsp_device_buffer_done(&b->marks);
	apsp_device_buffer_done(&b->states);
	apsp_device_buffer_done(&b->counters);
	apsp_kernel_done(&b->kernel);
}

static int batches_open(
	const struct apsp_task *task, struct batches *b, struct apsp_err *err)
{
	bool hops = task->integers->kind == APSP_DISTANCE_HOPS;
	const struct apsp_panels *panels = b->panels;
	const struct apsp_lane_batch *batch = &b->batch;
	char options[OPTIONS_SIZE];
	int r;

	b->device = panels->device;
	b->budget = b->device->tuning->launch_pushes / FIRST + 1;
	b->batch = apsp_batch_size_lanes(task->lengths->n_vertices,
		task->lengths->n_arcs, panels->element, hops,
		b->device->info.largest_buffer_bytes, b->device->tuning);
	b->n_items = (uint32_t)batch->n_together;
	if (b->n_items > b->device->info.compute_units)
		b->n_items = b->device->info.compute_units;
	snprintf(options, sizeof(options), "-DLANES=%u -DPLANES=%u%s",
		batch->lanes, batch->planes,
		apsp_semiring_option(task->integers->kind));
	r = apsp_kernel_cache_kernel(b->device,
		hops ? "multi_source_bits_cpu" : "multi_source_cpu",
		panels->element, options, "solve_batches", &b->kernel, err);
	if (r >= 0)
		r = apsp_position_arcs_load(task, panels,
			hops ? APSP_ROWS_BY_HEAD : APSP_ROWS_BY_TAIL, &b->arcs,
			err);
	if (r >= 0 && task->integers->kind == APSP_DISTANCE_WIDTH)
		r = apsp_root_buffers_make(b->device, task->root,
			panels->element, task->order->vertices,
			panels->n_vertices, &b->root, err);
	if (r >= 0)
		r = apsp_device_buffer_make(b->device,
			b->n_items * batch->d_bytes, NULL, &b->d, err);
	if (r >= 0)
		r = apsp_device_buffer_make(b->device,
			b->n_items * batch->marks_bytes, NULL, &b->marks, err);
	if (r >= 0)
		r = apsp_device_buffer_make(b->device,
			b->n_items * sizeof(cl_uint4), NULL, &b->states, err);
	if (r >= 0)
		r = apsp_device_buffer_make(b->device,
			N_COUNTERS * sizeof(cl_uint), NULL, &b->counters, err);
	return r;
}

/* Initialise the states and the counters on the device: no work-item has a
   batch, and no batch has begun. */
static int batches_reset(struct batches *b, struct apsp_err *err)
{
	static const cl_uint none = NO_BATCH, zero = 0;
	int r;

	r = apsp_opencl_fill(b->device->queue, b->states, &none, sizeof(none),
		0, b->n_items * sizeof(cl_uint4), "clear the states of batches",
		err);
	if (r < 0)
		return r;
	return apsp_opencl_fill(b->device->queue, b->counters, &zero,
		sizeof(zero), 0, N_COUNTERS * sizeof(zero),
		"clear the count of batches", err);
}

/*
 * Check that the work-items have advanced in a launch that completed no batch.
 * Only the device knows how much work is left. Without this check, a faulty
 * device could make the launches go on for ever.
 *
 * The progress of a work-item is one number, made from the number of its round
 * and its place in this round. At the call, *far is the sum of the progress of
 * all work-items before the launch. At the return, *far is the sum after the
 * launch.
 *
 * APSP_EPROOF: no work-item has advanced, or a round has a number above n + 1.
 * There is no round after round n + 1: a shortest path of t arcs is found in
 * round t, and no shortest path has more than n - 1 arcs. Round n pushes the
 * distances that fell in round n - 1, and round n + 1 finds nothing to push.
 */
static int launch_judge(
	const struct batches *b, uint64_t *far, struct apsp_err *err)
{
	uint64_t before = *far;
	size_t n = b->n_items;
	APSP_AUTO(apsp_free) cl_uint4 *states = malloc(n * sizeof(*states));
	int r;

	if (!states)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the states of batches");
	r = apsp_opencl_read(b->device->queue, b->states, 0,
		n * sizeof(*states), states, "read the states of batches", err);
	*far = 0;
	for (size_t i = 0; r >= 0 && i < n; i++) {
		uint64_t round = states[i].s[1], at = states[i].s[2];

		if (states[i].s[0] == NO_BATCH)
			continue;
		*far += round << 32 | at;
		r = apsp_round_bound_check(b->device, "multi-source's batches",
			round, (uint64_t)b->panels->n_vertices + 1, err);
	}
	if (r < 0 || *far > before)
		return r;
	return apsp_fail(err, APSP_EPROOF, "'%s' has lost count of its batches",
		b->device->info.name);
}

/* Compute the rows of the distance matrix that lie in one buffer of the
   panels. */
static int buffer_solve(struct batches *b, uint32_t buffer,
	struct apsp_progress *progress, struct apsp_err *err)
{
	const struct apsp_panels *panels = b->panels;
	cl_uint base = buffer * panels->panels_per_buffer;
	cl_uint first = base * APSP_TILE;
	cl_uint left = panels->n_rows - first;
	cl_uint most = apsp_panels_in_buffer(panels, buffer) * APSP_TILE;
	cl_uint n_sources = left < most ? left : most;
	cl_uint step = b->batch.sources;
	cl_uint n_batches = (n_sources + step - 1) / step;
	cl_uint pushes = b->device->tuning->launch_pushes;
	cl_uint counts[N_COUNTERS] = {0};
	/* sum of the progress of all work-items after the last launch
	   (launch_judge()); 0 if the last launch completed a batch */
	uint64_t far = 0;
	const struct apsp_kernel_arg args[] = {APSP_ARG(b->arcs.offsets),
		APSP_ARG(b->arcs.ends), APSP_ARG(b->arcs.lengths),
		APSP_ARG(panels->n_vertices), APSP_ARG(panels->sources),
		APSP_ARG(first), APSP_ARG(n_sources),
		APSP_ARG(panels->buffers[buffer]), APSP_ARG(base),
		APSP_ARG(panels->n_tiles), APSP_ARG(b->d), APSP_ARG(b->marks),
		APSP_ARG(b->states), APSP_ARG(b->counters), APSP_ARG(b->budget),
		APSP_ARG(step), APSP_ARG(b->root.to), APSP_ARG(b->root.from)};
	size_t n_args = sizeof(args) / sizeof(*args) - (b->root.to ? 0 : 2);
	int r = batches_reset(b, err);

	while (r >= 0 && counts[COUNTER_DONE] < n_batches) {
		cl_uint done = counts[COUNTER_DONE], under_way;
		uint64_t sources;

		r = apsp_kernel_launch(b->device, b->kernel, args, n_args,
			(struct apsp_kernel_items){b->n_items, 1, 1, 1}, err);
		b->budget =
			pushes - b->budget > b->budget ? 2 * b->budget : pushes;
		if (r >= 0)
			r = apsp_opencl_read(b->device->queue, b->counters, 0,
				sizeof(counts), counts, "run multi-source",
				err);
		if (r >= 0 && counts[COUNTER_DONE] > done)
			far = 0;
		else if (r >= 0)
			r = launch_judge(b, &far, err);
		sources = panels->first + first +
			  (uint64_t)counts[COUNTER_DONE] * step;
		if (r >= 0)
			r = apsp_progress_step(progress,
				(double)sources /
					(double)(panels->n_vertices + step),
				err);
		under_way = n_batches - counts[COUNTER_DONE];
		if (under_way > b->n_items)
			under_way = b->n_items;
		if (r >= 0)
			r = apsp_contest_check(b->contest,
				(double)(sources + (uint64_t)under_way * step),
				err);
	}
	return r;
}

static int window_solve(
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	struct batches *b = work;
	uint32_t rows = b->panels->panels_per_buffer * APSP_TILE;
	int r = 0;

	/* end at the window's last row: the last window may be so short that
	   the last buffers have no rows */
	for (uint32_t i = 0; r >= 0 && i * rows < b->panels->n_rows; i++)
		r = buffer_solve(b, i, progress, err);
	return r;
}

int apsp_multi_source_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(batches_done)
	struct batches b = {.panels = panels, .contest = task->contest};
	int r;

	if (panels->device->tuning->gpu)
		return apsp_multi_source_sweeps_run(
			task, panels, progress, err);
	r = batches_open(task, &b, err);
	return r < 0 ? r
		     : apsp_task_windows(
			       task, panels, window_solve, &b, progress, err);
}
