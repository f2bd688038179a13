/*
 * Lists the OpenCL devices, selects one and opens it; see device.h.
 */
#include "compute/device/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "compute/device/opencl.h"
#include "compute/device/pinned_pool.h"
#include "compute/device/programs.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "daemon/base/clock.h"
#include "daemon/job/table_file.h"

enum {
	/* the pool of pinned buffers holds at most PINNED_CHUNKS ×
	   tuning->staging_bytes bytes; a download uses two buffers of
	   staging_bytes bytes each */
	PINNED_CHUNKS = 4,
	PLATFORMS_MAX = 16,
	DEVICES_MAX = 64,
	EXTENSIONS_SIZE = 16384,
	/* constants of the extension cl_nv_device_attribute_query; some
	   versions of OpenCL's headers lack them */
	CAPABILITY_MAJOR = 0x4000,
	CAPABILITY_MINOR = 0x4001,
	/* constants of the extension cl_khr_device_uuid */
	UUID = 0x106A,
	UUID_SIZE = 16,
};

/* A device in OpenCL's list. The device has not been opened. */
struct candidate {
	cl_platform_id platform;
	cl_device_id id;
	cl_device_type type;
	unsigned int index; /* index in the list of all devices */
	struct apsp_device_info info;
};

/* Store in `out` the text that the device returns for the property `what`. If
   the text does not fit `size` bytes, store "". */
static void text_get(
	cl_device_id id, cl_device_info what, char *out, size_t size)
{
	out[0] = '\0';
	/* if the text does not fit, the query fails and stores nothing */
	clGetDeviceInfo(id, what, size, out, NULL);
	out[size - 1] = '\0';
}

/* Read two limits of the device: the largest work-group and the size of local
   memory. The device's row of the tuning table (compute/plan/tuning.h) must not
   exceed these limits. APSP_EDEVICE: the device does not report them. */
static int limits_get(
	cl_device_id id, struct apsp_tuning_limits *out, struct apsp_err *err)
{
	cl_ulong local;
	size_t items;
	int r;

	r = apsp_opencl_check(clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
				      sizeof(items), &items, NULL),
		"ask the device for its largest work-group", err);
	if (r >= 0)
		r = apsp_opencl_check(
			clGetDeviceInfo(id, CL_DEVICE_LOCAL_MEM_SIZE,
				sizeof(local), &local, NULL),
			"ask the device for its local memory", err);
	if (r >= 0)
		*out = (struct apsp_tuning_limits){items, local};
	return r;
}

static bool has_extension(cl_device_id id, const char *name)
{
	char extensions[EXTENSIONS_SIZE];

	text_get(id, CL_DEVICE_EXTENSIONS, extensions, EXTENSIONS_SIZE);
	return strstr(extensions, name) != NULL;
}

/* Return ten times the compute capability of an NVIDIA device, for example 75
   for the capability 7.5. 0: the device reports no compute capability. */
static unsigned int capability_get(cl_device_id id)
{
	cl_uint major = 0, minor = 0;

	if (!has_extension(id, "cl_nv_device_attribute_query") ||
		clGetDeviceInfo(id, CAPABILITY_MAJOR, sizeof(major), &major,
			NULL) != CL_SUCCESS ||
		clGetDeviceInfo(id, CAPABILITY_MINOR, sizeof(minor), &minor,
			NULL) != CL_SUCCESS)
		return 0;
	return 10 * major + minor;
}

static void candidate_describe(struct candidate *c)
{
	cl_ulong memory = 0, largest = 0;
	cl_device_fp_config doubles = 0;
	cl_uint units = 0, width = apsp_parallel_processors();

	text_get(c->id, CL_DEVICE_NAME, c->info.name, sizeof(c->info.name));
	text_get(c->id, CL_DEVICE_VERSION, c->info.version,
		sizeof(c->info.version));
	clGetPlatformInfo(c->platform, CL_PLATFORM_NAME,
		sizeof(c->info.platform), c->info.platform, NULL);
	clGetDeviceInfo(c->id, CL_DEVICE_TYPE, sizeof(c->type), &c->type, NULL);
	clGetDeviceInfo(c->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory),
		&memory, NULL);
	clGetDeviceInfo(c->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest),
		&largest, NULL);
	clGetDeviceInfo(c->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units),
		&units, NULL);
	clGetDeviceInfo(c->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(doubles),
		&doubles, NULL);
	/* a failure is ignored: apsp_device_open() reads the limits again and
	   reports the failure */
	limits_get(c->id, &c->info.limits, NULL);
	c->info.has_double = doubles != 0;
	c->info.has_wide_atomics =
		has_extension(c->id, "cl_khr_int64_extended_atomics");
	c->info.memory_bytes = memory;
	c->info.largest_buffer_bytes = largest;
	/*
	 * The affinity mask or a control group may allow this process only some
	 * of the device's processors. Then only the allowed processors
	 * (`width`) are counted as compute units. apsp_parallel_processors()
	 * returns at most APSP_PARALLEL_MAX. If `width` is this number, more
	 * processors may be allowed, so all of the device's processors are
	 * counted.
	 */
	if (c->type & CL_DEVICE_TYPE_CPU && width < APSP_PARALLEL_MAX &&
		width < units)
		units = width;
	c->info.compute_units = units;
	strcpy(c->info.type, c->type & CL_DEVICE_TYPE_GPU   ? "gpu"
			     : c->type & CL_DEVICE_TYPE_CPU ? "cpu"
							    : "other");
}

