/* The ceiling of a device; see ceiling.h. */
#include "tests/bench/ceiling.h"

#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/opencl.h"
#include "tests/bench/timing.h"

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

struct plan {
	const char *source;
	char options[128];
};

/* Steps of an item: long enough to measure, short enough to repeat. */
enum {
	STEPS_GPU = 20000,
	STEPS_CPU = 1000000,
};

static struct plan plan_make(const struct apsp_device *device,
	enum apsp_element element, struct bench_ceiling *c)
{
	static const char *const types[] = {"ushort", "int", "double"};
	size_t size = apsp_element_size(element);
	int kind = size == 2 ? 0 : size == 4 ? 1 : 2;
	struct plan plan = {.source = ceiling_vector};

	/*
	 * a CPU that shares a core with other programs runs fewer of its groups
	 */
	c->items = (size_t)device->info.compute_units *
		   (device->tuning->gpu ? 2048 : 16);
	c->group = device->tuning->gpu ? 256 : 1;
	c->steps = device->tuning->gpu ? STEPS_GPU : STEPS_CPU;
	if (device->capability > 0 && size < 8 &&
		(size > 2 || device->capability >= 90)) {
		plan.source = ceiling_ptx;
		c->per_step = size == 2 ? 64 : 32;
		snprintf(plan.options, sizeof(plan.options), "-DPAIRS=%d",
			size == 2);
		return plan;
	}
	c->per_step = device->tuning->gpu ? 16 : 16.0 * (64 / (double)size);
	snprintf(plan.options, sizeof(plan.options), "-DT=%s -DW=%d",
		types[kind], (int)(c->per_step / 16));
	return plan;
}

void bench_ceiling_open(const struct apsp_device *device,
	enum apsp_element element, struct bench_ceiling *out)
{
	struct plan plan = plan_make(device, element, out);
	struct apsp_err err;
	cl_program program;
	cl_int status;

	out->device = device;
	program = clCreateProgramWithSource(
		device->context, 1, &plan.source, NULL, &status);
	status = clBuildProgram(
		program, 1, &device->id, plan.options, NULL, NULL);
	if (status != CL_SUCCESS) {
		char log[4096] = "";

		clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG,
			sizeof(log), log, NULL);
		fprintf(stderr, "ceiling: %s\n", log);
		exit(1);
	}
	out->kernel = clCreateKernel(program, "ceiling", &status);
	if (apsp_opencl_check(status, "make the kernel", &err) < 0 ||
		apsp_device_buffer_make(device, (out->items * 32 + 64) * 8,
			NULL, &out->buffer, &err) < 0)
		bench_die(&err);
	clReleaseProgram(program);
	bench_ceiling_run(out); /* the first is slower */
}

void bench_ceiling_close(struct bench_ceiling *ceiling)
{
	apsp_kernel_done(&ceiling->kernel);
	apsp_device_buffer_done(&ceiling->buffer);
}

double bench_ceiling_run(const struct bench_ceiling *c)
{
	const struct apsp_kernel_arg args[] = {
		APSP_ARG(c->buffer), APSP_ARG(c->steps)};
	double start = bench_now_s();
	struct apsp_err err;

	if (apsp_kernel_launch(c->device, c->kernel, args, 2,
		    (struct apsp_kernel_items){c->items, 1, c->group, 1},
		    &err) < 0)
		bench_die(&err);
	clFinish(c->device->queue);
	return (double)c->items * c->per_step * c->steps /
	       (bench_now_s() - start);
}
