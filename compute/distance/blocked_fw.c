/*
 * `blocked-fw`: Floyd–Warshall by pivot blocks, each tuning->pivot_tiles tiles
 * wide. Method: Venkataraman et al. 2003; Katz & Kider 2008.
 *
 * A pivot block consists of the tiles K = [k0, k0 + d) on the diagonal, where d
 * is tuning->pivot_tiles, or less in the last block. To close a tile means to
 * relax it through its own vertices. Each k in K takes two launches:
 *
 *	1. relax row k and column k through the earlier pivots of K; close (k,k)
 *	2. relax row k and column k through pivot k
 *
 * After these launches, one launch covers the whole matrix. This launch does
 * nearly all of the work, and reads each of its target tiles only once. For
 * each k in K, it relaxes row k and column k through the pivots of K that come
 * after k. It relaxes all other tiles through all pivots of K. It also closes
 * the first tile of the next block. A separate launch for this tile would have
 * only one work-group, and the rest of the device would wait. Only tile (0,0)
 * is closed in a separate launch.
 *
 * Floyd–Warshall relaxes (i,j) through k with the values of (i,k) and (k,j)
 * after step k. In `blocked-fw`, these values may be lower, because the last
 * launch relaxes row k through later pivots while other work-groups read row k.
 * Lower values do no harm, because all values are lengths of paths (relax.h).
 *
 * If several processes compute the distance matrix together, the code in
 * shared_fw.c runs instead.
 */
#include "compute/distance/task.h"

#include <stdlib.h>
#include <string.h>

#include "compute/device/opencl.h"
#include "compute/distance/relax.h"
#include "compute/distance/shared_fw.h"
#include "daemon/base/auto.h"

struct blocked_fw {
	struct apsp_panels *panels;
	struct apsp_relax relax;
	/*
	 * Two arrays of n_tiles × n_tiles marks. One array marks the tiles that
	 * may have finite values after the present block. The other array marks
	 * the tiles that may have finite values after the previous block. The
	 * arrays swap these roles after each block.
	 */
	uint8_t *marks[2];
	bool all_finite;
};

static void blocked_fw_done(struct blocked_fw *fw)
{
	/* wait for the device, because it may still read the marks */
	apsp_opencl_finish(fw->panels->device->queue);
	apsp_relax_done(&fw->relax);
	free(fw->marks[0]);
	free(fw->marks[1]);
}

/* Return the pivots k to k + n_k - 1, with the slab (a buffer of tile rows)
   that holds their rows. */
static struct apsp_pivots pivots_of(const struct blocked_fw *fw, uint32_t k,
	uint32_t n_k, uint32_t close, bool later)
{
	struct apsp_pivots pivots = {
		.k = k, .n_k = n_k, .close = close, .later = later};

	pivots.slab.buffer =
		apsp_panels_buffer(fw->panels, k, &pivots.slab.base);
	return pivots;
}

/* Enqueue one launch that relaxes two rectangles of tiles. All rows of both
   rectangles lie in the buffer that holds tile row i. */
static int launch(const struct blocked_fw *fw, uint32_t i,
	const struct apsp_pivots *pivots, const struct apsp_rectangle *first,
	const struct apsp_rectangle *second, struct apsp_err *err)
{
	struct apsp_slab targets;

	targets.buffer = apsp_panels_buffer(fw->panels, i, &targets.base);
	return apsp_relax_launch(
		&fw->relax, &targets, pivots, first, second, err);
}

/* Return the first index of the range that is not skipped. */
static uint32_t range_begin(cl_uint4 range)
{
	uint32_t first = range.s[APSP_RANGE_FIRST];

	return first >= range.s[APSP_RANGE_SKIP]
		       ? first + range.s[APSP_RANGE_SKIP_COUNT]
		       : first;
}

/* Return how many rows of the rectangle `r`, from its first row on, one launch
   can relax. The rows must lie in one buffer, and the launch must not take too
   long. */
