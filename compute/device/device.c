/*
 * Opening an OpenCL device; see device.h.
 */
#include "compute/device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "compute/device/device_list.h"
#include "compute/device/opencl.h"
#include "compute/device/pinned_pool.h"
#include "compute/device/programs.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	PINNED_CHUNKS = 4, /* of staging that are kept: a download has two */
};

/* The part of a compiled program's key that names the device and driver. */
static int device_identify(struct apsp_device *device, struct apsp_err *err)
{
	char driver[APSP_DEVICE_NAME_SIZE];

	apsp_device_list_text(
		device->id, CL_DRIVER_VERSION, driver, sizeof(driver));
	if (asprintf(&device->identity, "%s\n%s\n%s\n%s\n",
		    device->info.platform, device->info.name,
		    device->info.version, driver) < 0) {
		device->identity = NULL;
		return apsp_fail(err, APSP_ENOMEM, "name the device");
	}
	return 0;
}

/* What the device's compiler takes beside OpenCL C (kernel_form.h). */
static void device_fast(struct apsp_device *device)
{
	if (apsp_device_list_extension(device->id, "cl_nv_compiler_options"))
		snprintf(device->fast, sizeof(device->fast),
			"-DPTX=1 -DCAPABILITY=%u", device->capability);
	/* other compilers made of clang abort at such vectors: Mesa's in
	   rusticl 22.3, "Unsupported vector type with 32 elements" */
	else if (strstr(device->info.platform, "Portable Computing Language"))
		snprintf(device->fast, sizeof(device->fast), "-DWIDEST=%d",
			APSP_TILE);
}

static int device_limits(struct apsp_device *device,
	const struct apsp_device_options *options, struct apsp_err *err)
{
	int r = apsp_device_list_limits(device->id, &device->info.limits, err);

	if (r < 0)
		return r;
	device->capability = apsp_device_list_capability(device->id);
	device_fast(device);
	device->host_memory = apsp_device_info_on_host(&device->info);
	device->memory_bytes =
		apsp_device_info_memory(&device->info, options->memory_cap);
	device->tuning = apsp_device_info_tuning(&device->info);
	/* without the directory every program is compiled each time */
	mkdir(options->kernel_dir, 0700);
	device->kernel_dir = strdup(options->kernel_dir);
	device->programs = apsp_programs_new();
	if (!device->kernel_dir || !device->programs)
		return apsp_fail(err, APSP_ENOMEM, "open the device");
	/* a CPU's buffers are memory like any other; without a pool they are
	   made anew */
	if (!device->host_memory)
		device->pinned = apsp_pinned_pool_new(device->queue,
			PINNED_CHUNKS * device->tuning->staging_bytes);
	return device_identify(device, err);
}

int apsp_device_open(const struct apsp_device_options *options,
	struct apsp_device *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	struct apsp_device_candidate picked;
	double start_s = apsp_clock_s();
	clock_t start = clock();
	cl_int status;
	int r;

	r = apsp_device_list_pick(options->device, &picked, err);
	if (r < 0)
		return r;
	device.id = picked.id;
	device.info = picked.info;
	device.info.chosen = true;
	device.context =
		clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
	r = apsp_opencl_check(status, "open the OpenCL device", err);
	if (r < 0)
		return r;
	device.queue =
		clCreateCommandQueue(device.context, device.id, 0, &status);
	r = apsp_opencl_check(status, "make an OpenCL queue", err);
	if (r < 0)
		return r;
	r = device_limits(&device, options, err);
	if (r < 0)
		return r;
	device.open_s = apsp_clock_s() - start_s;
	/* beside other programs: a CPU's runtime only computes meanwhile */
	if (device.host_memory)
		device.open_s = fmin(device.open_s,
			(double)(clock() - start) / CLOCKS_PER_SEC);
	*out = APSP_TAKE(device);
	return 0;
}

void apsp_device_close(struct apsp_device *device)
{
	apsp_programs_free(device->programs);
	apsp_pinned_pool_free(device->pinned);
	if (device->queue)
		clReleaseCommandQueue(device->queue);
	if (device->context)
		clReleaseContext(device->context);
	free(device->kernel_dir);
	free(device->identity);
	memset(device, 0, sizeof(*device));
}
