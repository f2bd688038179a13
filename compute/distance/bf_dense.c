/*
 * Three algorithms that run Bellman–Ford on the dense matrix w of arc lengths.
 * They solve batches of sources, one batch after another. A round computes the
 * distances d(s,v) = min over u of d(s,u) + w(u,v) for all sources s of the
 * batch and all vertices v. Rounds run until a round changes nothing. A round
 * has n² relaxations for each source. If the shortest path with the most arcs
 * has h arcs, there are about h rounds. Method: Liu et al. 2015.
 *
 *	bf-dense-vertex      one work-item for each vertex v reads column v of w
 *	bf-dense-reduce      tuning->bf_items work-items share a vertex, and
 *	                     combine their minima in local memory
 *	bf-dense-transposed  as bf-dense-reduce, but on the transpose of w, so
 *	                     that neighbouring items read neighbouring values
 *
 * The matrices d and w are stored separately. At the start, both d and w hold
 * the arcs' lengths. So d holds the lengths of the shortest paths of one arc. A
 * batch consists of groups of sources. The rows of d for all sources of a batch
 * lie in one buffer. Each buffer of w holds some rows of w or, for
 * `bf-dense-transposed`, some rows of the transpose of w. In each round of a
 * batch, the host enqueues one launch for each buffer of w
 * (kernels/bf_dense.cl). If one launch would take too long, there are several
 * launches for the buffer. The launches for one buffer relax these arcs from
 * vertices u to vertices v:
 *
 *	the buffer holds           | vertices u       | vertices v
 *	---------------------------+------------------+-----------------
 *	rows of w                  | one for each row | all
 *	rows of the transpose of w | all              | one for each row
 */
#include "compute/distance/task.h"

#include <stdio.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/device/round_bound.h"
#include "daemon/base/auto.h"

enum {
	/* Largest number of tiles of vertices in a launch. If each vertex has a
	   work-group of its own, the second dimension of the launch has one
	   group for each vertex, and CUDA allows fewer than 2^16 groups in this
	   dimension. */
	TILES_MAX = 65535 / APSP_TILE,
	/*
	 * Largest size, in bytes, of the sums that one work-item holds in
	 * registers on a GPU. With 1024 bytes, `bf-dense-transposed` took 5.6
	 * times as long as with 512 bytes (distances of 64 bits, H200, driver
	 * version 580).
	 */
	GPU_SUMS_BYTES = 512,
};

/* The differences between the three algorithms of this file. */
struct form {
	const char *kernel;
	/* several work-items share a vertex: together they compute its
	   distances */
	bool shared;
	bool transposed; /* w is transposed */
};

struct bf_dense {
	const struct form *form;
	const struct apsp_panels *distances;
	struct apsp_panels weights;
	struct apsp_progress *progress;
	cl_kernel kernel;
	/* Rounds are counted from 1. Entry g is the number of the last round
	   that changed a distance of a source in group g. Entry n_groups is the
	   number of the last round that changed any distance. */
	cl_mem changed;
	cl_uint n_groups;
	/* number of neighbouring columns of w, the matrix of arc lengths, that
	   each work-item relaxes */
	uint32_t lanes;
};

/* A batch: n groups of sources, beginning with group `first`. The rows of all
   these groups lie in one buffer of the distances. */
struct batch {
	cl_uint first;
	cl_uint n;
};

/* The part of the matrix w that a launch uses. The launch relaxes the arcs from
   some vertices u to some vertices v. Vertices are counted in tiles. */
struct part {
	uint32_t buffer; /* number of one of the buffers that hold w */
	/* number of the first tile of vertices v, the heads of the arcs */
	uint32_t first_v;
	uint32_t n_v;
	/* number of the first tile of vertices u, the tails of the arcs */
	cl_uint first_k;
	cl_uint n_k;
};

static void bf_dense_done(struct bf_dense *bf)
{
	apsp_panels_done(&bf->weights);
	apsp_kernel_done(&bf->kernel);
	apsp_device_buffer_done(&bf->changed);
}

static const struct apsp_tuning *tuning_of(const struct bf_dense *bf)
{
	return bf->distances->device->tuning;
}