/* List all devices of all platforms; a platform that fails is skipped. */
static int candidates_list(
	struct candidate *out, size_t max, struct apsp_err *err)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint n_platforms = 0;
	size_t n = 0;
	int r;

	r = apsp_opencl_check(
		clGetPlatformIDs(PLATFORMS_MAX, platforms, &n_platforms),
		"list OpenCL platforms", err);
	if (r < 0)
		return r;
	for (cl_uint p = 0; p < n_platforms && p < PLATFORMS_MAX; p++) {
		cl_device_id ids[DEVICES_MAX];
		cl_uint n_ids = 0;

		if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL,
			    DEVICES_MAX, ids, &n_ids) != CL_SUCCESS)
			continue;
		for (cl_uint d = 0; d < n_ids && n < max; d++, n++) {
			memset(&out[n], 0, sizeof(out[n]));
			out[n].platform = platforms[p];
			out[n].id = ids[d];
			out[n].index = (unsigned int)n;
			candidate_describe(&out[n]);
		}
	}
	return (int)n;
}

static bool candidate_fits(const struct candidate *c, const char *wanted)
{
	char text[2 * APSP_DEVICE_NAME_SIZE];

	if (strcasecmp(wanted, "cpu") == 0)
		return c->type & CL_DEVICE_TYPE_CPU;
	if (strcasecmp(wanted, "gpu") == 0)
		return c->type & CL_DEVICE_TYPE_GPU;
	snprintf(text, sizeof(text), "%s %s", c->info.name, c->info.platform);
	return strcasestr(text, wanted) != NULL;
}

/* Return the index of the device that the option --device (`wanted`) selects.
   -1: no device matches the option. */
static int candidates_pick(
	const struct candidate *list, int n, const char *wanted)
{
	if (strcasecmp(wanted, "auto") == 0) {
		int gpu = candidates_pick(list, n, "gpu");

		if (gpu >= 0)
			return gpu;
		return n > 0 ? 0 : -1;
	}
	for (int i = 0; i < n; i++)
		if (candidate_fits(&list[i], wanted))
			return i;
	return -1;
}

int apsp_device_list(const char *wanted, struct apsp_device_info *out,
	size_t max, struct apsp_err *err)
{
	struct candidate list[DEVICES_MAX];
	int n = candidates_list(list, DEVICES_MAX, err);
	int picked;

	if (n < 0)
		return n;
	picked = candidates_pick(list, n, wanted);
	for (int i = 0; i < n && (size_t)i < max; i++) {
		out[i] = list[i].info;
		out[i].chosen = i == picked;
	}
	return n;
}

/* Return the index of the device that the process with the number options->turn
   opens. `first` is the index of the device that --device selects. The
   processes are spread over all devices that match --device and have the type
   of device `first`. */
static int candidates_turn(const struct candidate *list, int n, int first,
	const struct apsp_device_options *options)
{
	bool any = strcasecmp(options->device, "auto") == 0;
	unsigned int n_fits = 0;
	int fits[DEVICES_MAX];

	for (int i = 0; i < n; i++)
		if (list[i].type == list[first].type &&
			(any || candidate_fits(&list[i], options->device)))
			fits[n_fits++] = i;
	return fits[options->turn % n_fits];
}

/*
 * Set device->key and device->unique. If the device has a UUID, the key is made
 * from the UUID, and `unique` is true. Otherwise the key is `index`, the
 * device's index in the list of this process. An index is less reliable than a
 * UUID, because different processes can have different lists. For example,
 * CUDA_VISIBLE_DEVICES can show a different GPU to each process.
 */
static void key_set(struct apsp_device *device, unsigned int index)
{
	unsigned char uuid[UUID_SIZE];

	device->unique = has_extension(device->id, "cl_khr_device_uuid") &&
			 clGetDeviceInfo(device->id, UUID, sizeof(uuid), uuid,
				 NULL) == CL_SUCCESS;
	device->key =
		device->unique ? apsp_checksum(uuid, sizeof(uuid)) : index;
}

/* Store in *out the device that the options select. APSP_EDEVICE: no device
   matches. */
static int candidate_pick(const struct apsp_device_options *options,
	struct candidate *out, struct apsp_err *err)
{
	const char *wanted = options->device;
	struct candidate list[DEVICES_MAX];
	struct apsp_device_info found[DEVICES_MAX];
	int n = candidates_list(list, DEVICES_MAX, err);
	int picked;

