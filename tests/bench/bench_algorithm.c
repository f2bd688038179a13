/*
 * Relaxations a second of an algorithm on a device, next to the device's own
 * ceiling for one add and one min, measured in the same run.
 *
 *	bench_algorithm [DEVICE [ALGORITHM [GRAPH [ELEMENT [RUNS [PIVOT]]]]]]
 *
 * GRAPH is a word of bench_graph.h. ELEMENT is u16, i32, f64 or auto: what the
 * solver would try first. PIVOT is the pivot block in tiles, in place of the
 * tuning table's. Times are medians of RUNS runs, upload apart; a run before
 * them is checked: some rows against Dijkstra's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compute/algorithm.h"
#include "compute/device.h"
#include "compute/program.h"
#include "tests/bench/bench_graph.h"

enum {
	RUNS_MAX = 101,
	ROWS_CHECKED = 3,
};

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const struct apsp_err *err)
{
	fprintf(stderr, "bench: %s\n", err->message);
	exit(1);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times, int n)
{
	qsort(times, (size_t)n, sizeof(*times), compare);
	return times[n / 2];
}

/*
 * The ceiling: chains of add and min in registers, as wide as the device's
 * relax kernel has them, with nothing else in the loop.
 */
static const char ceiling_vector[] =
	"typedef T L __attribute__((ext_vector_type(W)));\n"
	"__kernel void ceiling(__global T *x, uint steps) {\n"
	" L acc[16], b[4], a[4];\n"
	" for (int i = 0; i < 16; i++) acc[i] = x[i];\n"
	" for (int i = 0; i < 4; i++) { b[i] = x[16 + i]; a[i] = x[20 + i]; }\n"
	" for (uint s = 0; s < steps; s++)\n"
	"#pragma unroll\n"
	"  for (int i = 0; i < 16; i++) {\n"
	"   L t = acc[i] + b[i & 3];\n"
	"   acc[i] = a[i >> 2] < t ? a[i >> 2] : t; }\n"
	" L all = acc[0];\n"
	" for (int i = 1; i < 16; i++) all += acc[i];\n"
	" for (int i = 0; i < W; i++) x[32 + get_global_id(0) * W + i] = "
	"all[i];\n"
	"}\n";

static const char ceiling_ptx[] =
	"#if PAIRS\n#define OP \"u16x2\"\n#else\n#define OP \"s32\"\n#endif\n"
	"__kernel void ceiling(__global uint *x, uint steps) {\n"
	" uint acc[32], b[4];\n"
	" for (int i = 0; i < 32; i++) acc[i] = x[i] + get_global_id(0);\n"
	" for (int i = 0; i < 4; i++) b[i] = x[32 + i];\n"
	" for (uint s = 0; s < steps; s++) {\n"
	"#pragma unroll\n"
	"  for (int i = 0; i < 32; i++)\n"
	"   asm volatile(\"{ .reg .b32 t; add.\" OP \" t, %0, %1; min.\" OP\n"
	"    \" %0, t, %2; }\" : \"+r\"(acc[i]) : \"r\"(b[i & 3]),\n"
	"    \"r\"(b[(i + 1) & 3])); }\n"
	" uint all = 0;\n"
	" for (int i = 0; i < 32; i++) all += acc[i];\n"
	" x[64 + get_global_id(0)] = all;\n"
	"}\n";

struct ceiling {
	const char *source;
	char options[128];
	size_t items, group;
	double per_step; /* relaxations of an item in one step */
};

static struct ceiling ceiling_plan(
	const struct apsp_device *device, enum apsp_element element)
{
	static const char *const types[] = {"ushort", "int", "double"};
	size_t size = apsp_element_size(element);
	int kind = size == 2 ? 0 : size == 4 ? 1 : 2;
	struct ceiling c = {.items = device->info.compute_units, .group = 1};

	if (device->ptx && size < 8) {
		c.source = ceiling_ptx;
		c.items = (size_t)device->info.compute_units * 2048;
		c.group = 256;
		c.per_step = size == 2 ? 64 : 32;
		snprintf(c.options, sizeof(c.options), "-DPAIRS=%d", size == 2);
		return c;
	}
	c.source = ceiling_vector;
	c.per_step = 16.0 * (64 / (double)size);
	if (device->tuning->gpu) {
		c.items = (size_t)device->info.compute_units * 2048;
		c.group = 256;
		c.per_step = 16;
	}
	snprintf(c.options, sizeof(c.options), "-DT=%s -DW=%d", types[kind],
		(int)(c.per_step / 16));
	return c;
}

