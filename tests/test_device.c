/*
 * The OpenCL device at hand: it is found and picked, every kernel compiles
 * alone, and the self-test passes for each algorithm that runs there and each
 * element.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/device/device.h"
#include "compute/device/device_buffer.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/readback.h"
#include "compute/device/opencl.h"
#include "compute/device/pinned_pool.h"
#include "compute/distance/distance_algorithm.h"
#include "compute/solve/opening.h"
#include "compute/solve/self_test.h"
#include "daemon/base/auto.h"
#include "kernels/sources.h"
#include "tests/device_fixture.h"
#include "tests/tuning_rules.h"

static void test_list(void **state)
{
	const struct apsp_device_options options = {.device = "auto"};
	struct apsp_device_info found[8];
	struct apsp_err err;
	int n = apsp_device_list(options.device, found, 8, &err);
	int chosen = 0;

	(void)state;
	assert_true(n > 0);
	for (int i = 0; i < n && i < 8; i++) {
		assert_true(found[i].name[0] != '\0');
		assert_true(found[i].memory_bytes > 0);
		chosen += found[i].chosen;
	}
	assert_int_equal(chosen, 1);
}

/* Processes that open devices in turns open different devices, if there are
   several, and can tell whether two of them have opened the same one. */
static void test_turns(void **state)
{
	struct apsp_device_options options = {
		.device = "cpu", .kernel_dir = "/dev/null/kernels"};
	APSP_AUTO(apsp_device_close) struct apsp_device alone = {0};
	struct apsp_device_info found[8];
	struct apsp_err err;
	int n = apsp_device_list("cpu", found, 8, &err);
	unsigned int n_cpus = 0;

	(void)state;
	for (int i = 0; i < n && i < 8; i++)
		n_cpus += strcmp(found[i].type, "cpu") == 0;
	if (n_cpus == 0)
		return;
	assert_int_equal(apsp_device_open(&options, &alone, &err), 0);
	for (options.turn = 0; options.turn < 2 * n_cpus; options.turn++) {
		APSP_AUTO(apsp_device_close) struct apsp_device device = {0};

		assert_int_equal(apsp_device_open(&options, &device, &err), 0);
		assert_true(
			device.id == alone.id || options.turn % n_cpus != 0);
		assert_int_equal(
			device.id == alone.id, device.key == alone.key);
		apsp_device_divide(&device, 2, 1);
		if (device.id == alone.id)
			assert_int_equal(
				device.memory_bytes, alone.memory_bytes / 2);
	}
}

/* A CPU has no more compute units than the processors of the affinity mask. */
static void test_units(void **state)
{
	struct apsp_device_info found[8];
	cpu_set_t all, one;
	struct apsp_err err;
	int n, cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	n = apsp_device_list("auto", found, 8, &err);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	n = n > 0 ? apsp_device_list("auto", found, 8, &err) : n;
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_true(n > 0);
	for (int i = 0; i < n && i < 8; i++)
		if (strcmp(found[i].type, "cpu") == 0)
			assert_int_equal(found[i].compute_units, 1);
}

static void test_pick_nothing(void **state)
{
	const struct apsp_device_options options = {
		.device = "no such device", .kernel_dir = "/tmp"};
	struct apsp_device device;
	struct apsp_err err;

	(void)state;
	assert_int_equal(
		apsp_device_open(&options, &device, &err), APSP_EDEVICE);
	assert_non_null(strstr(err.message, "no such device"));
}

/* The device is divided only when the thread that opens it has ended, also if
   nobody has waited for it because the job failed before. */
static void test_divided_when_open(void **state)
{
	const struct apsp_solver_options options = {
		.device = "no such device", .cache_dir = "/tmp"};
	struct apsp_opening opening = {0};

	(void)state;
	apsp_opening_start(&opening, &options);
	apsp_opening_divide(&opening);
	assert_false(opening.running);
	apsp_opening_done(&opening);
}

/* The kernels of the other kind of device are compiled where they can be; path
   sums and statistics are doubles. */
