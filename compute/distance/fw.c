/*
 * `fw`: Floyd–Warshall. A launch relaxes one buffer of the matrix through one
 * pivot vertex. There are n pivots with n² relaxations each. Method: Harish &
 * Narayanan 2007.
 */
#include "compute/device/kernel.h"
#include "compute/distance/task.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

enum {
	/* Largest number of pivots between two checks for a request to stop. */
	PIVOTS_PER_STEP = 32,
};

/* Return the number of pivots that together have about
   tuning->launch_relaxations relaxations; at least 1, and at most
   PIVOTS_PER_STEP. */
static uint32_t pivots_per_step(const struct apsp_panels *panels)
{
	uint64_t side = (uint64_t)panels->n_tiles * APSP_TILE;
	uint64_t most =
		panels->device->tuning->launch_relaxations / (side * side);

	return most < 1			? 1
	       : most > PIVOTS_PER_STEP ? PIVOTS_PER_STEP
					: (uint32_t)most;
}

static int step(const struct apsp_panels *panels, cl_kernel kernel, cl_uint k,
	struct apsp_err *err)
{
	uint32_t span = panels->device->tuning->span;
	cl_uint pivot_base;
	cl_mem pivots = apsp_panels_buffer(panels, k / APSP_TILE, &pivot_base);
	int r = 0;

	for (uint32_t b = 0; r >= 0 && b < panels->n_buffers; b++) {
		cl_uint base = b * panels->panels_per_buffer;
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(panels->buffers[b]), APSP_ARG(base),
			APSP_ARG(panels->n_tiles), APSP_ARG(pivots),
			APSP_ARG(pivot_base), APSP_ARG(k)};
		size_t rows = (size_t)apsp_panels_in_buffer(panels, b) *
			      panels->n_tiles * APSP_TILE;
		const struct apsp_kernel_items items = {APSP_TILE / span, rows,
			panels->device->tuning->row_group, 1};

		r = apsp_kernel_launch(
			panels->device, kernel, args, 6, items, err);
	}
	return r;
}

int apsp_fw_run(const struct apsp_task *task, struct apsp_panels *panels,
	struct apsp_progress *progress, struct apsp_err *err)
{
	APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
	uint32_t together = pivots_per_step(panels);
	int r;

	(void)task;
	r = apsp_kernel_cache_kernel(panels->device, "fw", panels->element, "",
		"fw_step", &kernel, err);
	for (cl_uint k = 0; r >= 0 && k < panels->n_vertices; k++) {
		r = step(panels, kernel, k, err);
		if (r < 0 || k % together != 0)
			continue;
		r = apsp_opencl_check(apsp_opencl_finish(panels->device->queue),
			"run a step of fw", err);
		if (r >= 0)
			r = apsp_progress_step(
				progress, (double)k / panels->n_vertices, err);
	}
	if (r < 0)
		return r;
	return apsp_opencl_check(
		apsp_opencl_finish(panels->device->queue), "run fw", err);
}
