/*
 * `minplus-squaring`: squares V over (min, +), V ← V ⊗ V, in place until
 * nothing changes. There are at most ⌈log2(n − 1)⌉ squarings of n³ relaxations
 * each. Method: Xing et al., section 2.1.
 *
 * A squaring relaxes every tile through all pivot tiles. The pivot tiles change
 * during the squaring, but the result is right: every value is always infinity
 * or the length of some path, and values only decrease. Let U be the matrix V
 * before a squaring. After the squaring, V(i,j) is at most the minimum of
 * U(i,k) + U(k,j) over all k. And V(i,j) is never less than the length of the
 * shortest path. After s squarings V has the length of every shortest path of
 * up to 2^s arcs, and often the lengths of shortest paths with more arcs.
 */
#include "compute/distance/task.h"

#include <stdlib.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/distance/relax.h"
#include "daemon/base/auto.h"

struct squaring {
	const struct apsp_panels *panels;
	struct apsp_progress *progress;
	struct apsp_relax relax;
	cl_kernel tiles_changed; /* the kernel of minplus_squaring.cl */
	cl_mem sums;		 /* checksum of each tile */
	cl_mem changed;
	/* number of finished squarings, plus the finished fraction of the
	   current squaring */
	double done;
	double all; /* largest number of squarings */
};

static void squaring_done(struct squaring *squaring)
{
	apsp_relax_done(&squaring->relax);
	apsp_kernel_done(&squaring->tiles_changed);
	apsp_device_buffer_done(&squaring->sums);
	apsp_device_buffer_done(&squaring->changed);
}

static int squaring_open(struct squaring *s, struct apsp_err *err)
{
	const struct apsp_panels *panels = s->panels;
	const struct apsp_device *device = panels->device;
	size_t tiles = (size_t)panels->n_tiles * panels->n_tiles;
	char options[32];
	int r;

	snprintf(options, sizeof(options), "-DGROUP=%u",
		device->tuning->row_group);
	r = apsp_relax_open(panels, &s->relax, err);
	if (r >= 0)
		r = apsp_kernel_cache_kernel(device, "minplus_squaring",
			panels->element, options, "tiles_changed",
			&s->tiles_changed, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			device, tiles * sizeof(cl_ulong2), NULL, &s->sums, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			device, sizeof(cl_uint), NULL, &s->changed, err);
	return r;
}

/* Return the slab that consists of all tile rows of buffer b. */
static struct apsp_slab slab_of(const struct apsp_panels *panels, uint32_t b)
{
	return (struct apsp_slab){
		panels->buffers[b], b * panels->panels_per_buffer};
}

/* Relax tile rows [first, first + n_rows) through pivots that lie in one
   buffer. */
static int rows_relax(struct squaring *s, const struct apsp_slab *targets,
	uint32_t first, uint32_t n_rows, const struct apsp_pivots *pivots,
	struct apsp_err *err)
{
	cl_command_queue queue = s->panels->device->queue;
	uint32_t n = s->panels->n_tiles;
	uint64_t most = apsp_relax_limit(&s->relax, pivots->n_k, n);
	uint32_t together = most < n_rows ? (uint32_t)most : n_rows;
	int r = 0;

	for (uint32_t i = first; r >= 0 && i < first + n_rows; i += together) {
		uint32_t left = first + n_rows - i;
		uint32_t rows = together < left ? together : left;
		const struct apsp_rectangle part = {
			apsp_range(i, rows), apsp_range(0, n)};

		r = apsp_relax_launch(
			&s->relax, targets, pivots, &part, NULL, err);
		/* wait for the launch to end, so that a request to stop is
		   noticed before the next launch */
		if (r >= 0)
			r = apsp_opencl_check(apsp_opencl_finish(queue),
				"square the matrix", err);
		s->done += (double)rows * pivots->n_k / ((double)n * n);
		if (r >= 0)
			r = apsp_progress_step(
				s->progress, s->done / s->all, err);
	}
	return r;
}

/* Relax the tile rows of buffer targets_b through the pivots of buffer
   pivots_b. */