static uint32_t rows_together(const struct blocked_fw *fw,
	const struct apsp_rectangle *r, uint32_t n_k)
{
	uint64_t most = apsp_relax_limit(
		&fw->relax, n_k, r->columns.s[APSP_RANGE_COUNT]);
	uint32_t first = r->rows.s[APSP_RANGE_FIRST];
	uint32_t skip = r->rows.s[APSP_RANGE_SKIP];
	uint32_t count = r->rows.s[APSP_RANGE_COUNT];
	uint32_t buffer = fw->panels->panels_per_buffer;
	uint32_t left = buffer - range_begin(r->rows) % buffer;

	if (count < left)
		left = count;
	/* rows before and after the skipped rows are relaxed in different
	   launches */
	if (first < skip && left > skip - first)
		left = skip - first;
	/* make the launches about equal in size, because a small last launch
	   would leave processors idle */
	return (uint32_t)(left / ((left + most - 1) / most));
}

static int relax(const struct blocked_fw *fw, struct apsp_rectangle tiles,
	const struct apsp_pivots *pivots, struct apsp_err *err)
{
	int r = 0;

	while (r >= 0 && apsp_rectangle_tiles(&tiles) > 0) {
		struct apsp_rectangle part = tiles;
		uint32_t together = rows_together(fw, &tiles, pivots->n_k);

		part.rows.s[APSP_RANGE_COUNT] = together;
		r = launch(
			fw, range_begin(part.rows), pivots, &part, NULL, err);
		tiles.rows.s[APSP_RANGE_FIRST] += together;
		tiles.rows.s[APSP_RANGE_COUNT] -= together;
	}
	return r;
}

/* Relax the tiles of two rectangles: `rows`, usually a tile row, and `columns`,
   usually a tile column. One launch relaxes both if the panels have one buffer
   and apsp_relax_limit() allows so many tiles. Otherwise there are several
   launches. */
static int relax_cross(const struct blocked_fw *fw,
	const struct apsp_rectangle *rows, const struct apsp_rectangle *columns,
	const struct apsp_pivots *pivots, struct apsp_err *err)
{
	uint64_t tiles =
		apsp_rectangle_tiles(rows) + apsp_rectangle_tiles(columns);
	int r;

	if (fw->panels->n_buffers == 1 &&
		tiles <= apsp_relax_limit(&fw->relax, pivots->n_k, 1))
		return launch(fw, 0, pivots, rows, columns, err);
	r = relax(fw, *rows, pivots, err);
	return r < 0 ? r : relax(fw, *columns, pivots, err);
}

/* For each k of the block [k0, k0 + d), relax row k and column k through the
   pivots k0 to k. The block's first tile must be closed before the call. */
static int block_close(const struct blocked_fw *fw, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	uint32_t n = fw->panels->n_tiles;
	const cl_uint4 all = apsp_range(0, n);
	int r = 0;

	for (uint32_t k = k0; r >= 0 && k < k0 + d; k++) {
		const struct apsp_pivots before =
			pivots_of(fw, k0, k - k0, k, true);
		const struct apsp_pivots own =
			pivots_of(fw, k, 1, APSP_NO_TILE, false);
		const cl_uint4 others = apsp_range_but(0, n, k, 1);
		const cl_uint4 pivot = apsp_range(k, 1);
		const struct apsp_rectangle whole_row = {pivot, all};
		const struct apsp_rectangle row = {pivot, others};
		const struct apsp_rectangle column = {others, pivot};

		if (k > k0)
			r = relax_cross(fw, &whole_row, &column, &before, err);
		if (r >= 0)
			r = relax_cross(fw, &row, &column, &own, err);
	}
	return r;
}

/* Return the range of `count` indices that begins with `first`. If the range
   passes index n - 1, it goes on with index 0. */
static cl_uint4 around(uint32_t first, uint32_t count, uint32_t n)
{
	return (cl_uint4){{first, count, n, -n}};
}

/*
 * Mark all tiles that may become finite in block number `block`, and enqueue
 * the transfer of the marks to the device. The marks must be set before the
 * block starts, because the launches of the block do not change them (relax.h).
 * The marks of block number `block` - 2 are overwritten. The caller has already
 * waited for the end of that block.
 */
