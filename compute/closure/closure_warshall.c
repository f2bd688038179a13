/*
 * `closure-warshall`: runs Warshall's algorithm on the device
 * (kernels/warshall.cl). The pivots are the components of the graph, in blocks
 * of 32. The rows of n vertices take n² / 8 bytes, and the bits of the arcs
 * between c components take c² / 8 bytes. The device also holds lists of arcs
 * and of components (closure_cost.h).
 *
 * A pivot changes only the rows of earlier components: on average, half of all
 * rows. One operation on a word of 64 bits processes four pivots, because the
 * kernel computes the ORs of all subsets of four pivots beforehand. So there
 * are at most c/4 · c/2 · n/64 = c²·n / 512 operations. A component skips the
 * pivots to which it has no arcs. Method: Warshall 1962.
 */
#include "compute/closure/closure_algorithm.h"
#include "compute/closure/closure_rows.h"
#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "daemon/base/auto.h"

enum {
	PIVOTS = 32, /* number of pivots in a block (kernels/warshall.cl) */
	/*
	 * For each block of pivots, the work on one row takes the time of about
	 * 16 ORs. Eight ORs change the row. The other eight are an estimate of
	 * the time in which the pivots' rows are combined
	 * (kernels/warshall.cl).
	 */
	ROW_ORS = 16,
	/* the loop checks after at most this number of blocks whether the job
	   is to stop */
	BLOCKS_PER_STEP = 64,
};

struct warshall {
	struct apsp_closure_rows rows;
	cl_uint n; /* number of components */
	cl_uint n_padded;
	cl_mem of; /* for each vertex, its component */
	/* for each component, its first vertex; the row of this vertex is the
	   component's row. n_padded elements */
	cl_mem first_of;
	cl_mem names;
	cl_kernel condense;
	cl_kernel pivots;
	cl_kernel spread;
};

static void warshall_done(struct warshall *w)
{
	apsp_closure_rows_done(&w->rows);
	apsp_device_buffer_done(&w->of);
	apsp_device_buffer_done(&w->first_of);
	apsp_device_buffer_done(&w->names);
	apsp_kernel_done(&w->condense);
	apsp_kernel_done(&w->pivots);
	apsp_kernel_done(&w->spread);
}

static size_t names_bytes(const struct warshall *w)
{
	return sizeof(cl_uint) * w->n_padded * (w->n_padded / PIVOTS);
}

static int first_of_make(struct warshall *w, const struct apsp_components *c,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) cl_uint *first_of = NULL;

	first_of = calloc((size_t)w->n_padded + 1, sizeof(*first_of));
	if (!first_of)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the closure of %u components", w->n);
	for (cl_uint i = 0; i < w->n; i++)
		first_of[i] = c->order[c->offsets[i]];
	return apsp_device_copy_make(w->rows.device,
		sizeof(*first_of) * w->n_padded, first_of, &w->first_of, err);
}

static int warshall_open(struct warshall *w,
	const struct apsp_closure_task *task, struct apsp_err *err)
{
	const struct apsp_components *components = task->components;
	const struct apsp_closure_size size = {components->n_vertices,
		task->lengths->n_arcs, components->n_components};
	const struct apsp_closure_bytes bytes =
		apsp_closure_costs[APSP_CLOSURE_WARSHALL].bytes(
			&size, &task->device->tuning->bits);
	const struct apsp_kernel_wanted wanted[] = {{"condense", &w->condense},
		{"pivots", &w->pivots}, {"spread", &w->spread}};
	int r;

	w->n = components->n_components;
	w->n_padded = (w->n + PIVOTS - 1) / PIVOTS * PIVOTS;
	r = apsp_closure_rows_open(task->device, task->lengths, components,
		true, &bytes, &w->rows, err);
	if (r >= 0)
		r = apsp_kernel_cache_build(task->device, "warshall",
			APSP_ELEMENT_I32, w->rows.options, wanted, 3, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			task->device, names_bytes(w), NULL, &w->names, err);
	if (r >= 0)
		r = apsp_device_copy_make(task->device,
			sizeof(cl_uint) * components->n_vertices,
			components->of, &w->of, err);
	if (r >= 0)
		r = first_of_make(w, components, err);
	return r;
}

/* Make the bits `names` (kernels/warshall.cl) from the arcs. These bits say to
   which pivots each component has arcs. */
