/*
 * Closures, plain; see plain_closure.h.
 */
#include "tests/bench/plain_closure.h"

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/opencl.h"
#include "tests/bench/timing.h"

enum {
	GROUP = 64, /* neighbouring columns */
};

static const char source[] =
	"__kernel void square(__global const uchar *in, __global uchar *out,\n"
	" uint n, __global uint *changed) {\n"
	" uint j = get_global_id(0), i = get_global_id(1);\n"
	" if (j >= n) return;\n"
	" uchar any = in[(ulong)i * n + j];\n"
	" for (uint k = 0; k < n; k++)\n"
	"  any |= in[(ulong)i * n + k] & in[(ulong)k * n + j];\n"
	" if (any != in[(ulong)i * n + j]) *changed = 1;\n"
	" out[(ulong)i * n + j] = any;\n"
	"}\n"
	"__kernel void pivot(__global uchar *m, uint n, uint k) {\n"
	" uint j = get_global_id(0), i = get_global_id(1);\n"
	" if (j < n && m[(ulong)i * n + k] && m[(ulong)k * n + j])\n"
	"  m[(ulong)i * n + j] = 1;\n"
	"}\n";

static void kernel_build(struct bench_closure *c)
{
	const char *text = source;
	struct apsp_err err;
	cl_program program;
	cl_int status;

	program = clCreateProgramWithSource(
		c->device->context, 1, &text, NULL, &status);
	if (apsp_opencl_check(status, "make a plain closure", &err) < 0 ||
		apsp_opencl_check(clBuildProgram(program, 1, &c->device->id, "",
					  NULL, NULL),
			"compile a plain closure", &err) < 0)
		bench_die(&err);
	c->kernel = clCreateKernel(program,
		c->method == BENCH_CLOSURE_SQUARING ? "square" : "pivot",
		&status);
	if (apsp_opencl_check(status, "make a plain closure", &err) < 0)
		bench_die(&err);
	clReleaseProgram(program);
}

static void buffers_make(struct bench_closure *c,
	const struct apsp_lengths *lengths, unsigned char *bytes)
{
	size_t n = c->n_vertices;
	struct apsp_err err;

	for (size_t v = 0; v < n; v++) {
		bytes[v * n + v] = 1;
		for (uint64_t e = lengths->offsets[v];
			e < lengths->offsets[v + 1]; e++)
			bytes[v * n + lengths->heads[e]] = 1;
	}
	if (apsp_device_buffer_make(c->device, n * n, bytes, &c->start, &err) <
			0 ||
		apsp_device_buffer_make(
			c->device, n * n, NULL, &c->matrices[0], &err) < 0 ||
		apsp_device_buffer_make(
			c->device, n * n, NULL, &c->matrices[1], &err) < 0 ||
		apsp_device_buffer_make(c->device, sizeof(cl_uint), NULL,
			&c->changed, &err) < 0)
		bench_die(&err);
}

void bench_closure_open(const struct apsp_device *device,
	enum bench_closure_method method, const struct bench_graph *graph,
	struct bench_closure *out)
{
	const struct apsp_lengths *lengths = &graph->prepared.lengths;
	size_t n = lengths->n_vertices;
	unsigned char *bytes = calloc(n, n);

	if (!bytes)
		exit(1);
	*out = (struct bench_closure){.device = device,
		.method = method,
		.n_vertices = lengths->n_vertices};
	kernel_build(out);
	buffers_make(out, lengths, bytes);
	free(bytes);
}

void bench_closure_close(struct bench_closure *c)
{
	apsp_kernel_done(&c->kernel);
	apsp_device_buffer_done(&c->start);
	apsp_device_buffer_done(&c->matrices[0]);
	apsp_device_buffer_done(&c->matrices[1]);
	apsp_device_buffer_done(&c->changed);
}

static void launch(const struct bench_closure *c,
	const struct apsp_kernel_arg *args, size_t n_args)
{
	struct apsp_err err;

	if (apsp_kernel_launch(c->device, c->kernel, args, n_args,
		    (struct apsp_kernel_items){
			    c->n_vertices, c->n_vertices, GROUP, 1},
		    &err) < 0)
		bench_die(&err);
}

static bool square(const struct bench_closure *c, cl_mem in, cl_mem out)
{
	const cl_uint no = 0;
	cl_uint changed = 0;
	const struct apsp_kernel_arg args[] = {APSP_ARG(in), APSP_ARG(out),
		APSP_ARG(c->n_vertices), APSP_ARG(c->changed)};
	struct apsp_err err;

	if (apsp_opencl_check(
		    clEnqueueFillBuffer(c->device->queue, c->changed, &no,
			    sizeof(no), 0, sizeof(no), 0, NULL, NULL),
		    "clear a mark", &err) < 0)
		bench_die(&err);
	launch(c, args, 4);
	if (apsp_opencl_check(
		    clEnqueueReadBuffer(c->device->queue, c->changed, CL_TRUE,
			    0, sizeof(changed), &changed, 0, NULL, NULL),
		    "read a mark", &err) < 0)
		bench_die(&err);
	return changed;
}

/* Returns the index of the matrix that holds the closure. */
static int squarings(const struct bench_closure *c)
{
	int now = 0;

	/* the squarings that change bits, and a last one that changes none */
	for (uint64_t covered = 1; covered < c->n_vertices; covered *= 2) {
		bool changed =
			square(c, c->matrices[now], c->matrices[1 - now]);

		now = 1 - now;
		if (!changed)
			break;
	}
	return now;
}

static int pivots(const struct bench_closure *c)
{
	for (cl_uint k = 0; k < c->n_vertices; k++) {
		const struct apsp_kernel_arg args[] = {APSP_ARG(c->matrices[0]),
			APSP_ARG(c->n_vertices), APSP_ARG(k)};

		launch(c, args, 3);
	}
	return 0;
}

static void compare(const struct bench_closure *c, cl_mem matrix,
	const struct apsp_bits *expected)
{
	size_t n = c->n_vertices;
	unsigned char *bytes = malloc(n * n);
	struct apsp_err err;

	if (!bytes)
		exit(1);
	if (apsp_opencl_check(clEnqueueReadBuffer(c->device->queue, matrix,
				      CL_TRUE, 0, n * n, bytes, 0, NULL, NULL),
		    "read a plain closure", &err) < 0)
		bench_die(&err);
	for (size_t at = 0; at < n * n; at++)
		if (bytes[at] != apsp_bits_get(expected, at / n, at % n)) {
			fprintf(stderr, "bench: plain closure: cell %zu\n", at);
			exit(1);
		}
	free(bytes);
}

double bench_closure_run(
	const struct bench_closure *c, const struct apsp_bits *expected)
{
	size_t size = (size_t)c->n_vertices * c->n_vertices;
	double start, seconds;
	int now;

	clEnqueueCopyBuffer(c->device->queue, c->start, c->matrices[0], 0, 0,
		size, 0, NULL, NULL);
	clFinish(c->device->queue);
	start = bench_now_s();
	now = c->method == BENCH_CLOSURE_SQUARING ? squarings(c) : pivots(c);
	clFinish(c->device->queue);
	seconds = bench_now_s() - start;
	if (expected)
		compare(c, c->matrices[now], expected);
	return seconds;
}