static int marks_spread(struct blocked_fw *fw, uint32_t block, uint32_t k0,
	uint32_t d, struct apsp_err *err)
{
	const struct apsp_panels *panels = fw->panels;
	size_t size = (size_t)panels->n_tiles * panels->n_tiles;
	uint8_t *marks = fw->marks[block % 2];

	if (fw->all_finite)
		return 0;
	memcpy(marks, fw->marks[(block + 1) % 2], size);
	apsp_relax_spread(marks, panels->n_tiles, k0, d);
	fw->all_finite = !memchr(marks, 0, size);
	return apsp_opencl_check(
		clEnqueueWriteBuffer(panels->device->queue, panels->finite,
			CL_FALSE, 0, size, marks, 0, NULL, NULL),
		"write the tiles' marks", err);
}

/*
 * Enqueue the launches of one block. The last launch relaxes the whole matrix.
 * It begins with the first diagonal tile of the next block, which it also
 * relaxes through the tile's own vertices, because this tile takes longest. It
 * ends with the tiles in the block's own rows, because these tiles take the
 * least time. So all processors of the device finish at about the same time.
 */
static int block_pass(const struct blocked_fw *fw, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	uint32_t n = fw->panels->n_tiles, next = k0 + d;
	const struct apsp_pivots pivots = pivots_of(fw, k0, d, next, true);
	const struct apsp_rectangle others = {
		around(next, n - d, n), around(next, n, n)};
	const struct apsp_rectangle own = {apsp_range(k0, d), apsp_range(0, n)};
	int r = block_close(fw, k0, d, err);

	return r < 0 ? r : relax_cross(fw, &others, &own, &pivots, err);
}

/* Run all blocks. While a block runs, the next block is already in the queue,
   so that the device never waits. Requests to stop are checked between blocks,
   so the device runs at most two more blocks after a request. */
static int blocks_run(struct blocked_fw *fw, struct apsp_progress *progress,
	struct apsp_err *err)
{
	const struct apsp_device *device = fw->panels->device;
	uint32_t n = fw->panels->n_tiles, depth = device->tuning->pivot_tiles;
	const struct apsp_pivots none = pivots_of(fw, 0, 0, 0, false);
	const cl_uint4 first = apsp_range(0, 1);
	cl_event ends[2] = {NULL, NULL};
	/* only close tile (0, 0): there are no earlier pivots through which it
	   could be relaxed before */
	int r = relax(fw, (struct apsp_rectangle){first, first}, &none, err);

	for (uint32_t k0 = 0; r >= 0 && k0 < n; k0 += depth) {
		cl_event *end = &ends[k0 / depth % 2];
		uint32_t d = depth < n - k0 ? depth : n - k0;

		r = apsp_opencl_await(end, "run a block of blocked-fw", err);
		if (r >= 0)
			r = apsp_progress_step(progress, (double)k0 / n, err);
		if (r >= 0)
			r = marks_spread(fw, k0 / depth, k0, d, err);
		if (r >= 0)
			r = block_pass(fw, k0, d, err);
		if (r >= 0)
			r = apsp_opencl_check(
				clEnqueueMarkerWithWaitList(
					device->queue, 0, NULL, end),
				"mark a block", err);
		if (r >= 0)
			clFlush(device->queue);
	}
	for (int e = 0; e < 2; e++)
		if (ends[e])
			clReleaseEvent(ends[e]);
	if (r < 0)
		return r;
	return apsp_opencl_check(
		apsp_opencl_finish(device->queue), "run blocked-fw", err);
}

int apsp_blocked_fw_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_progress *progress,
	struct apsp_err *err)
{
	APSP_AUTO(blocked_fw_done) struct blocked_fw fw = {.panels = panels};
	int r;

	if (task->group)
		return apsp_shared_fw_run(task->group, panels, progress, err);
	r = apsp_relax_open(panels, &fw.relax, err);
	/* Allocate both arrays, and read the marks. The reading into
	   fw.marks[0] is not needed: marks_spread() overwrites this array with
	   fw.marks[1]. */
	for (int m = 0; r >= 0 && m < 2; m++)
		r = apsp_relax_marks(panels, &fw.marks[m], err);
	return r < 0 ? r : blocks_run(&fw, progress, err);
}
