/*
 * `closure-order`: computes one row of bits for each component, in reverse
 * topological order. The row of a component is the OR of its successors' rows.
 * All vertices of the component have this row. With n vertices and m arcs,
 * there are at most m·n / 64 operations on words. Method: Purdom 1970.
 *
 * The algorithm runs on the device under two conditions: the device's memory
 * can hold the rows, and n and m are so large that the device is faster
 * (tuning->bits.host_words). Otherwise the algorithm runs on the host. The host
 * skips a successor if the component's row already has the bit of this
 * successor. The device (kernels/closure_order.cl) ORs the rows of all
 * successors, level by level. It tests no bits, because on a device the tests
 * take more time than they save.
 */
#include <string.h>

#include "compute/closure/closure_algorithm.h"
#include "compute/closure/condensation.h"
#include "compute/closure/closure_rows.h"
#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

/* How often two loops check whether the job is to stop. */
enum {
	/* the loop on the host checks after this number of rows whether the job
	   is to stop */
	ROWS_TOGETHER = 256,
	/* the loop over the device's steps checks after at most this number of
	   steps whether the job is to stop */
	STEPS_TOGETHER = 64,
};

/* The data of the loops on the host: the components, their order, and the rows
   of bits that these loops compute. */
struct host {
	const struct apsp_components *components;
	const struct apsp_condensation *condensed;
	struct apsp_bits *bits;
};

static void or_row(uint64_t *restrict row, const uint64_t *restrict other,
	uint64_t n_words)
{
	for (uint64_t i = 0; i < n_words; i++)
		row[i] |= other[i];
}

static void close_row(struct host *host, uint32_t k)
{
	const struct apsp_components *components = host->components;
	const struct apsp_condensation *condensed = host->condensed;
	uint32_t c = condensed->n - 1 - k;
	uint32_t row = condensed->rows[k];

	for (uint32_t m = components->offsets[c];
		m < components->offsets[c + 1]; m++)
		apsp_bits_set(host->bits, row, components->order[m]);
	for (uint64_t s = condensed->offsets[k]; s < condensed->offsets[k + 1];
		s++) {
		uint32_t other = condensed->successors[s];

		if (!apsp_bits_get(host->bits, row, other))
			or_row(apsp_bits_row(host->bits, row),
				apsp_bits_row(host->bits, other),
				host->bits->row_words);
	}
}

/* Copy the row of the component of vertex v to the row of v. */
static void share_row(void *ctx, unsigned int thread, size_t v)
{
	struct host *host = ctx;
	const struct apsp_components *components = host->components;
	uint32_t first = apsp_components_least(components, (uint32_t)v);

	(void)thread;
	if (v != first)
		memcpy(apsp_bits_row(host->bits, v),
			apsp_bits_row(host->bits, first),
			host->bits->row_words * sizeof(*host->bits->words));
}

static int close_on_host(const struct apsp_closure_task *task,
	const struct apsp_condensation *condensed,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits bits = {0};
	struct host host = {task->components, condensed, &bits};
	uint32_t n = task->lengths->n_vertices;
	int r = apsp_bits_init(&bits, n, n, err);

	for (uint32_t k = 0; r >= 0 && k < condensed->n; k++) {
		close_row(&host, k);
		if (k % ROWS_TOGETHER == 0)
			r = apsp_progress_step(
				progress, (double)k / condensed->n, err);
	}
	if (r < 0)
		return r;
	if (condensed->n < n)
		apsp_parallel_for(
			n, apsp_parallel_processors(), share_row, &host);
	*out = APSP_TAKE(bits);
	return 0;
}

/* The device's data: the rows of bits, and copies of the lists in struct
   apsp_condensation (the graph of the components). */
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
	const struct apsp_condensation *condensed, struct apsp_err *err)
{
	const struct apsp_device *device = task->device;
	size_t n = condensed->n;
	const struct apsp_closure_size size = {
		task->lengths->n_vertices, condensed->offsets[n], n};
	const struct apsp_closure_bytes bytes =
		apsp_closure_costs[APSP_CLOSURE_ORDER].bytes(
			&size, &device->tuning->bits);
	int r = apsp_closure_rows_open(device, task->lengths, task->components,
		false, &bytes, &o->rows, err);

	if (r >= 0)
		r = apsp_kernel_cache_kernel(device, "closure_order",
			APSP_ELEMENT_I32, o->rows.options, "close_rows",
			&o->close, err);
	if (r >= 0)
		r = apsp_device_copy_make(device, n * sizeof(cl_uint),
			condensed->order, &o->order, err);
	if (r >= 0)
		r = apsp_device_copy_make(device, n * sizeof(cl_uint),
			condensed->rows, &o->row_of_rank, err);
	if (r >= 0)
		r = apsp_device_copy_make(device, (n + 1) * sizeof(cl_ulong),
			condensed->offsets, &o->offsets, err);
	if (r >= 0)
		r = apsp_device_copy_make(device,
			condensed->offsets[n] * sizeof(cl_uint),
			condensed->successors, &o->successors, err);
	return r;
}