static bool compiles_here(const struct apsp_device *device, const char *name)
{
	bool vector = strstr(name, "_cpu") != NULL;
	bool doubles = strcmp(name, "sums") == 0 || strcmp(name, "stats") == 0;

	return (!vector || !device->tuning->gpu) &&
	       (device->info.has_double || !doubles);
}

static void kernel_compiles(const struct apsp_device *device,
	const struct apsp_kernel_source *source, enum apsp_element element,
	const char *options)
{
	struct apsp_err err;

	if (apsp_kernel_cache_build(
		    device, source->name, element, options, NULL, 0, &err) < 0)
		fail_msg("%s: %s", source->name, err.message);
}

/*
 * With the options that a source sets itself, for one element: the self-tests
 * and test_algorithms.c compile with all others what runs with others. Nothing
 * runs with the predecessors of 65,536 vertices, so these are for each element.
 */
static void test_kernels_compile(void **state)
{
	struct device_fixture *fixture = *state;
	const struct apsp_device *device = &fixture->device;

	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++) {
		if (!compiles_here(device, s->name))
			continue;
		kernel_compiles(device, s, APSP_ELEMENT_I32, "");
		if (!strstr(s->text, "PREDECESSOR_BITS"))
			continue;
		for (size_t e = 0; e < device_elements_count(device); e++)
			kernel_compiles(device, s, device_element(e),
				"-DPREDECESSOR_BITS=32");
	}
}

static cl_device_info unreported; /* 0: the device reports everything */

CL_API_ENTRY cl_int CL_API_CALL __real_clGetDeviceInfo(cl_device_id id,
	cl_device_info what, size_t size, void *out, size_t *out_size);
CL_API_ENTRY cl_int CL_API_CALL __wrap_clGetDeviceInfo(cl_device_id id,
	cl_device_info what, size_t size, void *out, size_t *out_size);

CL_API_ENTRY cl_int CL_API_CALL __wrap_clGetDeviceInfo(cl_device_id id,
	cl_device_info what, size_t size, void *out, size_t *out_size)
{
	return what == unreported
		       ? CL_INVALID_VALUE
		       : __real_clGetDeviceInfo(id, what, size, out, out_size);
}

/* A limit that a device does not report is an error, not 0. */
static void test_limits(void **state)
{
	static const struct {
		cl_device_info what;
		const char *text;
	} limits[] = {
		{CL_DEVICE_MAX_WORK_GROUP_SIZE, "largest work-group"},
		{CL_DEVICE_LOCAL_MEM_SIZE, "local memory"},
	};
	const struct device_fixture *fixture = *state;
	const struct apsp_tuning_limits *found = &fixture->device.info.limits;
	const struct apsp_device_options options = {
		.device = fixture->device.info.name,
		.kernel_dir = fixture->dir};
	struct apsp_device device;
	struct apsp_err err;

	assert_true(found->group_items > 0 && found->local_bytes > 0);
	assert_true(tuning_fits(fixture->device.tuning, found));
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		unreported = limits[i].what;
		assert_int_equal(apsp_device_open(&options, &device, &err),
			APSP_EDEVICE);
		assert_non_null(strstr(err.message, limits[i].text));
	}
	unreported = 0;
}

/*
 * A buffer that no memory holds is APSP_ELIMIT, not the device's failure, which
 * would be tried again.
 */
static void test_memory_full(void **state)
{
	const struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	cl_mem buffer = NULL;
	struct apsp_err err;

	if (!device.host_memory)
		return;
	device.info.largest_buffer_bytes = UINT64_MAX;
	assert_int_equal(apsp_device_buffer_make(
				 &device, (size_t)1 << 60, NULL, &buffer, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "too little free memory"));
	assert_null(buffer);
}

/* The host writes a buffer through a mapping, or through the pinned buffer of
   an earlier job, which goes back to the pool. */
