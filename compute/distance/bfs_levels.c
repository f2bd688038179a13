/*
 * `bfs-levels`: breadth-first search over the list of edges, for graphs whose
 * lengths are all 1. One launch finds the vertices of the next level for every
 * source of a batch. The level of a vertex is stored in one byte, as a code
 * from 1 to 254. A word holds the bytes of several sources. When code 254 has
 * been used, all levels are written to the distance matrix (panels.h), and
 * codes start at 1 again. Method: "SSSP and BFS on Kepler", 2014.
 */
#include <stdio.h>
#include <string.h>

#include "compute/device/kernel.h"
#include "compute/device/opencl.h"
#include "compute/distance/task.h"
#include "compute/distance/edge_sweep.h"
#include "daemon/base/auto.h"

enum {
	OPTIONS_SIZE = 16,
	/* The smallest and the largest code of a level, and the code of a
	   vertex that is not reached (kernels/bfs_levels.cl). */
	CODE_FIRST = 1,
	CODE_LAST = 254,
	CODE_UNREACHED = 255,
	LANES_MAX = 64,
};

struct bfs_levels {
	const struct apsp_panels *panels;
	struct apsp_edge_sweep sweep;
	cl_kernel rebase;
};

/* Kernels store levels as small codes: code c is the level base + c. */
struct levels {
	cl_int base;
	cl_uint code; /* the newest level is base + code */
};

static void bfs_levels_done(struct bfs_levels *bfs)
{
	apsp_edge_sweep_done(&bfs->sweep);
	apsp_kernel_done(&bfs->rebase);
}

static int bfs_levels_open(struct bfs_levels *bfs, const struct apsp_task *task,
	struct apsp_err *err)
{
	const struct apsp_tuning *tuning = bfs->panels->device->tuning;
	char options[OPTIONS_SIZE];
	const struct apsp_edge_method method = {.source = "bfs_levels",
		.options = options,
		.shape = {tuning->level_lanes, tuning->level_lanes}};
	APSP_AUTO(apsp_edge_list_done) struct apsp_edge_list list = {0};
	int r;

	snprintf(options, sizeof(options), "-DLANES=%u", tuning->level_lanes);
	r = apsp_edge_list_build(task->lengths, task->integers, task->order,
		INT64_MAX, tuning->segment, &list, err);
	if (r >= 0)
		r = apsp_edge_sweep_open(
			task, bfs->panels, &list, &method, &bfs->sweep, err);
	if (r >= 0)
		r = apsp_kernel_make(
			bfs->sweep.program, "rebase", &bfs->rebase, err);
	return r;
}

static int batch_harvest(const struct bfs_levels *bfs,
	const struct apsp_edge_batch *batch, const struct levels *levels,
	struct apsp_err *err)
{
	const struct apsp_kernel_arg base = APSP_ARG(levels->base);

	return apsp_edge_sweep_harvest(&bfs->sweep, batch, &base, err);
}

/*
 * Called when all codes of levels have been used. Enqueue two kernels:
 * `harvest` writes all levels to the panels, and `rebase` gives CODE_FIRST to
 * the newest level. The search reads only the newest level, so it does not need
 * the codes of older levels.
 */
static int batch_rebase(const struct bfs_levels *bfs,
	const struct apsp_edge_batch *batch, struct levels *levels,
	struct apsp_err *err)
{
	const struct apsp_panels *panels = bfs->panels;
	const struct apsp_kernel_arg args[] = {
		APSP_ARG(bfs->sweep.state), APSP_ARG(panels->n_vertices)};
	int r = batch_harvest(bfs, batch, levels, err);

	if (r >= 0)
		r = apsp_kernel_args(bfs->rebase, args, 2, err);
	if (r >= 0)
		r = apsp_kernel_launch(panels->device, bfs->rebase,
			panels->n_vertices, batch->n_rows, 1, 1, err);
	if (r < 0)
		return r;
	levels->base += CODE_LAST - CODE_FIRST;
	levels->code = CODE_FIRST;
	return 0;
}

static int batch_solve(const struct bfs_levels *bfs,
	struct apsp_edge_batch *batch, struct apsp_progress *progress,
	struct apsp_err *err)
{
	struct levels levels = {.base = -CODE_FIRST, .code = CODE_FIRST};
	const struct apsp_kernel_arg newest = APSP_ARG(levels.code);
	unsigned char unreached[LANES_MAX];
	int r;

	memset(unreached, CODE_UNREACHED, sizeof(unreached));
	r = apsp_edge_sweep_begin(&bfs->sweep, batch, unreached, err);
	for (; r >= 0 && !batch->done; levels.code++) {
		if (levels.code == CODE_LAST)
			r = batch_rebase(bfs, batch, &levels, err);
		if (r >= 0)
			r = apsp_edge_sweep_round(
				&bfs->sweep, batch, newest, progress, err);
	}
	return r < 0 ? r : batch_harvest(bfs, batch, &levels, err);
}

static int window_solve(
	void *work, struct apsp_progress *progress, struct apsp_err *err)
{
	const struct bfs_levels *bfs = work;
	struct apsp_edge_batch batch = {0};
	int r = 0;

	while (r >= 0 && apsp_edge_sweep_next(&bfs->sweep, &batch))
		r = batch_solve(bfs, &batch, progress, err);
	if (r < 0)
		return r;
	return apsp_opencl_check(apsp_opencl_finish(bfs->panels->device->queue),
		"run bfs-levels", err);
}

int apsp_bfs_levels_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(bfs_levels_done) struct bfs_levels bfs = {.panels = panels};
	int r = bfs_levels_open(&bfs, task, err);

	return r < 0 ? r
		     : apsp_task_windows(
			       task, panels, window_solve, &bfs, progress, err);
}
