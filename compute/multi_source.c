/*
 * Batches of sources, one a work-item at a time; see multi_source.h.
 */
#include "compute/multi_source.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/multi_source_sweep.h"
#include "compute/parallel.h"
#include "compute/position_arcs.h"
#include "compute/program.h"
#include "compute/shortcuts.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 32,
	DIRTY_BITS = 64, /* of vertices in a word */
	/* kernels/multi_source_bits_vector.cl */
	BITS_LANES = 512,
	SOURCES_PER_PATH = 20, /* see worth_a_search() */
};

#define NO_BATCH UINT32_MAX

/* kernels/multi_source_vector.cl, `counters` */
enum counter {
	COUNTER_NEXT,
	COUNTER_DONE,
	N_COUNTERS,
};

/* Which of the kernels, and what an item has of its own. */
struct shape {
	const char *program;
	enum apsp_arc_rows rows;
	uint32_t lanes;
	uint32_t n_items;
	uint64_t d_bytes;
	uint64_t marks_bytes; /* dirty or stamps */
};

struct batches {
	const struct apsp_device *device;
	struct apsp_panels *panels;
	struct shape shape;
	struct apsp_position_arcs arcs;
	uint8_t *longer; /* n_arcs: no shortest path takes it; NULL: none */
	cl_mem d;
	cl_mem marks;
	cl_mem states;
	cl_mem counters;
	cl_kernel kernel;
};

static struct shape shape_of(uint32_t n_vertices, bool hops,
	enum apsp_element element, const struct apsp_tuning *tuning)
{
	uint64_t n = n_vertices;
	uint32_t size = (uint32_t)apsp_element_size(element);
	struct shape shape = {"multi_source_vector", APSP_ROWS_BY_TAIL,
		tuning->lane_bytes / size, apsp_parallel_width(),
		n * tuning->lane_bytes,
		(n + DIRTY_BITS - 1) / DIRTY_BITS * sizeof(cl_ulong)};
	uint32_t n_batches;

	if (hops) {
		shape.program = "multi_source_bits_vector";
		shape.rows = APSP_ROWS_BY_HEAD;
		shape.lanes = BITS_LANES;
		shape.d_bytes = n * apsp_multi_source_words(element) *
				(BITS_LANES / CHAR_BIT);
		shape.marks_bytes = n * sizeof(cl_uint);
	}
	n_batches = n_vertices / shape.lanes + 1;
	if (shape.n_items > n_batches)
		shape.n_items = n_batches;
	return shape;
}

uint32_t apsp_multi_source_words(enum apsp_element element)
{
	return element == APSP_ELEMENT_U16 ? 18 : 23;
}

static void batches_done(struct batches *b)
{
	apsp_position_arcs_done(&b->arcs);
	free(b->longer);
	apsp_device_buffer_done(&b->d);
	apsp_device_buffer_done(&b->marks);
	apsp_device_buffer_done(&b->states);
	apsp_device_buffer_done(&b->counters);
	apsp_device_kernel_done(&b->kernel);
}

/*
 * Whether to look for arcs that are too long. It takes about a nanosecond for
 * each path of two arcs, where the solve takes about a fifth for each arc and
 * source, and may save half of that.
 */
static bool worth_a_search(const struct apsp_task *task)
{
	const struct apsp_lengths *l = task->lengths;

	return task->integers->kind != APSP_DISTANCE_HOPS &&
	       apsp_shortcuts_paths(l) * SOURCES_PER_PATH <
		       l->n_arcs * l->n_vertices;
}

static int batches_arcs(
	const struct apsp_task *task, struct batches *b, struct apsp_err *err)
{
	int r = 0;

	if (worth_a_search(task)) {
		b->longer = malloc(task->lengths->n_arcs + 1);
		r = b->longer ? apsp_shortcuts_find(task->lengths,
					task->integers, b->longer, err)
			      : apsp_fail(err, APSP_ENOMEM, "mark arcs");
	}
	return r < 0 ? r
		     : apsp_position_arcs_load(task, b->device,
			       b->panels->element, b->shape.rows, b->longer,
			       &b->arcs, err);
}

