/*
 * Runs passes over rows of tiles; see slab_passes.h.
 */
#include "compute/distance/slab_passes.h"

#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

static size_t finite_bytes(const struct apsp_slab_passes *passes)
{
	return (size_t)passes->panels->n_tiles * passes->panels->n_tiles;
}

int apsp_slab_passes_open(const struct apsp_panels *panels,
	const uint8_t *finite, struct apsp_progress *progress,
	struct apsp_slab_passes *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_slab_passes_done)
	struct apsp_slab_passes made = {.panels = panels, .progress = progress};
	int r = apsp_relax_open(panels, &made.relax, err);

	for (int f = 0; r >= 0 && f < 2; f++)
		r = apsp_device_pinned_make(panels->device, finite_bytes(&made),
			&made.finite[f], &made.finite_marks[f], err);
	if (r < 0)
		return r;
	/* the first call of apsp_slab_passes_spread() reads this array, and
	   fills the other one */
	memcpy(made.finite_marks[1], finite, finite_bytes(&made));
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_slab_passes_done(struct apsp_slab_passes *passes)
{
	for (int m = 0; m < APSP_SLAB_PASSES_QUEUED; m++)
		if (passes->marks[m])
			clReleaseEvent(passes->marks[m]);
	for (int f = 0; f < 2; f++) {
		if (passes->marked[f])
			clReleaseEvent(passes->marked[f]);
		if (passes->finite[f])
			apsp_device_pinned_done(passes->panels->device,
				&passes->finite[f], &passes->finite_marks[f]);
	}
	apsp_relax_done(&passes->relax);
}

int apsp_slab_passes_spread(struct apsp_slab_passes *passes, uint32_t first,
	uint32_t n, struct apsp_err *err)
{
	uint32_t now = passes->n_spread++ % 2, before = !now;
	int r = apsp_opencl_await(&passes->marked[now], "mark the tiles", err);

	if (r < 0)
		return r;
	memcpy(passes->finite_marks[now], passes->finite_marks[before],
		finite_bytes(passes));
	apsp_relax_spread(
		passes->finite_marks[now], passes->panels->n_tiles, first, n);
	return apsp_opencl_check(
		clEnqueueWriteBuffer(passes->panels->device->queue,
			passes->panels->finite, CL_FALSE, 0,
			finite_bytes(passes), passes->finite_marks[now], 0,
			NULL, &passes->marked[now]),
		"mark the tiles", err);
}

/* Record an event for the end of the pass that was just enqueued. Before that,
   wait until the queue has at most APSP_SLAB_PASSES_QUEUED passes, including
   this pass, and report the progress. */
static int pass_mark(struct apsp_slab_passes *passes, struct apsp_err *err)
{
	double n = passes->panels->n_tiles;
	cl_event *mark =
		&passes->marks[passes->n_marks++ % APSP_SLAB_PASSES_QUEUED];
	int r = apsp_opencl_await(mark, "run a pass", err);

	if (r >= 0)
		r = apsp_progress_step(passes->progress,
			passes->n_products / (n * n * n), err);
	if (r >= 0)
		r = apsp_opencl_check(
			clEnqueueMarkerWithWaitList(
				passes->panels->device->queue, 0, NULL, mark),
			"mark a pass", err);
	passes->last = *mark;
	clFlush(passes->panels->device->queue);
	return r;
}

/* Enqueue launches that relax a rectangle of tiles. Each launch relaxes as many
   tile rows as apsp_relax_limit() allows. */
static int tiles_relax(struct apsp_slab_passes *passes,
	const struct apsp_slab *targets, const struct apsp_pivots *pivots,
	struct apsp_rectangle tiles, struct apsp_err *err)
{
	uint32_t n_columns = tiles.columns.s[APSP_RANGE_COUNT];
	uint32_t left = tiles.rows.s[APSP_RANGE_COUNT];
	uint64_t most;
	int r = 0;

