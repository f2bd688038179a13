/*
 * Blocked Floyd–Warshall on panels; see algorithm.h.
 *
 * For a pivot block of tiles K = [k0, k0 + d), tile by tile:
 *
 *	close (k,k); rows (k, *) and columns (*, k) through it;
 *	then the block's other rows and columns through k
 *
 * and last every tile outside the block's rows and columns through all of K in
 * one pass, which is nearly all of the work and reads each target once.
 */
#include "compute/algorithm.h"

#include <stdio.h>

#include "compute/program.h"
#include "daemon/base/auto.h"

struct blocked_fw {
	struct apsp_panels *panels;
	cl_kernel pivot;
	cl_kernel relax;
};

/* Tiles [first, first + count) that leave out `skip_count` from skip on. */
struct range {
	cl_uint first;
	cl_uint count; /* without those left out */
	cl_uint skip;
};

static struct range range_all(uint32_t n_tiles, uint32_t skip, uint32_t count)
{
	return (struct range){0, n_tiles - count, skip};
}

static struct range range_part(uint32_t first, uint32_t count)
{
	return (struct range){first, count, UINT32_MAX};
}

/* One launch: rows of tiles that lie in one buffer. */
static int launch_rows(const struct blocked_fw *fw, struct range i,
	struct range j, cl_uint k, cl_uint n_k, cl_uint skip_count,
	struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	uint32_t group = panels->device->tuning->group;
	cl_uint at = i.first + (i.first >= i.skip ? skip_count : 0);
	cl_uint base, pivot_base;
	cl_mem targets = apsp_panels_buffer(panels, at, &base);
	cl_mem pivots = apsp_panels_buffer(panels, k, &pivot_base);
	const struct apsp_kernel_arg args[] = {APSP_ARG(targets),
		APSP_ARG(base), APSP_ARG(pivots), APSP_ARG(pivot_base),
		APSP_ARG(panels->n_tiles), APSP_ARG(k), APSP_ARG(n_k),
		APSP_ARG(i.first), APSP_ARG(i.skip), APSP_ARG(j.first),
		APSP_ARG(j.skip), APSP_ARG(skip_count),
		APSP_ARG(panels->finite)};
	int r = apsp_kernel_args(fw->relax, args, 13, err);

	if (r < 0)
		return r;
	return apsp_kernel_launch(panels->device, fw->relax,
		(size_t)j.count * group, (size_t)i.count * group, group, group,
		err);
}

/* How many of i's rows, from i.first on, lie in one buffer and one launch. */
static uint32_t rows_together(const struct apsp_panels *panels, struct range i,
	struct range j, cl_uint n_k, cl_uint skip_count)
{
	uint64_t tile = (uint64_t)APSP_TILE * APSP_TILE * APSP_TILE * n_k;
	uint64_t most = panels->device->tuning->launch_relaxations /
			(tile * (j.count > 0 ? j.count : 1));
	uint32_t at = i.first + (i.first >= i.skip ? skip_count : 0);
	uint32_t left =
		panels->panels_per_buffer - at % panels->panels_per_buffer;

	if (most < 1)
		most = 1;
	if (most < left)
		left = (uint32_t)most;
	/* the skip lies between two rows; a launch stays on one side of it */
	if (i.first < i.skip && left > i.skip - i.first)
		left = i.skip - i.first;
	return left < i.count ? left : i.count;
}

static int relax(const struct blocked_fw *fw, struct range i, struct range j,
	cl_uint k, cl_uint n_k, cl_uint skip_count, struct apsp_err *err)
{
	int r = 0;

	while (r >= 0 && i.count > 0 && j.count > 0) {
		struct range part = i;

		part.count = rows_together(fw->panels, i, j, n_k, skip_count);
		r = launch_rows(fw, part, j, k, n_k, skip_count, err);
		i.first += part.count;
		i.count -= part.count;
	}
	return r;
}

static int close_tile(
	const struct blocked_fw *fw, cl_uint k, struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	uint32_t group = panels->device->tuning->group;
	cl_uint base;
	cl_mem buffer = apsp_panels_buffer(panels, k, &base);
	const struct apsp_kernel_arg args[] = {APSP_ARG(buffer), APSP_ARG(base),
		APSP_ARG(panels->n_tiles), APSP_ARG(k)};
	int r = apsp_kernel_args(fw->pivot, args, 4, err);

	if (r < 0)
		return r;
	return apsp_kernel_launch(
		panels->device, fw->pivot, group, group, group, group, err);
}