static int kernel_build(struct bf_dense *bf, struct apsp_err *err)
{
	const struct apsp_panels *distances = bf->distances;
	const struct apsp_tuning *tuning = tuning_of(bf);
	uint32_t size = (uint32_t)apsp_element_size(distances->element);
	uint32_t sums = bf->form->transposed ? tuning->bf_vertices : 1;
	uint32_t most = APSP_BF_HELD_BYTES / (sums * size);
	char options[96];

	sums *= tuning->bf_sources;
	if (tuning->gpu && most > GPU_SUMS_BYTES / (sums * size))
		most = GPU_SUMS_BYTES / (sums * size);
	if (most < 1)
		most = 1;
	bf->lanes = tuning->span < most ? tuning->span : most;
	snprintf(options, sizeof(options),
		"-DLANES=%u -DITEMS=%u -DSOURCES=%u -DVERTICES=%u", bf->lanes,
		tuning->bf_items, tuning->bf_sources, tuning->bf_vertices);
	return apsp_kernel_cache_kernel(distances->device, "bf_dense",
		distances->element, options, bf->form->kernel, &bf->kernel,
		err);
}

static int changed_clear(
	struct bf_dense *bf, size_t first, size_t n, struct apsp_err *err)
{
	static const cl_uint never = 0;

	return apsp_opencl_fill(bf->distances->device->queue, bf->changed,
		&never, sizeof(never), first * sizeof(never), n * sizeof(never),
		"clear the rounds of change", err);
}

static int bf_dense_open(
	struct bf_dense *bf, const struct apsp_task *task, struct apsp_err *err)
{
	const struct apsp_device *device = bf->distances->device;
	uint32_t together = tuning_of(bf)->bf_sources;
	const struct apsp_panels_extent all = {
		0, bf->distances->n_vertices, tuning_of(bf)->pivot_tiles};
	int r;

	bf->n_groups = (bf->distances->n_vertices + together - 1) / together;
	r = kernel_build(bf, err);
	if (r >= 0)
		r = apsp_panels_open(device, task->order,
			bf->distances->element, &all, &bf->weights, err);
	/* load w or, for `bf-dense-transposed`, the transpose of w */
	if (r >= 0)
		r = apsp_panels_load(
			&bf->weights, task->arcs, bf->form->transposed, err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
			((size_t)bf->n_groups + 1) * sizeof(cl_uint), NULL,
			&bf->changed, err);
	return r < 0 ? r : changed_clear(bf, 0, bf->n_groups, err);
}

static int launch(const struct bf_dense *bf, const struct batch *batch,
	const struct part *part, cl_uint round, struct apsp_err *err)
{
	const struct apsp_panels *d = bf->distances, *w = &bf->weights;
	const struct apsp_tuning *tuning = tuning_of(bf);
	cl_uint first_v = part->first_v * APSP_TILE;
	size_t n_v = (size_t)part->n_v * APSP_TILE;
	cl_uint d_base, w_base = part->buffer * w->panels_per_buffer;
	cl_mem rows = apsp_panels_buffer(
		d, batch->first * tuning->bf_sources / APSP_TILE, &d_base);
	const struct apsp_kernel_arg args[] = {APSP_ARG(rows), APSP_ARG(d_base),
		APSP_ARG(w->buffers[part->buffer]), APSP_ARG(w_base),
		APSP_ARG(d->n_tiles), APSP_ARG(d->finite), APSP_ARG(w->finite),
		APSP_ARG(part->first_k), APSP_ARG(part->n_k),
		APSP_ARG(batch->first), APSP_ARG(first_v), APSP_ARG(round),
		APSP_ARG(bf->changed), APSP_ARG(bf->n_groups)};
	struct apsp_kernel_items items;

	n_v /= bf->form->transposed ? tuning->bf_vertices : bf->lanes;
	items = (struct apsp_kernel_items){batch->n, n_v, 1, tuning->row_group};
	if (bf->form->shared) {
		items.rows *= tuning->bf_items;
		items.group_rows = tuning->bf_items;
	}
	return apsp_kernel_launch(d->device, bf->kernel, args, 14, items, err);
}

/* Relax the distances from all sources of a batch through the arcs in one
   buffer of w, the matrix of arc lengths. */