static int condense(const struct warshall *w, struct apsp_err *err)
{
	const struct apsp_kernel_arg args[] = {APSP_ARG(w->rows.tails),
		APSP_ARG(w->rows.heads), APSP_ARG(w->rows.n_arcs),
		APSP_ARG(w->of), APSP_ARG(w->n_padded), APSP_ARG(w->names)};
	const struct apsp_device *device = w->rows.device;
	const struct apsp_kernel_items items = {
		w->rows.n_arcs, 1, device->tuning->row_group, 1};
	cl_uint zero = 0;
	int r;

	if (w->n == 0)
		return 0;
	r = apsp_opencl_fill(device->queue, w->names, &zero, sizeof(zero), 0,
		names_bytes(w), "clear the arcs' bits", err);
	return r < 0 ? r
		     : apsp_kernel_launch(
			       device, w->condense, args, 6, items, err);
}

/* For each component before the block of pivots, find the pivots to which the
   component has arcs. OR the rows of these pivots into the component's row. The
   rows of the pivots must already have their final bits. */
static int spread(const struct warshall *w, cl_uint block, struct apsp_err *err)
{
	uint32_t each = w->rows.device->tuning->bits.spread_rows;
	uint32_t together = apsp_closure_rows_per_launch(&w->rows, ROW_ORS);
	int r = 0;

	for (cl_uint first = 0, end; r >= 0 && first < block * PIVOTS;
		first = end) {
		const struct apsp_kernel_arg args[] = {APSP_ARG(w->rows.bits),
			APSP_ARG(w->rows.lines), APSP_ARG(w->first_of),
			APSP_ARG(w->names), APSP_ARG(w->n_padded),
			APSP_ARG(block), APSP_ARG(first), APSP_ARG(end)};
		cl_uint left = block * PIVOTS - first;

		end = first + (left < together ? left : together);
		r = apsp_kernel_launch(w->rows.device, w->spread, args, 8,
			apsp_closure_rows_items(
				&w->rows, (end - first + each - 1) / each),
			err);
	}
	return r;
}

static int close_pivots(
	const struct warshall *w, cl_uint block, struct apsp_err *err)
{
	const struct apsp_bits_tuning *t = &w->rows.device->tuning->bits;
	const struct apsp_kernel_arg args[] = {APSP_ARG(w->rows.bits),
		APSP_ARG(w->rows.lines), APSP_ARG(w->first_of),
		APSP_ARG(w->names), APSP_ARG(w->n_padded), APSP_ARG(block)};
	const struct apsp_kernel_items items = {w->rows.lines, 1, t->wide, 1};

	return apsp_kernel_launch(
		w->rows.device, w->pivots, args, 6, items, err);
}

static int warshall_close(const struct warshall *w,
	struct apsp_progress *progress, struct apsp_err *err)
{
	cl_uint n_blocks = w->n_padded / PIVOTS;
	/* The loop waits for the device after this number of blocks. Together
	   they should take about as long as the longest single launch is
	   allowed to take (apsp_closure_rows_per_launch()). */
	cl_uint each =
		apsp_closure_rows_per_launch(&w->rows, ROW_ORS) / (w->n + 1);
	double done;
	int r = apsp_closure_rows_start(&w->rows, err);

	if (r >= 0)
		r = condense(w, err);
	each = each < 1 ? 1 : each > BLOCKS_PER_STEP ? BLOCKS_PER_STEP : each;
	for (cl_uint block = n_blocks; r >= 0 && block-- > 0;) {
		r = close_pivots(w, block, err);
		if (r >= 0)
			r = spread(w, block, err);
		if (r < 0 || block % each != 0)
			continue;
		/* the last block is done first, so `block` blocks remain; their
		   work is proportional to the square of this number */
		done = 1 - (double)block / n_blocks * block / n_blocks;
		r = apsp_closure_rows_wait(&w->rows, err);
		if (r >= 0)
			r = apsp_progress_step(progress, done, err);
	}
	return r < 0 ? r : apsp_closure_rows_share(&w->rows, err);
}

int apsp_closure_warshall_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(warshall_done) struct warshall w = {0};
	int r;

	apsp_progress_stage(progress, APSP_STAGE_UPLOAD);
	r = warshall_open(&w, task, err);
	apsp_progress_stage(progress, APSP_STAGE_CLOSURE);
	if (r >= 0)
		r = warshall_close(&w, progress, err);
	return r < 0 ? r : apsp_closure_rows_read(&w.rows, progress, out, err);
}