	if (n < 0)
		return n;
	picked = candidates_pick(list, n, wanted);
	if (picked >= 0) {
		*out = list[candidates_turn(list, n, picked, options)];
		return 0;
	}
	for (int i = 0; i < n; i++)
		found[i] = list[i].info;
	return apsp_device_info_refuse(wanted, found, (size_t)n, err);
}

/* Set device->fast, the compiler options for the fast forms of kernels
   (kernel_form.h). The options enable code that uses extensions of OpenCL C.
   They stay empty if the device's compiler has none of these extensions. */
static void device_fast(struct apsp_device *device)
{
	if (has_extension(device->id, "cl_nv_compiler_options"))
		snprintf(device->fast, sizeof(device->fast),
			"-DPTX=1 -DCAPABILITY=%u", device->capability);
	/*
	 * The fast form uses vectors of 32 elements, and is used only with
	 * PoCL. Other compilers that contain clang abort at such vectors. For
	 * example, the compiler of rusticl (Mesa 22.3) reports "Unsupported
	 * vector type with 32 elements".
	 */
	else if (strstr(device->info.platform, "Portable Computing Language"))
		snprintf(device->fast, sizeof(device->fast), "-DWIDEST=%d",
			APSP_TILE);
}

/* Fill the members of a device whose queue has been made: its limits, identity,
   memory and tuning row, the directory and the list of its compiled programs,
   and its pool of pinned buffers. */
static int device_fill(struct apsp_device *device,
	const struct apsp_device_options *options, struct apsp_err *err)
{
	char driver[APSP_DEVICE_NAME_SIZE];
	int r = limits_get(device->id, &device->info.limits, err);

	if (r < 0)
		return r;
	text_get(device->id, CL_DRIVER_VERSION, driver, sizeof(driver));
	if (asprintf(&device->identity, "%s\n%s\n%s\n%s\n",
		    device->info.platform, device->info.name,
		    device->info.version, driver) < 0) {
		device->identity = NULL;
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to name the device");
	}
	device->capability = capability_get(device->id);
	device_fast(device);
	device->host_memory = apsp_device_info_on_host(&device->info);
	device->all_bytes =
		apsp_device_info_memory(&device->info, options->memory_cap);
	apsp_device_divide(device, 1, 1);
	device->tuning = apsp_device_info_tuning(&device->info);
	/* a failure is ignored: without the directory, every program is
	   compiled again each time the device is opened */
	mkdir(options->kernel_dir, 0700);
	device->kernel_dir = strdup(options->kernel_dir);
	device->programs = calloc(1, sizeof(*device->programs));
	if (!device->kernel_dir || !device->programs)
		return apsp_fail(
			err, APSP_ENOMEM, "no memory to open the device");
	/* buffers of a CPU are ordinary memory and need no pool */
	if (!device->host_memory)
		device->pinned = apsp_pinned_pool_new(device->queue,
			PINNED_CHUNKS * device->tuning->staging_bytes);
	return 0;
}

int apsp_device_queue_make(const struct apsp_device *device,
	cl_command_queue *out, struct apsp_err *err)
{
	cl_int status;

	*out = clCreateCommandQueue(device->context, device->id, 0, &status);
	return apsp_opencl_check(status, "make an OpenCL queue", err);
}

int apsp_device_open(const struct apsp_device_options *options,
	struct apsp_device *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	struct candidate picked;
	double start_s = apsp_clock_s();
	clock_t start = clock();
	cl_int status;
	int r;

	r = candidate_pick(options, &picked, err);
	if (r < 0)
		return r;
	device.id = picked.id;
	device.info = picked.info;
	device.info.chosen = true;
	key_set(&device, picked.index);
	device.context =
		clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
	r = apsp_opencl_check(status, "open the OpenCL device", err);
	if (r < 0)
		return r;
	r = apsp_device_queue_make(&device, &device.queue, err);
	if (r < 0)
		return r;
	r = device_fill(&device, options, err);
	if (r < 0)
		return r;
	device.open_s = apsp_clock_s() - start_s;
	/*
	 * Opening a CPU device takes only processor time, because the process
	 * does not wait for anything. If the elapsed time is longer than the
	 * processor time, other programs used the processors meanwhile. So
	 * open_s is the shorter of both times.
	 */
	if (device.host_memory)
		device.open_s = fmin(device.open_s,
			(double)(clock() - start) / CLOCKS_PER_SEC);
	*out = APSP_TAKE(device);
	return 0;
}

void apsp_device_divide(struct apsp_device *device, unsigned int n_sharers,
	unsigned int n_devices)
{
	device->n_sharers = n_sharers;
	device->n_devices = n_devices;
	device->memory_bytes = device->all_bytes / n_sharers;
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
