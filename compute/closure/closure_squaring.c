/*
 * `closure-squaring`: the rows of all vertices form a boolean matrix. The
 * device squares this matrix until a squaring changes nothing
 * (kernels/closure_squaring.cl). The matrix and its square together take n² / 4
 * bytes. A squaring takes n³ / 64 operations on words. If the longest of all
 * shortest paths has h arcs, there are 1 + ⌈log2 h⌉ squarings. Method: Xiao et
 * al., transitive closure in OpenCL.
 */
#include "compute/closure/closure_algorithm.h"
#include "compute/closure/closure_rows.h"
#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/opencl.h"
#include "compute/device/round_bound.h"
#include "daemon/base/auto.h"

struct squaring {
	struct apsp_closure_rows rows; /* the matrix that is squared next */
	cl_mem squared;
	cl_mem changed;
	cl_kernel square;
};

static void squaring_done(struct squaring *s)
{
	apsp_closure_rows_done(&s->rows);
	apsp_device_buffer_done(&s->squared);
	apsp_device_buffer_done(&s->changed);
	apsp_kernel_done(&s->square);
}

static int squaring_open(struct squaring *s,
	const struct apsp_closure_task *task, struct apsp_err *err)
{
	const struct apsp_device *device = task->device;
	uint32_t n = task->lengths->n_vertices;
	const struct apsp_closure_size size = {
		.n_vertices = n, .n_arcs = task->lengths->n_arcs};
	const struct apsp_bits_tuning *tuning = &device->tuning->bits;
	const struct apsp_closure_bytes bytes =
		apsp_closure_costs[APSP_CLOSURE_SQUARING].bytes(&size, tuning);
	int r = apsp_closure_rows_open(
		device, task->lengths, NULL, true, &bytes, &s->rows, err);

	if (r >= 0)
		r = apsp_kernel_cache_kernel(device, "closure_squaring",
			APSP_ELEMENT_I32, s->rows.options, "square", &s->square,
			err);
	if (r >= 0)
		r = apsp_device_buffer_make(device,
			n * apsp_closure_row_bytes(n, tuning), NULL,
			&s->squared, err);
	if (r >= 0)
		r = apsp_device_buffer_make(
			device, sizeof(cl_uint), NULL, &s->changed, err);
	return r;
}

/* Square the matrix once, in several launches. `behind` is the number of
   squarings before this one. `most` is the largest number of squarings that any
   graph of this size needs. */
static int square(const struct squaring *s, uint32_t behind, uint32_t most,
	struct apsp_progress *progress, struct apsp_err *err)
{
	uint32_t together =
		apsp_closure_rows_per_launch(&s->rows, s->rows.n_vertices);
	uint32_t each = s->rows.device->tuning->bits.square_rows;
	cl_uint n = s->rows.n_vertices;
	int r = 0;

	for (cl_uint first = 0, end; r >= 0 && first < n; first = end) {
		const struct apsp_kernel_arg args[] = {APSP_ARG(s->rows.bits),
			APSP_ARG(s->squared), APSP_ARG(s->rows.lines),
			APSP_ARG(n), APSP_ARG(first), APSP_ARG(end),
			APSP_ARG(s->changed)};
		double share;

		end = first + (n - first < together ? n - first : together);
		share = (behind + (double)end / n) / most;
		r = apsp_kernel_launch(s->rows.device, s->square, args, 7,
			apsp_closure_rows_items(
				&s->rows, (end - first + each - 1) / each),
			err);
		if (r >= 0)
			r = apsp_closure_rows_wait(&s->rows, err);
		if (r >= 0)
			r = apsp_progress_step(progress, share, err);
	}
	return r;
}

/* Square the matrix until a squaring changes nothing. */
static int squaring_close(struct squaring *s, struct apsp_progress *progress,
	struct apsp_err *err)
{
	cl_command_queue queue = s->rows.device->queue;
	cl_uint changed = 1, zero = 0;
	/* The largest number of squarings that can be necessary: enough
	   squarings to find paths of n - 1 arcs, plus one squaring that changes
	   nothing. */
	uint32_t most = 1;
	const struct apsp_kernel_arg args[] = {APSP_ARG(s->rows.bits),
		APSP_ARG(s->rows.lines), APSP_ARG(s->rows.tails),
		APSP_ARG(s->rows.heads), APSP_ARG(s->rows.n_arcs)};
	const struct apsp_kernel_items items = {
		s->rows.n_arcs, 1, s->rows.device->tuning->row_group, 1};
	int r = apsp_closure_rows_start(&s->rows, err);

	/* set the bit of each arc's head in the row of the arc's tail */
	if (r >= 0)
		r = apsp_kernel_launch(
			s->rows.device, s->rows.arcs, args, 5, items, err);
	for (uint32_t arcs = 1; arcs < s->rows.n_vertices; arcs *= 2)
		most++;
	for (uint32_t i = 0; r >= 0 && changed; i++) {
		cl_mem squared = s->squared;

		r = apsp_opencl_check(
			clEnqueueWriteBuffer(queue, s->changed, CL_TRUE, 0,
				sizeof(zero), &zero, 0, NULL, NULL),
			"square the closure", err);
		if (r >= 0)
			r = square(s, i, most, progress, err);
		if (r >= 0)
			r = apsp_opencl_read(queue, s->changed, 0,
				sizeof(changed), &changed, "square the closure",
				err);
		if (r >= 0 && changed)
			r = apsp_round_bound_check(s->rows.device,
				"closure-squaring", i + 1, most - 1, err);
		s->squared = s->rows.bits;
		s->rows.bits = squared;
	}
	return r;
}

int apsp_closure_squaring_run(const struct apsp_closure_task *task,
	struct apsp_progress *progress, struct apsp_bits *out,
	struct apsp_err *err)
{
	APSP_AUTO(squaring_done) struct squaring s = {0};
	int r;

	apsp_progress_stage(progress, APSP_STAGE_UPLOAD);
	r = squaring_open(&s, task, err);
	apsp_progress_stage(progress, APSP_STAGE_CLOSURE);
	if (r >= 0)
		r = squaring_close(&s, progress, err);
	return r < 0 ? r : apsp_closure_rows_read(&s.rows, progress, out, err);
}
