/*
 * Finding and opening the OpenCL device.
 */
#include "compute/device.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "daemon/base/auto.h"

enum {
	HUGE_PAGE = 2 << 20, /* bytes */
	PLATFORMS_MAX = 16,
	DEVICES_MAX = 64,
	EXTENSIONS_SIZE = 16384,
};

/* One device as the loader lists it. */
struct candidate {
	cl_platform_id platform;
	cl_device_id id;
	cl_device_type type;
	struct apsp_device_info info;
};

static const struct {
	cl_int status;
	const char *name;
} status_names[] = {
	{CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
	{CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
	{CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
	{CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
	{CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
		"a command before it failed"},
	{CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
	{CL_INVALID_VALUE, "CL_INVALID_VALUE"},
	{CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
	{CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
	{CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
	{CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
	{-1001, "no OpenCL platform is installed"},
};

int apsp_device_check(cl_int status, const char *what, struct apsp_err *err)
{
	const char *name = "OpenCL error";

	if (status == CL_SUCCESS)
		return 0;
	if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE)
		return apsp_fail(err, APSP_ELIMIT,
			"%s: the device has too little free memory", what);
	for (size_t i = 0; i < sizeof(status_names) / sizeof(*status_names);
		i++)
		if (status_names[i].status == status)
			name = status_names[i].name;
	return apsp_fail(
		err, APSP_EDEVICE, "%s: %s (%d)", what, name, (int)status);
}

static void text_of_device(
	cl_device_id id, cl_device_info what, char *out, size_t size)
{
	out[0] = '\0';
	/* too long a text fails as a whole; then it stays empty */
	clGetDeviceInfo(id, what, size, out, NULL);
	out[size - 1] = '\0';
}

int apsp_device_get_limits(
	cl_device_id id, struct apsp_tuning_limits *out, struct apsp_err *err)
{
	cl_ulong local;
	size_t items;
	int r;

	r = apsp_device_check(clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
				      sizeof(items), &items, NULL),
		"ask the device for its largest work-group", err);
	if (r >= 0)
		r = apsp_device_check(
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

	text_of_device(id, CL_DEVICE_EXTENSIONS, extensions, EXTENSIONS_SIZE);
	return strstr(extensions, name) != NULL;
}

static void candidate_describe(struct candidate *c)
{
	cl_ulong memory = 0, largest = 0;
	cl_device_fp_config doubles = 0;
	cl_uint units = 0;

	text_of_device(
		c->id, CL_DEVICE_NAME, c->info.name, sizeof(c->info.name));
	text_of_device(c->id, CL_DEVICE_VERSION, c->info.version,
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
	/* whoever opens it asks again */
	apsp_device_get_limits(c->id, &c->info.limits, NULL);
	c->info.has_double = doubles != 0;
	c->info.has_wide_atomics =
		has_extension(c->id, "cl_khr_int64_extended_atomics");
	c->info.memory_bytes = memory;
	c->info.largest_buffer_bytes = largest;
	c->info.compute_units = units;
	strcpy(c->info.type, c->type & CL_DEVICE_TYPE_GPU   ? "gpu"
			     : c->type & CL_DEVICE_TYPE_CPU ? "cpu"
							    : "other");
}

/* All devices of all platforms; those of a platform that fails are left out. */
static int candidates_list(
	struct candidate *out, size_t max, struct apsp_err *err)
{
	cl_platform_id platforms[PLATFORMS_MAX];
	cl_uint n_platforms = 0;
	size_t n = 0;
	int r;

	r = apsp_device_check(
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

/* The index of the picked one, or -1. */
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

int apsp_device_list(const struct apsp_device_options *options,
	struct apsp_device_info *out, size_t max, struct apsp_err *err)
{
	struct candidate list[DEVICES_MAX];
	int n = candidates_list(list, DEVICES_MAX, err);
	int picked;

	if (n < 0)
		return n;
	picked = candidates_pick(list, n, options->device);
	for (int i = 0; i < n && (size_t)i < max; i++) {
		out[i] = list[i].info;
		out[i].chosen = i == picked;
	}
	return n;
}

static int device_pick(const struct apsp_device_options *options,
	struct candidate *out, struct apsp_err *err)
{
	struct candidate list[DEVICES_MAX];
	int n = candidates_list(list, DEVICES_MAX, err);
	char there[160] = "";
	int picked;

	if (n < 0)
		return n;
	picked = candidates_pick(list, n, options->device);
	if (picked >= 0) {
		*out = list[picked];
		return 0;
	}
	for (int i = 0; i < n; i++)
		snprintf(there + strlen(there), sizeof(there) - strlen(there),
			"%s'%s'", i > 0 ? ", " : "", list[i].info.name);
	return apsp_fail(err, APSP_EDEVICE,
		"no OpenCL device fits '%s'; there is %s", options->device,
		n > 0 ? there : "none");
}

/* What compiled programs depend on besides their source and options. */
static int device_identify(struct apsp_device *device, struct apsp_err *err)
{
	char driver[APSP_DEVICE_NAME_SIZE];

	text_of_device(device->id, CL_DRIVER_VERSION, driver, sizeof(driver));
	if (asprintf(&device->identity, "%s\n%s\n%s\n%s\n",
		    device->info.platform, device->info.name,
		    device->info.version, driver) < 0) {
		device->identity = NULL;
		return apsp_fail(err, APSP_ENOMEM, "name the device");
	}
	return 0;
}

static int device_limits(struct apsp_device *device,
	const struct apsp_device_options *options, struct apsp_err *err)
{
	int r = apsp_device_get_limits(device->id, &device->info.limits, err);

	if (r < 0)
		return r;
	device->ptx = has_extension(device->id, "cl_nv_compiler_options");
	device->host_memory = apsp_device_info_on_host(&device->info);
	device->memory_bytes = device->info.memory_bytes;
	if (options->memory_cap > 0 &&
		options->memory_cap < device->memory_bytes)
		device->memory_bytes = options->memory_cap;
	device->tuning = apsp_device_info_tuning(&device->info);
	/* without it each program is compiled each time */
	mkdir(options->kernel_dir, 0700);
	device->kernel_dir = strdup(options->kernel_dir);
	if (!device->kernel_dir)
		return apsp_fail(err, APSP_ENOMEM, "open the device");
	return device_identify(device, err);
}

int apsp_device_open(const struct apsp_device_options *options,
	struct apsp_device *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	struct candidate picked;
	cl_int status;
	int r;

	r = device_pick(options, &picked, err);
	if (r < 0)
		return r;
	device.id = picked.id;
	device.info = picked.info;
	device.info.chosen = true;
	device.context =
		clCreateContext(NULL, 1, &device.id, NULL, NULL, &status);
	r = apsp_device_check(status, "open the OpenCL device", err);
	if (r < 0)
		return r;
	device.queue =
		clCreateCommandQueue(device.context, device.id, 0, &status);
	r = apsp_device_check(status, "make an OpenCL queue", err);
	if (r < 0)
		return r;
	r = device_limits(&device, options, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(device);
	return 0;
}

void apsp_device_close(struct apsp_device *device)
{
	if (device->queue)
		clReleaseCommandQueue(device->queue);
	if (device->context)
		clReleaseContext(device->context);
	free(device->kernel_dir);
	free(device->identity);
	memset(device, 0, sizeof(*device));
}

static int size_check(
	const struct apsp_device *device, size_t size, struct apsp_err *err)
{
	if (size <= device->info.largest_buffer_bytes)
		return 0;
	return apsp_fail(err, APSP_ELIMIT,
		"a buffer of %.3g GB is needed; the device allows %.3g GB",
		(double)size / 1e9,
		(double)device->info.largest_buffer_bytes / 1e9);
}

static void CL_CALLBACK pages_free(cl_mem buffer, void *pages)
{
	(void)buffer;
	free(pages);
}

/*
 * In host memory of our own, in huge pages where the kernel has them: a matrix
 * has so many pages that making and finding them takes a quarter of the time
 * of multi-source.
 */
static cl_int host_buffer(
	cl_context context, size_t size, const void *data, cl_mem *out)
{
	void *pages;
	cl_mem buffer;
	cl_int status;

	if (posix_memalign(&pages, HUGE_PAGE, size) != 0)
		return CL_MEM_OBJECT_ALLOCATION_FAILURE;
	madvise(pages, size, MADV_HUGEPAGE);
	if (data)
		memcpy(pages, data, size);
	buffer = clCreateBuffer(context,
		CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, pages, &status);
	if (status == CL_SUCCESS)
		status = clSetMemObjectDestructorCallback(
			buffer, pages_free, pages);
	if (status == CL_SUCCESS) {
		*out = buffer;
		return status;
	}
	apsp_device_buffer_done(&buffer);
	free(pages);
	return status;
}

int apsp_device_buffer(const struct apsp_device *device, size_t size,
	const void *data, cl_mem *out, struct apsp_err *err)
{
	cl_mem_flags flags = CL_MEM_READ_WRITE;
	cl_int status;
	cl_mem buffer;
	int r = size_check(device, size, err);

	if (r < 0)
		return r;
	if (device->host_memory && size >= HUGE_PAGE)
		return apsp_device_check(
			host_buffer(device->context, size, data, out),
			"make a device buffer", err);
	if (data && size > 0)
		flags |= CL_MEM_COPY_HOST_PTR;
	else
		data = NULL;
	buffer = clCreateBuffer(device->context, flags, size > 0 ? size : 1,
		(void *)(uintptr_t)data, &status);
	r = apsp_device_check(status, "make a device buffer", err);
	if (r < 0)
		return r;
	*out = buffer;
	return 0;
}

int apsp_device_map_open(const struct apsp_device *device, size_t size,
	cl_mem *out_buffer, struct apsp_device_map *out, struct apsp_err *err)
{
	cl_mem buffer = NULL;
	cl_int status;
	void *bytes;
	int r = apsp_device_buffer(device, size, NULL, &buffer, err);

	if (r < 0)
		return r;
	bytes = clEnqueueMapBuffer(device->queue, buffer, CL_TRUE,
		CL_MAP_WRITE_INVALIDATE_REGION, 0, size > 0 ? size : 1, 0, NULL,
		NULL, &status);
	r = apsp_device_check(status, "map a device buffer", err);
	if (r < 0) {
		apsp_device_buffer_done(&buffer);
		return r;
	}
	*out_buffer = buffer;
	*out = (struct apsp_device_map){device, buffer, bytes};
	return 0;
}

int apsp_device_map_close(struct apsp_device_map *map, struct apsp_err *err)
{
	void *bytes = map->bytes;

	if (!bytes)
		return 0;
	map->bytes = NULL;
	return apsp_device_check(clEnqueueUnmapMemObject(map->device->queue,
					 map->buffer, bytes, 0, NULL, NULL),
		"write a device buffer", err);
}

void apsp_device_map_done(struct apsp_device_map *map)
{
	struct apsp_err ignored;

	apsp_device_map_close(map, &ignored);
}

int apsp_device_pinned(const struct apsp_device *device, size_t size,
	cl_mem *out, void **out_bytes, struct apsp_err *err)
{
	cl_int status;
	cl_mem buffer;
	int r = size_check(device, size, err);

	if (r < 0)
		return r;
	buffer = clCreateBuffer(device->context,
		CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, size > 0 ? size : 1,
		NULL, &status);
	r = apsp_device_check(status, "make a pinned buffer", err);
	if (r < 0)
		return r;
	*out_bytes = clEnqueueMapBuffer(device->queue, buffer, CL_TRUE,
		CL_MAP_READ | CL_MAP_WRITE, 0, size > 0 ? size : 1, 0, NULL,
		NULL, &status);
	r = apsp_device_check(status, "map a pinned buffer", err);
	if (r < 0)
		clReleaseMemObject(buffer);
	else
		*out = buffer;
	return r;
}

void apsp_device_pinned_done(
	const struct apsp_device *device, cl_mem *buffer, void **bytes)
{
	if (*buffer) {
		clEnqueueUnmapMemObject(
			device->queue, *buffer, *bytes, 0, NULL, NULL);
		clFinish(device->queue);
	}
	apsp_device_buffer_done(buffer);
	*bytes = NULL;
}

void apsp_device_buffer_done(cl_mem *buffer)
{
	if (*buffer)
		clReleaseMemObject(*buffer);
	*buffer = NULL;
}

void apsp_device_kernel_done(cl_kernel *kernel)
{
	if (*kernel)
		clReleaseKernel(*kernel);
	*kernel = NULL;
}

void apsp_device_program_done(cl_program *program)
{
	if (*program)
		clReleaseProgram(*program);
	*program = NULL;
}