static int buffer_relax(const struct bf_dense *bf, const struct batch *batch,
	uint32_t b, cl_uint round, struct apsp_err *err)
{
	const struct apsp_panels *w = &bf->weights;
	uint32_t base = b * w->panels_per_buffer;
	uint32_t rows = apsp_panels_in_buffer(w, b);
	bool transposed = bf->form->transposed;
	uint32_t end_v = transposed ? base + rows : w->n_tiles;
	struct part part = {
		.buffer = b,
		.first_v = transposed ? base : 0,
		.first_k = transposed ? 0 : base,
		.n_k = transposed ? w->n_tiles : rows,
	};
	const struct apsp_tuning *tuning = tuning_of(bf);
	uint64_t tile = (uint64_t)APSP_TILE * APSP_TILE;
	uint64_t most = tuning->bf_relaxations /
			(tile * part.n_k * batch->n * tuning->bf_sources);
	int r = 0;

	most = most < 1 ? 1 : most > TILES_MAX ? TILES_MAX : most;
	for (; r >= 0 && part.first_v < end_v; part.first_v += part.n_v) {
		uint32_t left = end_v - part.first_v;

		part.n_v = most < left ? (uint32_t)most : left;
		r = launch(bf, batch, &part, round, err);
		if (r >= 0)
			r = apsp_opencl_check(
				apsp_opencl_finish(
					bf->distances->device->queue),
				"run a round of Bellman-Ford", err);
		if (r >= 0)
			r = apsp_progress_step(bf->progress,
				(double)batch->first / bf->n_groups, err);
	}
	return r;
}

/*
 * Run rounds until a round changes nothing. Before round 1, the panels
 * (panels.h) hold the lengths of the shortest paths of one arc, and each round
 * extends paths by one arc. So after round t, the distance of every pair that
 * has a shortest path of at most t + 1 arcs is final.
 */
static int batch_run(const struct bf_dense *bf, const struct batch *batch,
	struct apsp_err *err)
{
	const struct apsp_panels *d = bf->distances;
	cl_uint last = 0;
	int r = 0;

	for (cl_uint round = 1; r >= 0 && last + 1 == round; round++) {
		for (uint32_t b = 0; r >= 0 && b < d->n_buffers; b++)
			r = buffer_relax(bf, batch, b, round, err);
		if (r < 0)
			return r;
		r = apsp_opencl_read(d->device->queue, bf->changed,
			bf->n_groups * sizeof(last), sizeof(last), &last,
			"read the last round of change", err);
		if (r >= 0)
			r = apsp_round_bound_check(d->device, "bf-dense", last,
				d->n_vertices - 1, err);
	}
	return r;
}

/* Return the largest batch that begins with group `first`. One launch must be
   able to relax a whole buffer of w for the batch, and the batch's rows must
   lie in one buffer of distances. A batch of one group is allowed even if it
   needs several launches. */
static struct batch batch_from(const struct bf_dense *bf, cl_uint first)
{
	const struct apsp_panels *d = bf->distances;
	const struct apsp_tuning *tuning = tuning_of(bf);
	uint64_t side = (uint64_t)d->n_tiles * APSP_TILE;
	uint64_t rows = (uint64_t)d->panels_per_buffer * APSP_TILE;
	uint64_t most =
		tuning->bf_relaxations / (side * rows * tuning->bf_sources);
	uint64_t in_buffer = rows / tuning->bf_sources;
	uint64_t left = in_buffer - first % in_buffer;

	if (left > bf->n_groups - first)
		left = bf->n_groups - first;
	most = most < 1 ? 1 : most;
	return (struct batch){first, (cl_uint)(most < left ? most : left)};
}

static int form_run(const struct form *form, const struct apsp_task *task,
	const struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(bf_dense_done)
	struct bf_dense bf = {
		.form = form, .distances = panels, .progress = progress};
	int r = bf_dense_open(&bf, task, err);

	for (cl_uint g = 0; r >= 0 && g < bf.n_groups;) {
		struct batch batch = batch_from(&bf, g);

		/* each batch counts its rounds from 1, so clear the number of
		   the last round with a change */
		r = changed_clear(&bf, bf.n_groups, 1, err);
		if (r >= 0)
			r = batch_run(&bf, &batch, err);
		g += batch.n;
	}
	return r;
}

int apsp_bf_dense_vertex_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	static const struct form vertex = {.kernel = "vertex"};

	return form_run(&vertex, task, panels, progress, err);
}

int apsp_bf_dense_reduce_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	static const struct form reduce = {.kernel = "reduce", .shared = true};

	return form_run(&reduce, task, panels, progress, err);
}

int apsp_bf_dense_transposed_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	static const struct form transposed = {
		.kernel = "transposed", .shared = true, .transposed = true};

	return form_run(&transposed, task, panels, progress, err);
}
