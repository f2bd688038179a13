/*
 * Squaring, plain; see plain_squaring.h.
 */
#include "tests/bench/plain_squaring.h"

#include <string.h>

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/opencl.h"
#include "compute/device/panel_rows.h"
#include "compute/distance/distance_algorithm.h"
#include "tests/bench/timing.h"

enum {
	GROUP = 64, /* neighbouring columns, and the vectors of CPUs */
};

static const char source[] =
	"__kernel void square(__global const T *in, __global T *out, uint n,\n"
	" __global uint *changed) {\n"
	" uint j = get_global_id(0), i = get_global_id(1);\n"
	" if (j >= n) return;\n"
	" T best = in[(ulong)i * n + j];\n"
	" for (uint k = 0; k < n; k++) {\n"
	"  T sum = in[(ulong)i * n + k] + in[(ulong)k * n + j];\n"
	"  best = sum < best ? sum : best; }\n"
	" if (best < in[(ulong)i * n + j]) *changed = 1;\n"
	" out[(ulong)i * n + j] = best;\n"
	"}\n";

static cl_kernel kernel_build(
	const struct apsp_device *device, enum apsp_element element)
{
	const char *const options = element == APSP_ELEMENT_U16 ? "-DT=ushort"
				    : element == APSP_ELEMENT_I32
					    ? "-DT=int"
					    : "-DT=double";
	const char *text = source;
	struct apsp_err err;
	cl_program program;
	cl_kernel kernel;
	cl_int status;

	program = clCreateProgramWithSource(
		device->context, 1, &text, NULL, &status);
	if (apsp_opencl_check(status, "make a plain squaring", &err) < 0 ||
		apsp_opencl_check(clBuildProgram(program, 1, &device->id,
					  options, NULL, NULL),
			"compile a plain squaring", &err) < 0)
		bench_die(&err);
	kernel = clCreateKernel(program, "square", &status);
	if (apsp_opencl_check(status, "make a plain squaring", &err) < 0)
		bench_die(&err);
	clReleaseProgram(program);
	return kernel;
}

static uint32_t n_of(const struct bench_squaring *s)
{
	return s->graph->prepared.lengths.n_vertices;
}

static size_t size_of(const struct bench_squaring *s)
{
	return (size_t)n_of(s) * n_of(s) * apsp_element_size(s->element);
}

/* Make the matrix of arcs by rows, out of panels. */
static void start_load(struct bench_squaring *s)
{
	const struct apsp_prepared_graph *p = &s->graph->prepared;
	const struct apsp_panels_extent all = {
		0, n_of(s), s->device->tuning->pivot_tiles};
	struct apsp_device_arcs arcs;
	struct apsp_panels panels;
	struct apsp_err err;

	if (apsp_device_arcs_load(s->device, &p->lengths, &p->integers,
		    &p->order, s->element, &arcs, &err) < 0 ||
		apsp_panels_open(s->device, &p->order, s->element, &all,
			&panels, &err) < 0 ||
		apsp_panels_load(&panels, &arcs, false, &err) < 0 ||
		apsp_panel_rows_read(&panels, 0, n_of(s), s->start, &err) < 0)
		bench_die(&err);
	clFinish(s->device->queue);
	apsp_panels_done(&panels);
	apsp_device_arcs_done(&arcs);
}

void bench_squaring_open(const struct apsp_device *device,
	const struct bench_graph *graph, enum apsp_element element,
	struct bench_squaring *out)
{
	struct apsp_err err;

	*out = (struct bench_squaring){
		.device = device, .graph = graph, .element = element};
	out->kernel = kernel_build(device, element);
	if (apsp_device_buffer_make(
		    device, size_of(out), NULL, &out->start, &err) < 0 ||
		apsp_device_buffer_make(device, size_of(out), NULL,
			&out->matrices[0], &err) < 0 ||
		apsp_device_buffer_make(device, size_of(out), NULL,
			&out->matrices[1], &err) < 0 ||
		apsp_device_buffer_make(
			device, sizeof(cl_uint), NULL, &out->changed, &err) < 0)
		bench_die(&err);
	start_load(out);
}

void bench_squaring_close(struct bench_squaring *s)
{
	apsp_kernel_done(&s->kernel);
	apsp_device_buffer_done(&s->start);
	apsp_device_buffer_done(&s->matrices[0]);
	apsp_device_buffer_done(&s->matrices[1]);
	apsp_device_buffer_done(&s->changed);
}

static bool square(const struct bench_squaring *s, cl_mem in, cl_mem out)
{
	const cl_uint no = 0;
	cl_uint n = n_of(s), changed = 0;
	const struct apsp_kernel_arg args[] = {
		APSP_ARG(in), APSP_ARG(out), APSP_ARG(n), APSP_ARG(s->changed)};
	struct apsp_err err;

	if (apsp_opencl_check(
		    clEnqueueFillBuffer(s->device->queue, s->changed, &no,
			    sizeof(no), 0, sizeof(no), 0, NULL, NULL),
		    "clear a mark", &err) < 0 ||
		apsp_kernel_launch(s->device, s->kernel, args, 4,
			(struct apsp_kernel_items){n, n, GROUP, 1}, &err) < 0 ||
		apsp_opencl_check(
			clEnqueueReadBuffer(s->device->queue, s->changed,
				CL_TRUE, 0, sizeof(changed), &changed, 0, NULL,
				NULL),
			"read a mark", &err) < 0)
		bench_die(&err);
	return changed;
}

static void row_check(const struct bench_squaring *s, cl_mem matrix)
{
	size_t size = n_of(s) * apsp_element_size(s->element);
	uint32_t v = n_of(s) / 2;
	void *row = malloc(size);
	struct apsp_err err;

	if (apsp_opencl_check(
		    clEnqueueReadBuffer(s->device->queue, matrix, CL_TRUE,
			    v * size, size, row, 0, NULL, NULL),
		    "read a row", &err) < 0)
		bench_die(&err);
	bench_graph_check(s->graph, s->element, v, row);
	free(row);
}

double bench_squaring_run(const struct bench_squaring *s, bool check)
{
	double start, seconds;
	int now = 0;

	clEnqueueCopyBuffer(s->device->queue, s->start, s->matrices[0], 0, 0,
		size_of(s), 0, NULL, NULL);
	clFinish(s->device->queue);
	start = bench_now_s();
	/* the squarings that change cells, and a last one that changes none */
	for (uint64_t covered = 1; covered < n_of(s); covered *= 2) {
		bool changed =
			square(s, s->matrices[now], s->matrices[1 - now]);

		now = 1 - now;
		if (!changed)
			break;
	}
	seconds = bench_now_s() - start;
	if (check)
		row_check(s, s->matrices[now]);
	return seconds;
}
