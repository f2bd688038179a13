/*
 * Bit-packed Warshall on the device; see closure_warshall.h and
 * kernels/warshall.cl.
 */
#include "compute/closure_warshall.h"

#include "compute/program.h"
#include "daemon/base/auto.h"

enum {
	PIVOTS = 32, /* of warshall.cl */
	GPU_GROUP = 64,
};

struct warshall {
	const struct apsp_device *device;
	cl_uint n;
	cl_uint row_words; /* 32-bit words; two a word of struct apsp_bits */
	cl_mem bits;
	cl_mem pivots;
	cl_mem names;
	cl_kernel close;
	cl_kernel column;
	cl_kernel spread;
};

static void warshall_done(struct warshall *w)
{
	apsp_device_buffer_done(&w->bits);
	apsp_device_buffer_done(&w->pivots);
	apsp_device_buffer_done(&w->names);
	apsp_device_kernel_done(&w->close);
	apsp_device_kernel_done(&w->column);
	apsp_device_kernel_done(&w->spread);
}

static int warshall_init(
	struct warshall *w, const struct apsp_bits *bits, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	size_t size = sizeof(cl_uint) * w->row_words * w->n;
	int r;

	if (size > w->device->memory_bytes ||
		size > w->device->info.largest_buffer_bytes)
		return apsp_fail(err, APSP_ELIMIT,
			"the closure of %u vertices needs %.3g GB in one "
			"buffer of the device, which allows %.3g GB",
			w->n, (double)size / 1e9,
			(double)w->device->info.largest_buffer_bytes / 1e9);
	r = apsp_program_build(
		w->device, "warshall", APSP_ELEMENT_I32, "", &program, err);
	if (r < 0)
		return r;
	r = apsp_kernel_make(program, "pivot_rows", &w->close, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "column", &w->column, err);
	if (r >= 0)
		r = apsp_kernel_make(program, "spread", &w->spread, err);
	if (r >= 0)
		r = apsp_device_buffer(
			w->device, size, bits->words, &w->bits, err);
	if (r >= 0)
		r = apsp_device_buffer(w->device,
			sizeof(cl_uint) * PIVOTS * w->row_words, NULL,
			&w->pivots, err);
	if (r >= 0)
		r = apsp_device_buffer(w->device, sizeof(cl_uint) * w->n, NULL,
			&w->names, err);
	return r;
}

static int warshall_block(
	const struct warshall *w, cl_uint block, struct apsp_err *err)
{
	size_t group = w->device->tuning->gpu ? GPU_GROUP : 1;
	const struct apsp_kernel_arg close_args[] = {APSP_ARG(w->bits),
		APSP_ARG(w->n), APSP_ARG(w->row_words), APSP_ARG(block),
		APSP_ARG(w->pivots)};
	const struct apsp_kernel_arg column_args[] = {APSP_ARG(w->bits),
		APSP_ARG(w->n), APSP_ARG(w->row_words), APSP_ARG(block),
		APSP_ARG(w->names)};
	const struct apsp_kernel_arg spread_args[] = {APSP_ARG(w->bits),
		APSP_ARG(w->n), APSP_ARG(w->row_words), APSP_ARG(block),
		APSP_ARG(w->pivots), APSP_ARG(w->names)};
	int r = apsp_kernel_args(w->close, close_args, 5, err);

	if (r >= 0)
		r = apsp_kernel_launch(
			w->device, w->close, w->row_words, 1, group, 1, err);
	if (r >= 0)
		r = apsp_kernel_args(w->column, column_args, 5, err);
	if (r >= 0)
		r = apsp_kernel_launch(
			w->device, w->column, w->n, 1, group, 1, err);
	if (r >= 0)
		r = apsp_kernel_args(w->spread, spread_args, 6, err);
	if (r >= 0)
		r = apsp_kernel_launch(w->device, w->spread, w->row_words, w->n,
			group, 1, err);
	return r;
}

static int warshall_blocks(const struct warshall *w,
	struct apsp_monitor *monitor, struct apsp_err *err)
{
	cl_uint n_blocks = (w->n + PIVOTS - 1) / PIVOTS;
	int r = 0;

	for (cl_uint block = 0; r >= 0 && block < n_blocks; block++) {
		r = warshall_block(w, block, err);
		if (r < 0 || block % 8 != 0)
			continue;
		r = apsp_device_check(clFinish(w->device->queue),
			"run closure-warshall", err);
		if (r >= 0)
			r = apsp_monitor_step(
				monitor, (double)block / n_blocks, err);
	}
	return r;
}

int apsp_closure_warshall_run(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_monitor *monitor,
	struct apsp_bits *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits bits = {0};
	APSP_AUTO(warshall_done)
	struct warshall w = {.device = device, .n = lengths->n_vertices};
	int r;

	r = apsp_bits_init(&bits, w.n, w.n, err);
	if (r < 0)
		return r;
	w.row_words = (cl_uint)(2 * bits.row_words);
	for (uint32_t u = 0; u < w.n; u++) {
		apsp_bits_set(&bits, u, u);
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++)
			apsp_bits_set(&bits, u, lengths->heads[e]);
	}
	r = warshall_init(&w, &bits, err);
	if (r >= 0)
		r = warshall_blocks(&w, monitor, err);
	if (r >= 0)
		r = apsp_device_check(
			clEnqueueReadBuffer(device->queue, w.bits, CL_TRUE, 0,
				sizeof(cl_uint) * w.row_words * w.n, bits.words,
				0, NULL, NULL),
			"read the closure", err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(bits);
	return 0;
}
