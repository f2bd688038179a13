/*
 * `closure-order` on the device; see closure_order_device.h and
 * kernels/closure_order.cl.
 */
#include "compute/closure/closure_order_device.h"

#include "compute/closure/closure_levels.h"
#include "compute/closure/closure_rows.h"
#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "daemon/base/auto.h"

enum {
	/* Steps between two polls of stop. */
	STEPS_TOGETHER = 64,
};

struct order {
	struct apsp_closure_rows rows;
	cl_kernel close;
	cl_mem order;
	cl_mem row_of_rank;
	cl_mem offsets;
	cl_mem successors;
};

static void order_done(struct order *o)
{
	apsp_closure_rows_done(&o->rows);
	apsp_kernel_done(&o->close);
	apsp_device_buffer_done(&o->order);
	apsp_device_buffer_done(&o->row_of_rank);
	apsp_device_buffer_done(&o->offsets);
	apsp_device_buffer_done(&o->successors);
}

static int order_open(struct order *o, const struct apsp_closure_task *task,
	const struct apsp_closure_levels *levels, struct apsp_err *err)
{
	const struct apsp_device *device = task->device;
	size_t n = levels->n;
	char options[APSP_CLOSURE_OPTIONS];
	const struct apsp_closure_size size = {
		task->lengths->n_vertices, levels->offsets[n], n};
	const struct apsp_closure_bytes bytes =
		apsp_closure_order_bytes(&size, &device->tuning->bits);
	int r = apsp_closure_rows_open(device, task->lengths->n_vertices,
		task->components, &bytes, &o->rows, err);

	apsp_closure_rows_options(device, options);
	if (r >= 0)
		r = apsp_kernel_cache_kernel(device, "closure_order",
			APSP_ELEMENT_I32, options, "close_rows", &o->close,
			err);
	if (r >= 0)
		r = apsp_device_copy_make(device, n * sizeof(cl_uint),
			levels->order, &o->order, err);
	if (r >= 0)
		r = apsp_device_copy_make(device, n * sizeof(cl_uint),
			levels->rows, &o->row_of_rank, err);
	if (r >= 0)
		r = apsp_device_copy_make(device, (n + 1) * sizeof(cl_ulong),
			levels->offsets, &o->offsets, err);
	if (r >= 0)
		r = apsp_device_copy_make(device,
			levels->offsets[n] * sizeof(cl_uint),
			levels->successors, &o->successors, err);
	return r;
}

static int order_step(const struct order *o,
	const struct apsp_closure_step *step, struct apsp_err *err)
{
	cl_uint first = step->first, end = first + step->n;
	cl_uint together = step->chain ? step->n : 1;
	const struct apsp_kernel_arg args[] = {APSP_ARG(o->rows.bits),
		APSP_ARG(o->rows.lines), APSP_ARG(o->order),
		APSP_ARG(o->row_of_rank), APSP_ARG(o->offsets),
		APSP_ARG(o->successors), APSP_ARG(first), APSP_ARG(end),
		APSP_ARG(together)};
	int r = apsp_kernel_args(o->close, args, 9, err);

	if (r < 0)
		return r;
	return apsp_closure_rows_launch(
		&o->rows, o->close, step->n / together, err);
}

static int order_close(const struct order *o,
	const struct apsp_closure_levels *levels,
	struct apsp_progress *progress, struct apsp_err *err)
{
	/* successors enqueued between two polls of stop */
	uint64_t limit = apsp_closure_rows_per_launch(&o->rows, 1);
	uint64_t pending = 0;
	int r = apsp_closure_rows_start(&o->rows, err);

	for (uint32_t s = 0; r >= 0 && s < levels->n_steps; s++) {
		r = order_step(o, &levels->steps[s], err);
		pending += levels->steps[s].n_successors;
		if (r < 0 || (pending < limit && s % STEPS_TOGETHER != 0))
			continue;
		pending = 0;
		r = apsp_closure_rows_wait(&o->rows, err);
		if (r >= 0)
			r = apsp_progress_step(
				progress, (double)s / levels->n_steps, err);
	}
	return r < 0 ? r : apsp_closure_rows_share(&o->rows, err);
}

int apsp_closure_order_device_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_closure_levels_done)
	struct apsp_closure_levels levels = {0};
	APSP_AUTO(order_done) struct order o = {0};
	const struct apsp_tuning *tuning = task->device->tuning;
	/* relaxations' worth of a row: two for each 64-bit word */
	uint64_t row = (uint64_t)task->lengths->n_vertices / 32 + 1;
	const struct apsp_closure_wanted wanted = {
		.narrow = tuning->bits.narrow,
		.most_successors = tuning->launch_relaxations / row,
	};
	int r;

	apsp_progress_stage(progress, APSP_STAGE_UPLOAD);
	r = apsp_closure_levels_build(
		task->lengths, task->components, &wanted, &levels, err);
	if (r >= 0)
		r = order_open(&o, task, &levels, err);
	apsp_progress_stage(progress, APSP_STAGE_CLOSURE);
	if (r >= 0)
		r = order_close(&o, &levels, progress, err);
	return r < 0 ? r : apsp_closure_rows_read(&o.rows, progress, out, err);
}