static void test_map(void **state)
{
	const struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	const size_t size = 5000;
	unsigned char found[5000];
	cl_mem pinned = NULL;
	struct apsp_err err;
	void *bytes;

	device.pinned = apsp_pinned_pool_new(device.queue, 1 << 20);
	assert_non_null(device.pinned);
	for (int i = 0; i < 2; i++) {
		APSP_AUTO(apsp_device_buffer_done) cl_mem buffer = NULL;
		APSP_AUTO(apsp_device_map_done)
		struct apsp_device_map map = {0};
		struct apsp_held_memory held;

		assert_int_equal(apsp_device_map_open(
					 &device, size, &buffer, &map, &err),
			0);
		assert_int_equal(map.pinned != NULL, i);
		for (size_t at = 0; at < size; at++)
			((unsigned char *)map.bytes)[at] =
				(unsigned char)(at * 7 + (size_t)i);
		assert_int_equal(apsp_device_map_close(&map, true, &err), 0);
		assert_int_equal(apsp_opencl_read(device.queue, buffer, 0, size,
					 found, "read", &err),
			0);
		for (size_t at = 0; at < size; at++)
			assert_int_equal(
				found[at], (unsigned char)(at * 7 + (size_t)i));
		apsp_pinned_pool_held(device.pinned, &held);
		assert_int_equal(held.n_buffers, i);
		if (i == 0) {
			assert_int_equal(apsp_device_pinned_make(&device, 6000,
						 &pinned, &bytes, &err),
				0);
			apsp_device_pinned_done(&device, &pinned, &bytes);
		}
	}
	apsp_pinned_pool_free(device.pinned);
}

/* A queue that has been waited for is empty, flushed before or not. */
static void test_finish(void **state)
{
	const struct device_fixture *fixture = *state;
	const struct apsp_device *device = &fixture->device;
	const size_t size = (size_t)64 << 20;
	const cl_uchar zero = 0;
	cl_mem buffer = NULL;
	cl_event filled = NULL;
	cl_int at = CL_QUEUED;
	struct apsp_err err;

	assert_int_equal(
		apsp_device_buffer_make(device, size, NULL, &buffer, &err), 0);
	assert_int_equal(clEnqueueFillBuffer(device->queue, buffer, &zero, 1, 0,
				 size, 0, NULL, &filled),
		CL_SUCCESS);
	clFlush(device->queue);
	assert_int_equal(apsp_opencl_finish(device->queue), CL_SUCCESS);
	assert_int_equal(
		clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS,
			sizeof(at), &at, NULL),
		CL_SUCCESS);
	clReleaseEvent(filled);
	apsp_device_buffer_done(&buffer);
	assert_int_equal(at, CL_COMPLETE);
}

/* The host gets what the device holds, in place or through a copy, and the
   device may go on with the buffer. */
static void test_readback(void **state)
{
	const struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;

	for (int i = 0; i < 2; i++) {
		APSP_AUTO(apsp_readback_done) struct apsp_readback back = {0};
		struct apsp_err err;

		if (i == 1) /* any buffer can be copied */
			device.host_memory = false;
		assert_int_equal(
			apsp_readback_make(&device, 4096, &back, &err), 0);
		for (cl_uint turn = 0; turn < 3; turn++) {
			const cl_uint pattern = 0x01020304 + turn;
			cl_event ready = NULL;

			assert_int_equal(clEnqueueFillBuffer(device.queue,
						 back.on_device, &pattern,
						 sizeof(pattern), 0, 4096, 0,
						 NULL, NULL),
				CL_SUCCESS);
			assert_int_equal(apsp_readback_fetch(&back, 2048,
						 CL_MAP_READ, &ready, &err),
				0);
			assert_int_equal(
				clWaitForEvents(1, &ready), CL_SUCCESS);
			clReleaseEvent(ready);
			for (size_t at = 0; at < 512; at++)
				assert_int_equal(
					((const cl_uint *)back.bytes)[at],
					pattern);
			assert_int_equal(
				apsp_readback_release(&back, 0, &err), 0);
			assert_true(
				(back.bytes != NULL) == !device.host_memory);
		}
	}
}

