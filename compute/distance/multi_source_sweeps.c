/*
 * Launches the kernels of the algorithm `multi-source` on a GPU; see
 * multi_source_sweeps.h.
 */
#include "compute/distance/multi_source_sweeps.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/device/round_bound.h"
#include "compute/distance/position_arcs.h"
#include "compute/graph/semiring.h"
#include "compute/plan/batch_size.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 64,
	/* SQUARE and ITEM_ROWS must have the same values as in
	   kernels/multi_source_gpu.cl. */
	SQUARE = 32,
	/* each work-item of the kernel `harvest` writes this number of panel
	   rows */
	ITEM_ROWS = 4,
	WORD_MIN = 4, /* smallest size of a word in bytes */
	/* WORD_LANES is the number of lanes (one for each source) of a word in
	   kernels/multi_source_bits_gpu.cl. FIRST_SWEEP is the number of the
	   first sweep that the kernel `sweep` runs. */
	WORD_LANES = 32,
	FIRST_SWEEP = 2,
	/* a vertex is called long if it has more than this many incoming arcs
	   for each of its work-items */
	LONG = 8,
	/* number of sweeps that the host enqueues for the first batches before
	   it checks whether the last sweep changed anything */
	SWEEPS_AT_FIRST = 6,
	SWEEPS_MORE = 3,
};

struct sweeps {
	const struct apsp_device *device;
	struct apsp_panels *panels;
	/* the contest that may end `multi-source` early, or NULL */
	struct apsp_contest *contest;
	bool hops; /* all lengths are 1, and each source has one bit of a
		      word */
	struct apsp_lane_batch batch;
	/* number of batches that are solved at the same time */
	uint32_t n_batches;
	uint32_t group; /* number of work-items for each vertex of each batch */
	cl_uint usual; /* number of sweeps that the previous batches needed; the
			  next batches begin with this number */
	struct apsp_position_arcs arcs;
	cl_mem turns;
	cl_uint n_long;
	cl_mem d;
	cl_mem stamps;
	cl_mem last;
	cl_uint *last_seen; /* the host's copy of the buffer `last`; owned */
	cl_kernel begin;
	cl_kernel depart;
	cl_kernel sweep;
	cl_kernel harvest;
};

/* Neighbouring sources whose rows of the distance matrix lie in one buffer of
   the panels. */
struct sources {
	uint32_t buffer;
	/* in the panels, the number of the first source's row */
	cl_uint first;
	cl_uint n;
};

static void sweeps_done(struct sweeps *s)
{
	apsp_position_arcs_done(&s->arcs);
	apsp_device_buffer_done(&s->turns);
	apsp_device_buffer_done(&s->d);
	apsp_device_buffer_done(&s->stamps);
	apsp_device_buffer_done(&s->last);
	free(s->last_seen);
	apsp_kernel_done(&s->begin);
	apsp_kernel_done(&s->depart);
	apsp_kernel_done(&s->sweep);
	apsp_kernel_done(&s->harvest);
}

/* Store the order in which a sweep visits the vertices: first the vertices with
   many incoming arcs (LONG), then all other vertices. In both groups, vertices
   are sorted by position. */
static int sweeps_turns(struct sweeps *s, struct apsp_err *err)
{
	const struct apsp_position_arcs *arcs = &s->arcs;
	APSP_AUTO(apsp_free) cl_uint *turns = NULL;
	size_t size = (size_t)arcs->n_vertices * sizeof(*turns);
	uint32_t most = LONG * s->group;
	uint32_t end = 0;

	turns = malloc(size + 1);
	if (!turns)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to sort vertices by arcs");
	for (int others = 0; others < 2; others++) {
		for (uint32_t v = 0; v < arcs->n_vertices; v++) {
			uint32_t n = arcs->starts[v + 1] - arcs->starts[v];

			if ((n <= most) == others)
				turns[end++] = v;
		}
		if (!others)
			s->n_long = end;
	}
	return apsp_device_copy_make(s->device, size, turns, &s->turns, err);
}

