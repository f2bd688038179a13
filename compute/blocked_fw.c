/*
 * Blocked Floyd–Warshall on panels; see algorithm.h.
 *
 * In a pivot block of tiles K = [k0, k0 + d), tile by tile, with (k,k) closed:
 *
 *	rows (k, *) and columns (*, k) through it;
 *	the block's other rows and columns through k, which closes (k+1,k+1)
 *
 * and last every tile outside the block's rows and columns through all of K in
 * one pass, which is nearly all of the work and reads each target once; it
 * closes the next block's first tile. So phase 1, which one work-group does
 * alone, never has the device for itself but at the very start.
 */
#include "compute/algorithm.h"

#include "compute/program.h"
#include "daemon/base/auto.h"

struct blocked_fw {
	struct apsp_panels *panels;
	cl_kernel relax;
};

/* What tiles are relaxed through, and which pivot tile comes after. */
struct step {
	cl_uint k; /* tiles [k, k + n_k) */
	cl_uint n_k;
	cl_uint close; /* tile (close, close) is closed when it is up to date */
};

/* Tiles that a pivot block relaxes; kernels/element.clh. */
struct rectangle {
	cl_uint4 rows;
	cl_uint4 columns;
};

enum {
	FIRST,
	COUNT,
	SKIP,
	SKIP_COUNT,
};

#define NO_TILE UINT32_MAX

/* [0, n) but for skip_count indices from skip on. */
static cl_uint4 all_but(uint32_t n, uint32_t skip, uint32_t skip_count)
{
	return (cl_uint4){{0, n - skip_count, skip, skip_count}};
}

/* [first, first + count) but for one index in it. */
static cl_uint4 part_but(uint32_t first, uint32_t count, uint32_t skip)
{
	return (cl_uint4){{first, count - 1, skip, 1}};
}

static cl_uint4 one(uint32_t index)
{
	return (cl_uint4){{index, 1, NO_TILE, 0}};
}

static uint64_t tiles_in(const struct rectangle *r)
{
	return (uint64_t)r->rows.s[COUNT] * r->columns.s[COUNT];
}

/* The tile row that a range begins with. */
static uint32_t first_of(cl_uint4 range)
{
	return range.s[FIRST] +
	       (range.s[FIRST] >= range.s[SKIP] ? range.s[SKIP_COUNT] : 0);
}

/*
 * One launch over two rectangles whose rows lie in the buffer of tile row i, a
 * group a tile; the group's size is the kernel's own.
 */
static int launch_tiles(const struct blocked_fw *fw, uint32_t i,
	const struct step *step, const struct rectangle *first,
	const struct rectangle *second, struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	cl_uint base, pivot_base;
	cl_mem targets = apsp_panels_buffer(panels, i, &base);
	cl_mem pivots = apsp_panels_buffer(panels, step->k, &pivot_base);
	const struct apsp_kernel_arg args[] = {APSP_ARG(targets),
		APSP_ARG(base), APSP_ARG(pivots), APSP_ARG(pivot_base),
		APSP_ARG(panels->n_tiles), APSP_ARG(step->k),
		APSP_ARG(step->n_k), APSP_ARG(first->rows),
		APSP_ARG(first->columns), APSP_ARG(second->rows),
		APSP_ARG(second->columns), APSP_ARG(step->close),
		APSP_ARG(panels->finite)};
	size_t group[3] = {1, 1, 1};
	int r = apsp_kernel_args(fw->relax, args, 13, err);

	if (r >= 0)
		r = apsp_device_check(
			clGetKernelWorkGroupInfo(fw->relax, panels->device->id,
				CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
				sizeof(group), group, NULL),
			"ask for a kernel's group", err);
	if (r < 0)
		return r;
	return apsp_kernel_launch(panels->device, fw->relax,
		(tiles_in(first) + tiles_in(second)) * group[0], group[1],
		group[0], group[1], err);
}

/* Tiles that a launch may take: it stays under the tuned time. */
static uint64_t launch_limit(const struct apsp_panels *panels, cl_uint n_k)
{
	uint64_t tile = (uint64_t)APSP_TILE * APSP_TILE * APSP_TILE;
	uint64_t most = panels->device->tuning->launch_relaxations /
			(tile * (n_k > 0 ? n_k : 1));

	return most > 0 ? most : 1;
}