/* The kernel of blocked-fw takes no more than the row says. */
static void relax_check(
	const struct apsp_device *device, enum apsp_element element)
{
	const struct apsp_tuning *row = device->tuning;
	APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
	size_t group[3] = {0};
	cl_ulong local = 0;
	struct apsp_tuning_limits needs;
	char options[32] = "";
	struct apsp_err err;

	if (row->relax_chunk > 0)
		snprintf(options, sizeof(options), "-DCHUNK=%u",
			element == APSP_ELEMENT_F64 ? row->relax_chunk / 2
						    : row->relax_chunk);
	assert_int_equal(apsp_kernel_cache_kernel(device, row->relax, element,
				 options, "relax", &kernel, &err),
		0);
	clGetKernelWorkGroupInfo(kernel, device->id,
		CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(group), group, NULL);
	clGetKernelWorkGroupInfo(kernel, device->id, CL_KERNEL_LOCAL_MEM_SIZE,
		sizeof(local), &local, NULL);
	apsp_tuning_needs(row, &needs);
	assert_in_range(group[0] * group[1] * group[2], 1, needs.group_items);
	/* rusticl 22.3 counts twice what one part of the kernel shares */
	if (local > needs.local_bytes &&
		strcmp(device->info.platform, "rusticl") != 0)
		fail_msg("%s takes %llu bytes of local memory, not %llu",
			row->relax, (unsigned long long)local,
			(unsigned long long)needs.local_bytes);
}

static void test_relax_needs(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;

	for (size_t i = 0; i < apsp_tuning_count; i++) {
		device.tuning = &apsp_tuning_rows[i];
		if (!compiles_here(&fixture->device, device.tuning->relax) ||
			!tuning_fits(device.tuning, &device.info.limits))
			continue;
		for (size_t e = 0; e < device_elements_count(&device); e++)
			relax_check(&device, device_element(e));
	}
}

/* Nor do those of bf-dense that share local memory. */
static void test_bf_dense_needs(void **state)
{
	static const char *const kernels[] = {"reduce", "transposed"};
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);

	device.tuning = &tuning;
	tuning.bf_items = APSP_TILE;
	tuning.bf_sources = 8;
	tuning.bf_vertices = 4;
	for (size_t i = 0; i < 2; i++) {
		APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
		cl_ulong local = 0;
		struct apsp_tuning_limits needs;
		struct apsp_err err;

		assert_int_equal(
			apsp_kernel_cache_kernel(&device, "bf_dense",
				device_element(
					device_elements_count(&device) - 1),
				"-DITEMS=128 -DSOURCES=8 -DVERTICES=4",
				kernels[i], &kernel, &err),
			0);
		clGetKernelWorkGroupInfo(kernel, device.id,
			CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local), &local, NULL);
		apsp_tuning_needs(&tuning, &needs);
		assert_true(local <= needs.local_bytes); /* PoCL 5.0 tells 0 */
	}
}

static size_t log_bytes; /* 0: build logs are the driver's own */

CL_API_ENTRY cl_int CL_API_CALL __real_clGetProgramBuildInfo(cl_program program,
	cl_device_id id, cl_program_build_info what, size_t size, void *out,
	size_t *out_size);
CL_API_ENTRY cl_int CL_API_CALL __wrap_clGetProgramBuildInfo(cl_program program,
	cl_device_id id, cl_program_build_info what, size_t size, void *out,
	size_t *out_size);

CL_API_ENTRY cl_int CL_API_CALL __wrap_clGetProgramBuildInfo(cl_program program,
	cl_device_id id, cl_program_build_info what, size_t size, void *out,
	size_t *out_size)
{
	if (log_bytes == 0)
		return __real_clGetProgramBuildInfo(
			program, id, what, size, out, out_size);
	if (out)
		memset(out, '!', size);
	if (out_size)
		*out_size = log_bytes;
	return CL_SUCCESS;
}

