/*
 * `bfs-levels`: breadth-first search over the list of edges, for graphs in
 * which all lengths are 1. One launch finds the vertices of the next level for
 * every source of a batch. The level of a vertex is stored in one byte, as a
 * code from 1 to 254. A word holds the bytes of several sources. When code 254
 * has been used, all levels are written to the distance matrix (panels.h), and
 * codes start at 1 again. Method: "SSSP and BFS on Kepler", 2014.
 */
#include <stdio.h>
#include <string.h>

#include "compute/device/kernel.h"
#include "compute/distance/edge_sweep.h"
#include "compute/distance/task.h"

enum {
	OPTIONS_SIZE = 16,
	/* Codes of levels are CODE_FIRST to CODE_LAST. A vertex that is not
	   reached has CODE_UNREACHED (kernels/bfs_levels.cl). */
	CODE_FIRST = 1,
	CODE_LAST = 254,
	CODE_UNREACHED = 255,
	LANES_MAX = 64,
};

/* Kernels store each level as a small code: code c means the level base + c. */
struct levels {
	cl_int base;
	cl_uint code; /* the newest level is base + code */
};

static int batch_harvest(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, const struct levels *levels,
	struct apsp_err *err)
{
	const struct apsp_kernel_arg base = APSP_ARG(levels->base);

	return apsp_edge_sweep_harvest(sweep, batch, &base, err);
}

/*
 * Called when the newest level has the largest code. Enqueue two kernels:
 * `harvest` writes all levels to the panels, and `rebase` gives CODE_FIRST to
 * the newest level. The search reads only the newest level, so it does not need
 * the codes of older levels.
 */
static int batch_rebase(const struct apsp_edge_sweep *sweep,
	const struct apsp_edge_batch *batch, struct levels *levels,
	struct apsp_err *err)
{
	const struct apsp_panels *panels = sweep->panels;
	const struct apsp_kernel_arg args[] = {
		APSP_ARG(sweep->state), APSP_ARG(panels->n_vertices)};
	const struct apsp_kernel_items items = {
		panels->n_vertices, batch->n_rows, 1, 1};
	int r = batch_harvest(sweep, batch, levels, err);

	if (r >= 0)
		r = apsp_kernel_launch(
			panels->device, sweep->rebase, args, 2, items, err);
	if (r < 0)
		return r;
	levels->base += CODE_LAST - CODE_FIRST;
	levels->code = CODE_FIRST;
	return 0;
}

static int batch_solve(const struct apsp_edge_sweep *sweep,
	struct apsp_edge_batch *batch, struct apsp_progress *progress,
	struct apsp_err *err)
{
	struct levels levels = {.base = -CODE_FIRST, .code = CODE_FIRST};
	const struct apsp_kernel_arg newest = APSP_ARG(levels.code);
	unsigned char unreached[LANES_MAX];
	int r;

	memset(unreached, CODE_UNREACHED, sizeof(unreached));
	r = apsp_edge_sweep_begin(sweep, batch, unreached, err);
	for (; r >= 0 && !batch->done; levels.code++) {
		if (levels.code == CODE_LAST)
			r = batch_rebase(sweep, batch, &levels, err);
		if (r >= 0)
			r = apsp_edge_sweep_round(
				sweep, batch, newest, progress, err);
	}
	return r < 0 ? r : batch_harvest(sweep, batch, &levels, err);
}

int apsp_bfs_levels_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	uint32_t lanes = panels->device->tuning->level_lanes;
	char options[OPTIONS_SIZE];
	const struct apsp_edge_method method = {.name = "bfs-levels",
		.source = "bfs_levels",
		.options = options,
		.lanes = lanes,
		.word_bytes = lanes,
		.rebases = true,
		.solve = batch_solve};

	snprintf(options, sizeof(options), "-DLANES=%u", lanes);
	return apsp_edge_sweep_run(task, panels, &method, progress, err);
}