static int order_close(const struct order *o,
	const struct apsp_condensation *condensed,
	struct apsp_progress *progress, struct apsp_err *err)
{
	/* A step combines rows by a bitwise OR. The loop waits for the device
	   when the steps that were enqueued since the last wait combine at
	   least this number of rows, and after every STEPS_TOGETHER steps. */
	uint64_t limit = apsp_closure_rows_per_launch(&o->rows, 1);
	uint64_t pending = 0;
	int r = apsp_closure_rows_start(&o->rows, err);

	for (uint32_t s = 0; r >= 0 && s < condensed->n_steps; s++) {
		const struct apsp_condensation_step *step =
			&condensed->steps[s];
		cl_uint first = step->first, end = first + step->n;
		cl_uint together = step->chain ? step->n : 1;
		const struct apsp_kernel_arg args[] = {APSP_ARG(o->rows.bits),
			APSP_ARG(o->rows.lines), APSP_ARG(o->order),
			APSP_ARG(o->row_of_rank), APSP_ARG(o->offsets),
			APSP_ARG(o->successors), APSP_ARG(first), APSP_ARG(end),
			APSP_ARG(together)};

		r = apsp_kernel_launch(o->rows.device, o->close, args, 9,
			apsp_closure_rows_items(&o->rows, step->n / together),
			err);
		pending += step->n_successors;
		if (r < 0 || (pending < limit && s % STEPS_TOGETHER != 0))
			continue;
		pending = 0;
		r = apsp_closure_rows_wait(&o->rows, err);
		if (r >= 0)
			r = apsp_progress_step(
				progress, (double)s / condensed->n_steps, err);
	}
	return r < 0 ? r : apsp_closure_rows_share(&o->rows, err);
}

int apsp_closure_order_device_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_condensation_done)
	struct apsp_condensation condensed = {0};
	APSP_AUTO(order_done) struct order o = {0};
	const struct apsp_tuning *tuning = task->device->tuning;
	/* The time to OR one row into another row, in units of the time of a
	   relaxation. The OR of 64 bits takes as long as two relaxations. */
	uint64_t row = (uint64_t)task->lengths->n_vertices / 32 + 1;
	const struct apsp_condensation_wanted wanted = {
		.narrow = tuning->bits.narrow,
		.most_successors = tuning->launch_relaxations / row,
	};
	int r;

	r = apsp_condensation_build(
		task->lengths, task->components, &wanted, &condensed, err);
	apsp_progress_stage(progress, APSP_STAGE_UPLOAD);
	if (r >= 0)
		r = order_open(&o, task, &condensed, err);
	apsp_progress_stage(progress, APSP_STAGE_CLOSURE);
	if (r >= 0)
		r = order_close(&o, &condensed, progress, err);
	return r < 0 ? r : apsp_closure_rows_read(&o.rows, progress, out, err);
}

bool apsp_closure_order_on_device(const struct apsp_closure_task *task)
{
	uint32_t n = task->lengths->n_vertices;
	uint64_t m = task->lengths->n_arcs;
	const struct apsp_closure_size size = {
		n, m, task->components->n_components};
	const struct apsp_bits_tuning *tuning;
	struct apsp_closure_bytes bytes;
	struct apsp_err ignored;

	if (!task->device)
		return false;
	tuning = &task->device->tuning->bits;
	bytes = apsp_closure_costs[APSP_CLOSURE_ORDER].bytes(&size, tuning);
	return (n + m) * (n / 64) > tuning->host_words &&
	       apsp_closure_rows_fit(task->device, n, &bytes, &ignored) == 0;
}

int apsp_closure_order_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_condensation_done)
	struct apsp_condensation condensed = {0};
	const struct apsp_condensation_wanted wanted = {
		.nearest_first = true, .most_successors = UINT64_MAX};
	int r;

	if (apsp_closure_order_on_device(task))
		return apsp_closure_order_device_run(task, progress, out, err);
	r = apsp_condensation_build(
		task->lengths, task->components, &wanted, &condensed, err);
	if (r < 0)
		return r;
	return close_on_host(task, &condensed, progress, out, err);
}