static void test_compile_error(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_err err;

	assert_int_equal(
		apsp_kernel_cache_build(&fixture->device, "fw",
			APSP_ELEMENT_I32, "-DSPAN=nonsense(", NULL, 0, &err),
		APSP_EDEVICE);
	assert_non_null(strstr(err.message, "fw.cl does not compile"));
	log_bytes = 2 << 20;
	assert_int_equal(
		apsp_kernel_cache_build(&fixture->device, "fw",
			APSP_ELEMENT_I32, "-DSPAN=nonsense(", NULL, 0, &err),
		APSP_EDEVICE);
	log_bytes = 0;
	assert_non_null(strstr(err.message, "fw.cl does not compile: !!!"));
	assert_int_equal(apsp_kernel_cache_build(&fixture->device, "no such",
				 APSP_ELEMENT_I32, "", NULL, 0, &err),
		APSP_EBUG);
}

static void self_test_all(const struct apsp_device *device)
{
	for (int a = 0; a < APSP_N_ALGORITHMS; a++) {
		const char *name = apsp_algorithms[a].name;

		if (apsp_algorithms[a].start == APSP_START_HOST)
			continue;
		for (size_t e = 0; e < device_elements_count(device); e++) {
			struct apsp_err err;

			const struct apsp_self_test test = {
				apsp_distance_algorithm_find(name),
				device_element(e),
				e < 2 ? APSP_ELEMENT_F32 : APSP_ELEMENT_F64,
				false};

			if (apsp_self_test_run(device, &test, &err) < 0)
				fail_msg("%s, element %zu: %s", name, e,
					err.message);
		}
	}
}

static void test_self_test(void **state)
{
	struct device_fixture *fixture = *state;

	self_test_all(&fixture->device);
}

/* The GPU's kernels are right on any device; here on whatever there is.
 */
static void test_self_test_tiles(void **state)
{
	static const struct apsp_tuning_limits least = {256, 32768};
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;

	device.tuning = apsp_tuning_find("", true, NULL);
	self_test_all(&device);
	/* and those of GPUs with the least local memory */
	device.tuning = apsp_tuning_find("", true, &least);
	self_test_all(&device);
}

/* Nor do a GPU's kernels that set their own group size. */
static void test_gpu_needs(void **state)
{
	static const struct {
		const char *source, *kernel;
	} kernels[] = {
		{"multi_source_bits_gpu", "sweep"},
		{"multi_source_gpu", "sweep"},
		{"multi_source_gpu", "harvest"},
		{"predecessor_gpu", "turn"},
		{"predecessor_gpu", "predecessors"},
	};
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	const size_t n = device_elements_count(&device);
	struct apsp_tuning_limits needs;

	device.tuning = apsp_tuning_find("", true, NULL);
	apsp_tuning_needs(device.tuning, &needs);
	for (size_t i = 0; i < n * sizeof(kernels) / sizeof(*kernels); i++) {
		APSP_AUTO(apsp_kernel_done) cl_kernel kernel = NULL;
		size_t group[3] = {0};
		cl_ulong local = 0;
		struct apsp_err err;

		assert_int_equal(
			apsp_kernel_cache_kernel(&device, kernels[i / n].source,
				device_element(i % n), "",
				kernels[i / n].kernel, &kernel, &err),
			0);
		clGetKernelWorkGroupInfo(kernel, device.id,
			CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof(group), group,
			NULL);
		clGetKernelWorkGroupInfo(kernel, device.id,
			CL_KERNEL_LOCAL_MEM_SIZE, sizeof(local), &local, NULL);
		assert_in_range(
			group[0] * group[1] * group[2], 1, needs.group_items);
		assert_true(local <= needs.local_bytes); /* PoCL 5.0 tells 0 */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_readback),
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_pick_nothing),
		cmocka_unit_test(test_divided_when_open),
		cmocka_unit_test(test_kernels_compile),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_memory_full),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_finish),
		cmocka_unit_test(test_relax_needs),
		cmocka_unit_test(test_bf_dense_needs),
		cmocka_unit_test(test_gpu_needs),
		cmocka_unit_test(test_compile_error),
		cmocka_unit_test(test_self_test),
		cmocka_unit_test(test_self_test_tiles),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