static int buffer_relax(struct squaring *s, uint32_t targets_b,
	uint32_t pivots_b, struct apsp_err *err)
{
	const struct apsp_panels *panels = s->panels;
	const struct apsp_slab targets = slab_of(panels, targets_b);
	const struct apsp_slab slab = slab_of(panels, pivots_b);
	uint32_t n_k = apsp_panels_in_buffer(panels, pivots_b);
	/* the largest number of pivots through which one launch can relax a row
	   of tiles without taking too long */
	uint64_t most = apsp_relax_limit(&s->relax, 1, panels->n_tiles);
	uint32_t together = most < n_k ? (uint32_t)most : n_k;
	int r = 0;

	for (uint32_t k = 0; r >= 0 && k < n_k; k += together) {
		const struct apsp_pivots pivots = {
			.slab = slab,
			.k = slab.base + k,
			.n_k = together < n_k - k ? together : n_k - k,
			.close = APSP_NO_TILE,
		};

		r = rows_relax(s, &targets, targets.base,
			apsp_panels_in_buffer(panels, targets_b), &pivots, err);
	}
	return r;
}

/* Update the checksums of the tiles. *out_changed becomes 1 if a checksum has
   changed, else 0. */
static int sums_compare(
	struct squaring *s, cl_uint *out_changed, struct apsp_err *err)
{
	static const cl_uint no = 0;
	const struct apsp_panels *panels = s->panels;
	const struct apsp_device *device = panels->device;
	uint64_t values = (uint64_t)APSP_TILE * APSP_TILE;
	uint64_t most = device->tuning->launch_arcs / values;
	int r = apsp_opencl_fill(device->queue, s->changed, &no, sizeof(no), 0,
		sizeof(no), "clear a mark", err);

	most = most < 1 ? 1 : most;
	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_ulong before = (cl_ulong)b * panels->panels_per_buffer *
				  panels->n_tiles;
		cl_ulong n_tiles = (cl_ulong)apsp_panels_in_buffer(panels, b) *
				   panels->n_tiles;

		for (cl_ulong t = 0; r >= 0 && t < n_tiles; t += most) {
			const struct apsp_kernel_arg args[] = {
				APSP_ARG(panels->buffers[b]), APSP_ARG(t),
				APSP_ARG(before), APSP_ARG(s->sums),
				APSP_ARG(s->changed)};
			uint64_t left = n_tiles - t;
			size_t group = device->tuning->row_group;
			const struct apsp_kernel_items items = {
				(most < left ? most : left) * group, 1, group,
				1};

			r = apsp_kernel_launch(
				device, s->tiles_changed, args, 5, items, err);
		}
	}
	if (r < 0)
		return r;
	return apsp_opencl_read(device->queue, s->changed, 0,
		sizeof(*out_changed), out_changed,
		"read whether a squaring changed anything", err);
}

static int square(
	struct squaring *s, cl_uint *out_changed, struct apsp_err *err)
{
	uint32_t n_buffers = s->panels->n_buffers;
	int r = 0;

	for (uint32_t p = 0; r >= 0 && p < n_buffers; p++)
		for (uint32_t b = 0; r >= 0 && b < n_buffers; b++)
			r = buffer_relax(s, b, p, err);
	return r < 0 ? r : sums_compare(s, out_changed, err);
}

int apsp_minplus_squaring_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(squaring_done)
	struct squaring s = {.panels = panels, .progress = progress};
	/* the largest number of arcs of a shortest path */
	uint32_t longest = panels->n_vertices - 1;
	size_t tiles = (size_t)panels->n_tiles * panels->n_tiles;
	APSP_AUTO(apsp_free) uint8_t *marks = NULL;
	cl_uint changed = 1;
	int r;

	(void)task;
	for (uint64_t covered = 1; covered < longest; covered *= 2)
		s.all++;
	if (s.all < 1)
		/* the matrix of arcs already is the distance matrix, because no
		   path has more than one arc */
		return 0;
	r = squaring_open(&s, err);
	/* Mark all tiles that may become finite in any squaring, because no
	   launch changes the marks (relax.h). */
	if (r >= 0)
		r = apsp_relax_marks(panels, &marks, err);
	if (r >= 0) {
		apsp_relax_spread(marks, panels->n_tiles, 0, panels->n_tiles);
		r = apsp_opencl_check(
			clEnqueueWriteBuffer(panels->device->queue,
				panels->finite, CL_TRUE, 0, tiles, marks, 0,
				NULL, NULL),
			"write the tiles' marks", err);
	}
	if (r >= 0)
		r = sums_compare(&s, &changed, err);
	changed = 1;
	for (int i = 0; r >= 0 && changed && i < s.all; i++) {
		s.done = i;
		r = square(&s, &changed, err);
	}
	return r;
}