static int sweeps_open(
	const struct apsp_task *task, struct sweeps *s, struct apsp_err *err)
{
	const struct apsp_panels *panels = s->panels;
	const struct apsp_tuning *tuning = panels->device->tuning;
	const struct apsp_lane_batch *batch = &s->batch;
	const struct apsp_kernel_wanted wanted[] = {{"begin", &s->begin},
		{"depart", &s->depart}, {"sweep", &s->sweep},
		{"harvest", &s->harvest}};
	char options[OPTIONS_SIZE];
	uint32_t size = (uint32_t)apsp_element_size(panels->element);
	int r;

	s->device = panels->device;
	s->usual = SWEEPS_AT_FIRST;
	s->hops = task->integers->kind == APSP_DISTANCE_HOPS;
	s->batch = apsp_batch_size_lanes(task->lengths->n_vertices,
		task->lengths->n_arcs, panels->element, s->hops,
		s->device->info.largest_buffer_bytes, tuning);
	s->group = tuning->lane_bytes /
		   (s->hops || size < WORD_MIN ? WORD_MIN : size);
	s->n_batches = (uint32_t)batch->n_together;
	s->last_seen = calloc(s->n_batches, sizeof(*s->last_seen));
	if (!s->last_seen)
		return apsp_fail(err, APSP_ENOMEM, "no memory to count sweeps");
	snprintf(options, sizeof(options), "-DLANES=%u -DPLANES=%u%s",
		batch->lanes, batch->planes,
		apsp_semiring_option(task->integers->kind));
	r = apsp_kernel_cache_build(s->device,
		s->hops ? "multi_source_bits_gpu" : "multi_source_gpu",
		panels->element, options, wanted, 4, err);
	if (r >= 0)
		r = apsp_position_arcs_load(
			task, panels, APSP_ROWS_BY_HEAD, &s->arcs, err);
	if (r >= 0)
		r = sweeps_turns(s, err);
	if (r >= 0)
		r = apsp_device_buffer_make(s->device,
			s->n_batches * batch->d_bytes, NULL, &s->d, err);
	if (r >= 0)
		r = apsp_device_buffer_make(s->device,
			s->n_batches * batch->marks_bytes, NULL, &s->stamps,
			err);
	if (r >= 0)
		r = apsp_device_buffer_make(s->device,
			s->n_batches * sizeof(cl_uint), NULL, &s->last, err);
	return r;
}

static int begin(const struct sweeps *s, const struct sources *sources,
	cl_uint n_batches, struct apsp_err *err)
{
	const struct apsp_panels *panels = s->panels;
	const struct apsp_kernel_arg args[] = {APSP_ARG(s->d),
		APSP_ARG(s->stamps), APSP_ARG(s->last),
		APSP_ARG(panels->n_vertices), APSP_ARG(sources->n)};
	const struct apsp_kernel_arg depart[] = {APSP_ARG(s->d),
		APSP_ARG(s->stamps), APSP_ARG(panels->n_vertices),
		APSP_ARG(panels->sources), APSP_ARG(sources->first),
		APSP_ARG(sources->n)};
	const struct apsp_kernel_items departing = {
		sources->n, 1, s->device->tuning->row_group, 1};
	const struct apsp_kernel_items items = {
		(size_t)panels->n_vertices * s->group, n_batches, s->group, 1};
	int r = apsp_kernel_launch(s->device, s->begin, args, 5, items, err);

	return r < 0 ? r
		     : apsp_kernel_launch(
			       s->device, s->depart, depart, 6, departing, err);
}

/* Enqueue the sweeps with the numbers `t` to `end` - 1. */
static int sweep(const struct sweeps *s, cl_uint n_batches, cl_uint t,
	cl_uint end, struct apsp_err *err)
{
	const struct apsp_panels *panels = s->panels;
	int r = 0;

	for (; r >= 0 && t < end; t++) {
		cl_uint backward = t % 2;
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(s->arcs.offsets), APSP_ARG(s->arcs.ends),
			APSP_ARG(s->arcs.lengths), APSP_ARG(panels->n_vertices),
			APSP_ARG(s->d), APSP_ARG(s->stamps), APSP_ARG(s->last),
			APSP_ARG(s->turns), APSP_ARG(s->n_long), APSP_ARG(t),
			APSP_ARG(backward)};
		const struct apsp_kernel_items items = {
			(size_t)panels->n_vertices * s->group, n_batches,
			s->group, 1};

		r = apsp_kernel_launch(
			s->device, s->sweep, args, 11, items, err);
	}
	return r;
}