static double ceiling_run(
	const struct apsp_device *device, enum apsp_element element, int runs)
{
	struct ceiling c = ceiling_plan(device, element);
	cl_uint steps = device->tuning->gpu ? 20000 : 4000000;
	double times[RUNS_MAX];
	struct apsp_err err;
	cl_program program;
	cl_kernel kernel;
	cl_mem x;
	cl_int status;

	program = clCreateProgramWithSource(
		device->context, 1, &c.source, NULL, &status);
	status = clBuildProgram(program, 1, &device->id, c.options, NULL, NULL);
	if (status != CL_SUCCESS) {
		char log[4096] = "";

		clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG,
			sizeof(log), log, NULL);
		fprintf(stderr, "ceiling: %s\n", log);
		exit(1);
	}
	kernel = clCreateKernel(program, "ceiling", &status);
	if (apsp_device_buffer(
		    device, (c.items * 32 + 64) * 8, NULL, &x, &err) < 0)
		die(&err);
	for (int i = -1; i < runs; i++) {
		const struct apsp_kernel_arg args[] = {
			APSP_ARG(x), APSP_ARG(steps)};
		double start = now_s();

		if (apsp_kernel_args(kernel, args, 2, &err) < 0 ||
			apsp_kernel_launch(device, kernel, c.items, 1, c.group,
				1, &err) < 0)
			die(&err);
		clFinish(device->queue);
		if (i >= 0)
			times[i] = now_s() - start;
	}
	clReleaseMemObject(x);
	clReleaseKernel(kernel);
	clReleaseProgram(program);
	return (double)c.items * c.per_step * steps / median(times, runs);
}

/* Some rows of V against Dijkstra's. */
static void rows_check(
	const struct bench_graph *graph, const struct apsp_panels *panels)
{
	uint32_t n = panels->n_vertices;
	size_t size = (size_t)n * apsp_element_size(panels->element);
	void *row = malloc(size);
	struct apsp_err err;
	cl_mem out;

	if (apsp_device_buffer(panels->device, size, NULL, &out, &err) < 0)
		die(&err);
	for (uint32_t i = 0; i < ROWS_CHECKED; i++) {
		uint32_t v = (uint32_t)((uint64_t)n * i / ROWS_CHECKED);

		if (apsp_panels_rows(panels, v, 1, out, &err) < 0 ||
			apsp_device_check(
				clEnqueueReadBuffer(panels->device->queue, out,
					CL_TRUE, 0, size, row, 0, NULL, NULL),
				"read a row", &err) < 0)
			die(&err);
		bench_graph_check(graph, panels->element, v, row);
	}
	apsp_device_buffer_done(&out);
	free(row);
}

static double algorithm_run(const struct apsp_device *device,
	const struct apsp_algorithm *algorithm, const struct bench_graph *graph,
	enum apsp_element element, int runs)
{
	const struct apsp_problem *p = &graph->problem;
	struct apsp_device_arcs arcs;
	struct apsp_monitor silent;
	struct apsp_panels panels;
	double times[RUNS_MAX];
	struct apsp_err err;
	const struct apsp_task task = {
		&p->lengths, &p->integers, &p->order, &arcs};

	apsp_monitor_init(&silent, NULL, NULL);
	if (apsp_device_arcs_load(device, &p->lengths, &p->integers, &p->order,
		    element, &arcs, &err) < 0)
		die(&err);
	for (int i = -1; i < runs; i++) {
		double start;

		if (apsp_algorithm_panels(algorithm, device, &task, element,
			    &panels, &err) < 0)
			die(&err);
		clFinish(device->queue);
		start = now_s();
		if (algorithm->run(&task, &panels, &silent, &err) < 0)
			die(&err);
		if (i >= 0)
			times[i] = now_s() - start;
		else
			rows_check(graph, &panels);
		apsp_panels_done(&panels);
	}
	apsp_device_arcs_done(&arcs);
	return median(times, runs);
}

static enum apsp_element element_of(const char *name)
{
	return strcmp(name, "u16") == 0	  ? APSP_ELEMENT_U16
	       : strcmp(name, "i32") == 0 ? APSP_ELEMENT_I32
	       : strcmp(name, "f64") == 0 ? APSP_ELEMENT_F64
					  : APSP_ELEMENT_NONE;
}

int main(int argc, char **argv)
{
	const struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "auto",
		.kernel_dir = "/tmp/apsp-bench-kernels",
	};
	const char *name = argc > 2 ? argv[2] : "blocked-fw";
	const char *word = argc > 3 ? argv[3] : "2048";
	enum apsp_element element = element_of(argc > 4 ? argv[4] : "auto");
	int runs = argc > 5 ? atoi(argv[5]) : 5;
	const struct apsp_algorithm *algorithm = apsp_algorithm_find(name);
	struct bench_graph graph;
	struct apsp_device device;
	struct apsp_tuning tuning;
	struct apsp_err err;
	double ceiling, seconds, rate, n;

	if (!algorithm || algorithm->start == APSP_START_HOST || runs < 1 ||
		runs > RUNS_MAX)
		return 2;
	if (apsp_device_open(&options, &device, &err) < 0)
		die(&err);
	tuning = *device.tuning;
	device.tuning = &tuning;
	if (argc > 6)
		tuning.pivot_tiles = (uint32_t)atoi(argv[6]);
	bench_graph_make(word, &element, &graph);
	ceiling = ceiling_run(&device, element, runs);
	seconds = algorithm_run(&device, algorithm, &graph, element, runs);
	n = graph.problem.lengths.n_vertices;
	rate = n * n * n / seconds;
	printf("%s %s %s n=%.0f m=%llu %s pivot %u: %.4f s, "
	       "%.1f G relaxations/s, ceiling %.1f G, share %.3f\n",
		device.info.name, name, word, n,
		(unsigned long long)graph.problem.lengths.n_arcs,
		apsp_element_name(element), tuning.pivot_tiles, seconds,
		rate / 1e9, ceiling / 1e9, rate / ceiling);
	bench_graph_done(&graph);
	apsp_device_close(&device);
	return 0;
}