static int batches_open(
	const struct apsp_task *task, struct batches *b, struct apsp_err *err)
{
	const struct apsp_panels *panels = b->panels;
	struct shape *shape = &b->shape;
	char options[OPTIONS_SIZE];
	uint64_t fit;
	int r;

	b->device = panels->device;
	*shape = shape_of(panels->n_vertices,
		task->integers->kind == APSP_DISTANCE_HOPS, panels->element,
		b->device->tuning);
	if (shape->n_items > b->device->info.compute_units)
		shape->n_items = b->device->info.compute_units;
	/* all items' rows lie in one buffer */
	fit = b->device->info.largest_buffer_bytes / shape->d_bytes;
	if (shape->n_items > fit)
		shape->n_items = fit > 0 ? (uint32_t)fit : 1;
	snprintf(options, sizeof(options), "-DLANES=%u", shape->lanes);
	r = apsp_program_kernel(b->device, shape->program, panels->element,
		options, "solve_batches", &b->kernel, err);
	if (r >= 0)
		r = batches_arcs(task, b, err);
	if (r >= 0)
		r = apsp_device_buffer(b->device,
			shape->n_items * shape->d_bytes, NULL, &b->d, err);
	if (r >= 0)
		r = apsp_device_buffer(b->device,
			shape->n_items * shape->marks_bytes, NULL, &b->marks,
			err);
	if (r >= 0)
		r = apsp_device_buffer(b->device,
			shape->n_items * sizeof(cl_uint4), NULL, &b->states,
			err);
	if (r >= 0)
		r = apsp_device_buffer(b->device, N_COUNTERS * sizeof(cl_uint),
			NULL, &b->counters, err);
	return r;
}

/* No batch is begun, none is done. */
static int batches_reset(struct batches *b, struct apsp_err *err)
{
	static const cl_uint none = NO_BATCH, zero = 0;
	int r;

	r = apsp_device_check(
		clEnqueueFillBuffer(b->device->queue, b->states, &none,
			sizeof(none), 0, b->shape.n_items * sizeof(cl_uint4), 0,
			NULL, NULL),
		"clear the states of batches", err);
	if (r < 0)
		return r;
	return apsp_device_check(
		clEnqueueFillBuffer(b->device->queue, b->counters, &zero,
			sizeof(zero), 0, N_COUNTERS * sizeof(zero), 0, NULL,
			NULL),
		"clear the count of batches", err);
}

/* The rows that lie in one buffer of the panels. */
static int buffer_solve(struct batches *b, uint32_t buffer,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	const struct apsp_panels *panels = b->panels;
	cl_uint base = buffer * panels->panels_per_buffer;
	cl_uint first = base * APSP_TILE;
	cl_uint left = panels->n_rows - first;
	cl_uint most = apsp_panels_in_buffer(panels, buffer) * APSP_TILE;
	cl_uint n_sources = left < most ? left : most;
	cl_uint n_batches = (n_sources + b->shape.lanes - 1) / b->shape.lanes;
	cl_uint budget = b->device->tuning->launch_pushes;
	cl_uint counts[N_COUNTERS] = {0};
	const struct apsp_kernel_arg args[] = {APSP_ARG(b->arcs.offsets),
		APSP_ARG(b->arcs.ends), APSP_ARG(b->arcs.lengths),
		APSP_ARG(panels->n_vertices), APSP_ARG(panels->sources),
		APSP_ARG(first), APSP_ARG(n_sources),
		APSP_ARG(panels->buffers[buffer]), APSP_ARG(base),
		APSP_ARG(panels->n_tiles), APSP_ARG(b->d), APSP_ARG(b->marks),
		APSP_ARG(b->states), APSP_ARG(b->counters), APSP_ARG(budget)};
	int r = batches_reset(b, err);

	if (r >= 0)
		r = apsp_kernel_args(
			b->kernel, args, sizeof(args) / sizeof(*args), err);
	while (r >= 0 && counts[COUNTER_DONE] < n_batches) {
		uint64_t sources;

		r = apsp_kernel_launch(
			b->device, b->kernel, b->shape.n_items, 1, 1, 1, err);
		if (r >= 0)
			r = apsp_device_check(
				clEnqueueReadBuffer(b->device->queue,
					b->counters, CL_TRUE, 0, sizeof(counts),
					counts, 0, NULL, NULL),
				"run multi-source", err);
		sources = panels->first + first +
			  (uint64_t)counts[COUNTER_DONE] * b->shape.lanes;
		if (r >= 0)
			r = apsp_monitor_step(monitor,
				(double)sources / (double)(panels->n_vertices +
							   b->shape.lanes),
				err);
	}
	return r;
}

static int window_solve(
	void *work, struct apsp_monitor *monitor, struct apsp_err *err)
{
	struct batches *b = work;
	uint32_t rows = b->panels->panels_per_buffer * APSP_TILE;
	int r = 0;

	/* the last window may leave buffers without rows */
	for (uint32_t i = 0; r >= 0 && i * rows < b->panels->n_rows; i++)
		r = buffer_solve(b, i, monitor, err);
	return r;
}

int apsp_multi_source_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err)
{
	APSP_AUTO(batches_done) struct batches b = {.panels = panels};
	int r;

	if (panels->device->tuning->gpu)
		return apsp_multi_source_sweep_run(task, panels, monitor, err);
	r = batches_open(task, &b, err);
	return r < 0 ? r
		     : apsp_algorithm_windows(task, panels, b.longer,
			       window_solve, &b, monitor, err);
}