	if (n_columns == 0)
		return 0;
	most = apsp_relax_limit(&passes->relax, pivots->n_k, n_columns);
	passes->n_products += (double)left * n_columns * pivots->n_k;
	while (r >= 0 && left > 0) {
		uint32_t together = left < most ? left : (uint32_t)most;

		tiles.rows.s[APSP_RANGE_COUNT] = together;
		r = apsp_relax_launch(
			&passes->relax, targets, pivots, &tiles, NULL, err);
		tiles.rows.s[APSP_RANGE_FIRST] += together;
		left -= together;
	}
	return r;
}

/* Divide n_rows pivot rows into passes of about equal size, and return the
   number of pivot rows of one pass. This number is at most tuning->pivot_tiles.
*/
static uint32_t depth_of(const struct apsp_slab_passes *passes, uint32_t n_rows)
{
	uint32_t depth = passes->panels->device->tuning->pivot_tiles;
	uint32_t n_passes = (n_rows + depth - 1) / depth;

	return (n_rows + n_passes - 1) / n_passes;
}

/* Relax the rows [k0, k0 + d) of a slab through each other. Tile (k0, k0) must
   already be closed, which means relaxed through its own vertices. Step k
   relaxes all these rows through row k, and closes tile (k + 1, k + 1). */
static int block_close(struct apsp_slab_passes *passes,
	const struct apsp_slab *slab, uint32_t k0, uint32_t d,
	struct apsp_err *err)
{
	uint32_t n = passes->panels->n_tiles;
	int r = 0;

	for (uint32_t k = k0; r >= 0 && k < k0 + d; k++) {
		const struct apsp_pivots own = {*slab, k, 1, APSP_NO_TILE};
		const struct apsp_pivots next = {*slab, k, 1, k + 1};
		const struct apsp_rectangle row = {
			apsp_range(k, 1), apsp_range_but(0, n, k, 1)};
		const struct apsp_rectangle siblings = {
			apsp_range_but(k0, d, k, 1), apsp_range(0, n)};

		r = tiles_relax(passes, slab, &own, row, err);
		if (r >= 0)
			r = tiles_relax(passes, slab, &next, siblings, err);
	}
	return r;
}

int apsp_slab_passes_close(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, struct apsp_err *err)
{
	uint32_t first = rows->first, end = first + rows->n;
	uint32_t depth = depth_of(passes, rows->n);
	int r = 0;

	/* only close tile (0, 0): there are no earlier pivots through which it
	   could be relaxed before */
	if (first == 0) {
		const struct apsp_pivots none = {rows->slab, 0, 0, 0};
		const cl_uint4 tile = apsp_range(0, 1);

		r = tiles_relax(passes, &rows->slab, &none,
			(struct apsp_rectangle){tile, tile}, err);
		if (r >= 0)
			r = pass_mark(passes, err);
	}
	for (uint32_t k0 = first; r >= 0 && k0 < end; k0 += depth) {
		uint32_t d = depth < end - k0 ? depth : end - k0;
		const struct apsp_pivots block = {rows->slab, k0, d, k0 + d};
		const struct apsp_rectangle others = {
			apsp_range_but(first, rows->n, k0, d),
			apsp_range(0, passes->panels->n_tiles)};

		r = block_close(passes, &rows->slab, k0, d, err);
		if (r >= 0)
			r = tiles_relax(
				passes, &rows->slab, &block, others, err);
		if (r >= 0)
			r = pass_mark(passes, err);
	}
	return r;
}

int apsp_slab_passes_relax(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, size_t n_rows,
	const struct apsp_rows *pivots, struct apsp_err *err)
{
	uint32_t first = pivots->first, end = first + pivots->n;
	uint32_t depth = depth_of(passes, pivots->n);
	const cl_uint4 all = apsp_range(0, passes->panels->n_tiles);
	int r = 0;

	for (uint32_t k = first; r >= 0 && k < end; k += depth) {
		uint32_t d = depth < end - k ? depth : end - k;
		const struct apsp_pivots block = {
			pivots->slab, k, d, k + d == end ? end : APSP_NO_TILE};

		for (size_t i = 0; r >= 0 && i < n_rows; i++) {
			const struct apsp_rectangle tiles = {
				apsp_range(rows[i].first, rows[i].n), all};

			r = tiles_relax(
				passes, &rows[i].slab, &block, tiles, err);
		}
		if (r >= 0)
			r = pass_mark(passes, err);
	}
	return r;
}