/* How many rows of r, from the first on, lie in one buffer and one launch. */
static uint32_t rows_together(const struct apsp_panels *panels,
	const struct rectangle *r, cl_uint n_k)
{
	uint64_t most = launch_limit(panels, n_k) / r->columns.s[COUNT];
	uint32_t first = r->rows.s[FIRST], skip = r->rows.s[SKIP];
	uint32_t left = panels->panels_per_buffer -
			first_of(r->rows) % panels->panels_per_buffer;

	if (most < left)
		left = most > 0 ? (uint32_t)most : 1;
	/* the skip lies between two rows; a launch stays on one side of it */
	if (first < skip && left > skip - first)
		left = skip - first;
	return left < r->rows.s[COUNT] ? left : r->rows.s[COUNT];
}

static int relax(const struct blocked_fw *fw, struct rectangle tiles,
	const struct step *step, struct apsp_err *err)
{
	static const struct rectangle none;
	int r = 0;

	while (r >= 0 && tiles_in(&tiles) > 0) {
		struct rectangle part = tiles;

		part.rows.s[COUNT] =
			rows_together(fw->panels, &tiles, step->n_k);
		r = launch_tiles(
			fw, first_of(part.rows), step, &part, &none, err);
		tiles.rows.s[FIRST] += part.rows.s[COUNT];
		tiles.rows.s[COUNT] -= part.rows.s[COUNT];
	}
	return r;
}

/* Rows and columns of tiles, in one launch where one buffer holds them. */
static int relax_cross(const struct blocked_fw *fw,
	const struct rectangle *rows, const struct rectangle *columns,
	const struct step *step, struct apsp_err *err)
{
	uint64_t tiles = tiles_in(rows) + tiles_in(columns);
	int r;

	if (fw->panels->n_buffers == 1 &&
		tiles <= launch_limit(fw->panels, step->n_k)) {
		if (tiles == 0)
			return 0;
		return launch_tiles(fw, 0, step, rows, columns, err);
	}
	r = relax(fw, *rows, step, err);
	return r < 0 ? r : relax(fw, *columns, step, err);
}

/*
 * Bring the rows and columns of the block [k0, k0 + d) up to date. Its first
 * tile is closed; each step closes the next one.
 */
static int block_close(const struct blocked_fw *fw, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	uint32_t n = fw->panels->n_tiles;
	int r = 0;

	for (uint32_t k = k0; r >= 0 && k < k0 + d; k++) {
		const struct step own = {k, 1, NO_TILE};
		const struct step next = {k, 1, k + 1};
		const cl_uint4 others = all_but(n, k, 1);
		const cl_uint4 siblings = part_but(k0, d, k);
		const struct rectangle row = {one(k), others};
		const struct rectangle column = {others, one(k)};
		const struct rectangle rows = {siblings, others};
		const struct rectangle columns = {all_but(n, k0, d), siblings};

		r = relax_cross(fw, &row, &column, &own, err);
		if (r >= 0)
			r = relax_cross(fw, &rows, &columns, &next, err);
	}
	return r;
}

/* Close tile (0, 0), relaxed through nothing. */
static int first_close(const struct blocked_fw *fw, struct apsp_err *err)
{
	const struct step step = {0, 0, 0};

	return relax(fw, (struct rectangle){one(0), one(0)}, &step, err);
}

/* The whole of one block. The rest of the matrix closes the next one's first.
 */
static int block_pass(const struct blocked_fw *fw, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	const cl_uint4 rest = all_but(fw->panels->n_tiles, k0, d);
	const struct step step = {k0, d, k0 + d};
	int r = block_close(fw, k0, d, err);

	if (r < 0)
		return r;
	return relax(fw, (struct rectangle){rest, rest}, &step, err);
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
	int r = first_close(fw, err);

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
	APSP_AUTO(apsp_device_kernel_done) cl_kernel kernel = NULL;
	const struct apsp_device *device = panels->device;
	int r;

	r = apsp_program_kernel(device, device->tuning->relax, panels->element,
		"", "relax", &kernel, err);
	if (r < 0)
		return r;
	return blocks_run(&(struct blocked_fw){panels, kernel}, monitor, err);
}
