/*
 * Breadth-first search over a list of edges; see algorithm.h.
 */
#include <stdio.h>

#include "compute/algorithm.h"
#include "compute/edge_sweep.h"
#include "compute/program.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 48,
	/* Codes of levels (kernels/bfs_levels.cl). */
	CODE_FIRST = 1,
	CODE_LAST = 254,
	LANES_MAX = 64,
};

struct bfs_levels {
	struct apsp_panels *panels;
	struct apsp_edge_sweep sweep;
	cl_kernel start;
	cl_kernel put;
	cl_kernel rebase;
};

/* The sources from position `first` on, and how far they have come. */
struct batch {
	cl_uint first;
	uint32_t n_sources;
	uint32_t n_rows;
	cl_int base;  /* of the codes */
	cl_uint code; /* of the newest level */
};

static void bfs_levels_done(struct bfs_levels *bfs)
{
	apsp_edge_sweep_done(&bfs->sweep);
	apsp_device_kernel_done(&bfs->start);
	apsp_device_kernel_done(&bfs->put);
	apsp_device_kernel_done(&bfs->rebase);
}

static struct apsp_edge_shape shape_of(const struct apsp_tuning *tuning)
{
	return (struct apsp_edge_shape){.sources = tuning->level_lanes,
		.value_bytes = tuning->level_lanes};
}

uint64_t apsp_bfs_levels_bytes(uint32_t n_vertices, uint64_t n_arcs,
	enum apsp_element element, const struct apsp_tuning *tuning)
{
	(void)element; /* levels are bytes whatever V is */
	return apsp_edge_bytes(n_vertices, n_arcs, shape_of(tuning), tuning);
}

static int program_build(
	const struct bfs_levels *bfs, cl_program *out, struct apsp_err *err)
{
	const struct apsp_device *device = bfs->panels->device;
	char options[OPTIONS_SIZE];

	snprintf(options, sizeof(options), "-DEDGE_ROWS=%u -DLANES=%u",
		device->tuning->edge_rows, device->tuning->level_lanes);
	return apsp_program_build(
		device, "bfs_levels", bfs->panels->element, options, out, err);
}

static int bfs_levels_open(struct bfs_levels *bfs, const struct apsp_task *task,
	struct apsp_err *err)
{
	const struct apsp_device *device = bfs->panels->device;
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	APSP_AUTO(apsp_edge_list_done) struct apsp_edge_list list = {0};
	int r = program_build(bfs, &program, err);

	if (r >= 0)
		r = apsp_kernel_make(program, "bfs_start", &bfs->start, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "bfs_put", &bfs->put, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "bfs_rebase", &bfs->rebase, err);
	if (r >= 0)
		r = apsp_edge_list_build(task->lengths, task->integers,
			task->order, INT64_MAX, device->tuning->segment, &list,
			err);
	if (r >= 0)
		r = apsp_edge_sweep_open(device, task->lengths, &list,
			shape_of(device->tuning), program, "bfs_round",
			&bfs->sweep, err);
	return r;
}

/* Enqueue: the sources have level 0. */
static int batch_begin(const struct bfs_levels *bfs, const struct batch *batch,
	struct apsp_err *err)
{
	const struct apsp_edge_sweep *sweep = &bfs->sweep;
	const struct apsp_kernel_arg args[] = {APSP_ARG(sweep->state),
		APSP_ARG(sweep->n_vertices), APSP_ARG(batch->first)};
	unsigned char unreached[LANES_MAX];
	int r;

	memset(unreached, 0xff, sizeof(unreached));
	r = apsp_edge_sweep_begin(sweep, batch->n_rows, unreached, err);
	if (r >= 0)
		r = apsp_kernel_args(bfs->start, args, 3, err);
	return r < 0 ? r
		     : apsp_kernel_launch(sweep->device, bfs->start,
			       batch->n_sources, 1, 1, 1, err);
}

/* Enqueue: what the codes say into the panels. */
static int batch_put(const struct bfs_levels *bfs, const struct batch *batch,
	cl_uint last, struct apsp_err *err)
{
	const struct apsp_panels *panels = bfs->panels;
	const struct apsp_tuning *tuning = panels->device->tuning;
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base = b * panels->panels_per_buffer;
		cl_uint n_panels = apsp_panels_in_buffer(panels, b);
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(n_panels), APSP_ARG(panels->n_tiles),
			APSP_ARG(panels->n_vertices), APSP_ARG(batch->first),
			APSP_ARG(bfs->sweep.state), APSP_ARG(batch->base),
			APSP_ARG(last)};

		r = apsp_kernel_args(bfs->put, args, 9, err);
		if (r >= 0)
			r = apsp_kernel_launch(panels->device, bfs->put,
				(panels->n_vertices + tuning->span - 1) /
					tuning->span,
				batch->n_rows, tuning->row_group, 1, err);
	}
	return r;
}

/* Enqueue: the codes are used up; only the newest level matters from here on.
 */
static int batch_rebase(
	const struct bfs_levels *bfs, struct batch *batch, struct apsp_err *err)
{
	const struct apsp_edge_sweep *sweep = &bfs->sweep;
	const struct apsp_kernel_arg args[] = {
		APSP_ARG(sweep->state), APSP_ARG(sweep->n_vertices)};
	int r = batch_put(bfs, batch, 0, err);

	if (r >= 0)
		r = apsp_kernel_args(bfs->rebase, args, 2, err);
	if (r >= 0)
		r = apsp_kernel_launch(sweep->device, bfs->rebase,
			sweep->n_vertices, batch->n_rows, 1, 1, err);
	if (r < 0)
		return r;
	batch->base += CODE_LAST - CODE_FIRST;
	batch->code = CODE_FIRST;
	return 0;
}

static int batch_run(const struct bfs_levels *bfs, struct batch *batch,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	double share = (double)batch->first / bfs->sweep.n_vertices;
	bool changed = true;
	int r = batch_begin(bfs, batch, err);

	for (cl_uint round = 1; r >= 0 && changed; round++) {
		if (batch->code == CODE_LAST)
			r = batch_rebase(bfs, batch, err);
		if (r >= 0)
			r = apsp_edge_sweep_round(&bfs->sweep, batch->n_rows,
				round,
				(struct apsp_kernel_arg)APSP_ARG(batch->code),
				&changed, err);
		if (r >= 0)
			r = apsp_monitor_step(monitor, share, err);
		batch->code++;
	}
	return r < 0 ? r : batch_put(bfs, batch, 1, err);
}

int apsp_bfs_levels_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err)
{
	APSP_AUTO(bfs_levels_done) struct bfs_levels bfs = {.panels = panels};
	uint32_t lanes = panels->device->tuning->level_lanes;
	uint32_t n = panels->n_vertices;
	int r = bfs_levels_open(&bfs, task, err);

	for (uint32_t first = 0; r >= 0 && first < n;
		first += bfs.sweep.rows_max * lanes) {
		uint32_t left = n - first;
		uint32_t most = bfs.sweep.rows_max * lanes;
		struct batch batch = {.first = first,
			.n_sources = left < most ? left : most,
			.base = -CODE_FIRST,
			.code = CODE_FIRST};

		batch.n_rows = (batch.n_sources + lanes - 1) / lanes;
		r = batch_run(&bfs, &batch, monitor, err);
	}
	if (r < 0)
		return r;
	return apsp_device_check(
		clFinish(panels->device->queue), "run bfs-levels", err);
}