/* Bring the rows and columns of the block [k0, k0 + d) up to date. */
static int block_close(const struct blocked_fw *fw, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	uint32_t n = fw->panels->n_tiles;
	int r = 0;

	for (uint32_t k = k0; r >= 0 && k < k0 + d; k++) {
		struct range others = range_all(n, k, 1);

		r = close_tile(fw, k, err);
		if (r >= 0)
			r = relax(fw, range_part(k, 1), others, k, 1, 1, err);
		if (r >= 0)
			r = relax(fw, others, range_part(k, 1), k, 1, 1, err);
		/* the block's other rows, then its other columns outside them
		 */
		if (r >= 0)
			r = relax(fw, range_part(k0, k - k0), others, k, 1, 1,
				err);
		if (r >= 0)
			r = relax(fw, range_part(k + 1, k0 + d - k - 1), others,
				k, 1, 1, err);
		if (r >= 0)
			r = relax(fw, range_all(n, k0, d),
				range_part(k0, k - k0), k, 1, d, err);
		if (r >= 0)
			r = relax(fw, range_all(n, k0, d),
				range_part(k + 1, k0 + d - k - 1), k, 1, d,
				err);
	}
	return r;
}

static int block_pass(const struct blocked_fw *fw, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	uint32_t n = fw->panels->n_tiles;
	struct range rest = range_all(n, k0, d);
	int r = block_close(fw, k0, d, err);

	if (r < 0)
		return r;
	return relax(fw, rest, rest, k0, d, d, err);
}

/*
 * Blocks run with one more queued behind, so that the device never waits and a
 * stop is seen within two of them.
 */
static int blocks_run(const struct blocked_fw *fw, struct apsp_monitor *monitor,
	struct apsp_err *err)
{
	const struct apsp_device *device = fw->panels->device;
	uint32_t n = fw->panels->n_tiles, depth = device->tuning->pivot_tiles;
	cl_event marks[2] = {NULL, NULL};
	int r = 0;

	for (uint32_t k0 = 0; r >= 0 && k0 < n; k0 += depth) {
		cl_event *mark = &marks[k0 / depth % 2];

		if (*mark) {
			r = apsp_device_check(clWaitForEvents(1, mark),
				"run a block of blocked-fw", err);
			clReleaseEvent(*mark);
			*mark = NULL;
		}
		if (r >= 0)
			r = apsp_monitor_step(monitor, (double)k0 / n, err);
		if (r >= 0)
			r = block_pass(
				fw, k0, depth < n - k0 ? depth : n - k0, err);
		if (r >= 0)
			r = apsp_device_check(
				clEnqueueMarkerWithWaitList(
					device->queue, 0, NULL, mark),
				"mark a block", err);
		if (r >= 0)
			clFlush(device->queue);
	}
	for (int m = 0; m < 2; m++)
		if (marks[m])
			clReleaseEvent(marks[m]);
	if (r < 0)
		return r;
	return apsp_device_check(
		clFinish(device->queue), "run blocked-fw", err);
}

int apsp_blocked_fw_run(struct apsp_panels *panels,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_kernel_done) cl_kernel pivot = NULL;
	APSP_AUTO(apsp_device_kernel_done) cl_kernel kernel = NULL;
	const struct apsp_device *device = panels->device;
	char registers[64] = "";
	int r;

	if (device->ptx && device->tuning->registers > 0 &&
		panels->element == APSP_ELEMENT_I32)
		snprintf(registers, sizeof(registers), "-cl-nv-maxrregcount=%u",
			device->tuning->registers);
	r = apsp_program_kernel(device, device->tuning->pivot, panels->element,
		"", "pivot", &pivot, err);
	if (r < 0)
		return r;
	r = apsp_program_kernel(device, device->tuning->relax, panels->element,
		registers, "relax", &kernel, err);
	if (r < 0)
		return r;
	return blocks_run(
		&(struct blocked_fw){panels, pivot, kernel}, monitor, err);
}