/* Wait until the device has run all enqueued sweeps. *out becomes the number of
   the last sweep that decreased a distance. */
static int last_useful(const struct sweeps *s, cl_uint n_batches, cl_uint *out,
	struct apsp_err *err)
{
	int r = apsp_opencl_read(s->device->queue, s->last, 0,
		n_batches * sizeof(*s->last_seen), s->last_seen,
		"run multi-source", err);

	*out = 0;
	for (cl_uint b = 0; r >= 0 && b < n_batches; b++)
		if (s->last_seen[b] > *out)
			*out = s->last_seen[b];
	return r;
}

static int harvest(const struct sweeps *s, const struct sources *sources,
	cl_uint n_batches, struct apsp_err *err)
{
	const struct apsp_panels *panels = s->panels;
	cl_uint base = sources->buffer * panels->panels_per_buffer;
	const struct apsp_kernel_arg args[] = {APSP_ARG(s->d),
		APSP_ARG(panels->n_vertices), APSP_ARG(sources->first),
		APSP_ARG(sources->n),
		APSP_ARG(panels->buffers[sources->buffer]), APSP_ARG(base),
		APSP_ARG(panels->n_tiles)};
	uint32_t item_rows = s->hops ? WORD_LANES : ITEM_ROWS;
	const struct apsp_kernel_items items = {panels->n_vertices,
		(size_t)n_batches * s->batch.lanes / item_rows, SQUARE,
		SQUARE / ITEM_ROWS};

	return apsp_kernel_launch(s->device, s->harvest, args, 7, items, err);
}

/*
 * Solve the given sources, which are divided into n_batches batches. Sweep 1
 * stores the distance from each source to itself. Sweep t uses the distances
 * that sweep t - 1 has decreased, so sweep t or an earlier sweep finds each
 * shortest path of t - 1 arcs. A shortest path has at most n - 1 arcs, so no
 * sweep after sweep n changes anything.
 */
static int solve(struct sweeps *s, const struct sources *sources,
	struct apsp_progress *progress, struct apsp_err *err)
{
	cl_uint n = s->panels->n_vertices;
	cl_uint n_batches = (sources->n + s->batch.lanes - 1) / s->batch.lanes;
	cl_uint t = FIRST_SWEEP, end = FIRST_SWEEP + s->usual, useful = 0;
	int r = begin(s, sources, n_batches, err);

	while (r >= 0) {
		r = sweep(s, n_batches, t, end, err);
		if (r >= 0)
			r = last_useful(s, n_batches, &useful, err);
		if (r >= 0)
			r = apsp_round_bound_check(s->device,
				"multi-source's sweeps", useful, n, err);
		if (r >= 0)
			r = apsp_progress_step(progress,
				((double)s->panels->first + sources->first) / n,
				err);
		if (useful + 1 < end)
			break;
		if (r >= 0 && s->contest)
			r = apsp_contest_check(s->contest,
				s->panels->first + sources->first +
					sources->n *
						fmin((double)end /
								(s->contest->hops +
									1.0),
							1),
				err);
		t = end;
		end += SWEEPS_MORE;
	}
	s->usual = useful + 2 - FIRST_SWEEP;
	return r < 0 ? r : harvest(s, sources, n_batches, err);
}

static int window_solve(
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	struct sweeps *s = work;
	const struct apsp_panels *panels = s->panels;
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		uint32_t first = b * panels->panels_per_buffer * APSP_TILE;
		uint32_t end =
			first + apsp_panels_in_buffer(panels, b) * APSP_TILE;

		if (end > panels->n_rows)
			end = panels->n_rows;
		while (r >= 0 && first < end) {
			uint32_t most = s->n_batches * s->batch.lanes;
			struct sources sources = {b, first,
				end - first < most ? end - first : most};

			r = solve(s, &sources, progress, err);
			first += sources.n;
		}
	}
	if (r < 0)
		return r;
	return apsp_opencl_check(
		apsp_opencl_finish(s->device->queue), "run multi-source", err);
}

int apsp_multi_source_sweeps_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(sweeps_done)
	struct sweeps s = {.panels = panels, .contest = task->contest};
	int r = sweeps_open(task, &s, err);

	return r < 0 ? r
		     : apsp_task_windows(
			       task, panels, window_solve, &s, progress, err);
}
