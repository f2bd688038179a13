/*
 * Batches of sources, one a work-item at a time; see multi_source.h.
 */
#include "compute/multi_source.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/multi_source_sweep.h"
#include "compute/position_arcs.h"
#include "compute/program.h"
#include "compute/shortcuts.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 32,
	WORD_BITS = 64, /* of the dirty flags */
	ITEMS_MAX = 128,
	SOURCES_PER_PATH = 20, /* see worth_a_search() */
};

#define NO_BATCH UINT32_MAX

/* kernels/multi_source_vector.cl, `counters` */
enum counter {
	COUNTER_NEXT,
	COUNTER_DONE,
	N_COUNTERS,
};

struct batches {
	const struct apsp_device *device;
	struct apsp_panels *panels;
	cl_uint n_items;
	cl_uint lanes;
	struct apsp_position_buffers arcs;
	cl_mem d;
	cl_mem dirty;
	cl_mem states;
	cl_mem counters;
	cl_kernel kernel;
};

static uint32_t lanes_of(
	const struct apsp_tuning *tuning, enum apsp_element element)
{
	return tuning->lane_bytes / (uint32_t)apsp_element_size(element);
}

static uint64_t words_of(uint32_t n_vertices)
{
	return ((uint64_t)n_vertices + WORD_BITS - 1) / WORD_BITS;
}

/* Work-items that can have something to do on as many compute units. */
static uint32_t items_of(uint32_t n_vertices, enum apsp_element element,
	const struct apsp_tuning *tuning, uint32_t compute_units)
{
	uint32_t n_batches = n_vertices / lanes_of(tuning, element) + 1;

	return compute_units < n_batches ? compute_units : n_batches;
}

uint64_t apsp_multi_source_bytes(uint32_t n_vertices, uint64_t n_arcs,
	enum apsp_element element, const struct apsp_tuning *tuning)
{
	uint64_t an_item = (uint64_t)n_vertices * tuning->lane_bytes +
			   words_of(n_vertices) * sizeof(cl_ulong) +
			   sizeof(cl_uint4);

	if (tuning->gpu)
		return apsp_multi_source_sweep_bytes(
			n_vertices, n_arcs, element, tuning);
	return apsp_position_arcs_bytes(n_vertices, n_arcs, element) +
	       items_of(n_vertices, element, tuning, ITEMS_MAX) * an_item +
	       N_COUNTERS * sizeof(cl_uint);
}

static void batches_done(struct batches *b)
{
	apsp_position_buffers_done(&b->arcs);
	apsp_device_buffer_done(&b->d);
	apsp_device_buffer_done(&b->dirty);
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
	APSP_AUTO(apsp_position_arcs_done) struct apsp_position_arcs arcs = {0};
	APSP_AUTO(apsp_free) uint8_t *longer = NULL;
	int r = 0;

	if (worth_a_search(task)) {
		longer = malloc(task->lengths->n_arcs + 1);
		r = longer ? apsp_shortcuts_find(
				     task->lengths, task->integers, longer, err)
			   : apsp_fail(err, APSP_ENOMEM, "mark arcs");
	}
	if (r >= 0)
		r = apsp_position_arcs_build(task, b->panels->element,
			APSP_ROWS_BY_TAIL, longer, &arcs, err);
	return r < 0 ? r
		     : apsp_position_arcs_upload(
			       &arcs, b->device, &b->arcs, err);
}

static int batches_open(
	const struct apsp_task *task, struct batches *b, struct apsp_err *err)
{
	const struct apsp_panels *panels = b->panels;
	const struct apsp_tuning *tuning = panels->device->tuning;
	uint32_t units = panels->device->info.compute_units;
	char options[OPTIONS_SIZE];
	int r;

	b->device = panels->device;
	b->n_items = items_of(panels->n_vertices, panels->element, tuning,
		units < ITEMS_MAX ? units : ITEMS_MAX);
	b->lanes = lanes_of(tuning, panels->element);
	snprintf(options, sizeof(options), "-DLANES=%u", b->lanes);
	r = apsp_program_kernel(b->device, "multi_source_vector",
		panels->element, options, "solve_batches", &b->kernel, err);
	if (r >= 0)
		r = batches_arcs(task, b, err);
	if (r >= 0)
		r = apsp_device_buffer(b->device,
			(size_t)b->n_items * panels->n_vertices *
				tuning->lane_bytes,
			NULL, &b->d, err);
	if (r >= 0)
		r = apsp_device_buffer(b->device,
			b->n_items * words_of(panels->n_vertices) *
				sizeof(cl_ulong),
			NULL, &b->dirty, err);
	if (r >= 0)
		r = apsp_device_buffer(b->device, b->n_items * sizeof(cl_uint4),
			NULL, &b->states, err);
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
			sizeof(none), 0, b->n_items * sizeof(cl_uint4), 0, NULL,
			NULL),
		"clear the states of batches", err);
	if (r < 0)
		return r;
	return apsp_device_check(
		clEnqueueFillBuffer(b->device->queue, b->counters, &zero,
			sizeof(zero), 0, N_COUNTERS * sizeof(zero), 0, NULL,
			NULL),
		"clear the count of batches", err);
}

/* The sources whose rows lie in one buffer of the panels. */
static int buffer_solve(struct batches *b, uint32_t buffer,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	const struct apsp_panels *panels = b->panels;
	cl_uint base = buffer * panels->panels_per_buffer;
	cl_uint first = base * APSP_TILE;
	cl_uint left = panels->n_vertices - first;
	cl_uint most = apsp_panels_in_buffer(panels, buffer) * APSP_TILE;
	cl_uint n_sources = left < most ? left : most;
	cl_uint n_batches = (n_sources + b->lanes - 1) / b->lanes;
	cl_uint budget = b->device->tuning->launch_pushes;
	cl_uint counts[N_COUNTERS] = {0};
	const struct apsp_kernel_arg args[] = {APSP_ARG(b->arcs.offsets),
		APSP_ARG(b->arcs.ends), APSP_ARG(b->arcs.lengths),
		APSP_ARG(panels->n_vertices), APSP_ARG(first),
		APSP_ARG(n_sources), APSP_ARG(panels->buffers[buffer]),
		APSP_ARG(base), APSP_ARG(panels->n_tiles), APSP_ARG(b->d),
		APSP_ARG(b->dirty), APSP_ARG(b->states), APSP_ARG(b->counters),
		APSP_ARG(budget)};
	int r = batches_reset(b, err);

	if (r >= 0)
		r = apsp_kernel_args(
			b->kernel, args, sizeof(args) / sizeof(*args), err);
	while (r >= 0 && counts[COUNTER_DONE] < n_batches) {
		uint64_t sources;

		r = apsp_kernel_launch(
			b->device, b->kernel, b->n_items, 1, 1, 1, err);
		if (r >= 0)
			r = apsp_device_check(
				clEnqueueReadBuffer(b->device->queue,
					b->counters, CL_TRUE, 0, sizeof(counts),
					counts, 0, NULL, NULL),
				"run multi-source", err);
		sources = (uint64_t)counts[COUNTER_DONE] * b->lanes;
		if (r >= 0)
			r = apsp_monitor_step(monitor,
				(double)(first + sources) /
					(double)(panels->n_vertices + b->lanes),
				err);
	}
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

	for (uint32_t buffer = 0; r >= 0 && buffer < panels->n_buffers;
		buffer++)
		r = buffer_solve(&b, buffer, monitor, err);
	return r;
}
