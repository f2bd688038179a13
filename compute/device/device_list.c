/*
 * Listing and picking OpenCL devices; see device_list.h.
 */
#include "compute/device/device_list.h"

#include <stdio.h>
#include <string.h>

#include "compute/device/opencl.h"

enum {
	PLATFORMS_MAX = 16,
	DEVICES_MAX = 64,
	EXTENSIONS_SIZE = 16384,
	/* of cl_nv_device_attribute_query; not all versions of OpenCL's headers
	   have them */
	CAPABILITY_MAJOR = 0x4000,
	CAPABILITY_MINOR = 0x4001,
};

void apsp_device_list_text(
	cl_device_id id, cl_device_info what, char *out, size_t size)
{
	out[0] = '\0';
	/* the query of a longer text fails and stores nothing */
	clGetDeviceInfo(id, what, size, out, NULL);
	out[size - 1] = '\0';
}

int apsp_device_list_limits(
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

bool apsp_device_list_extension(cl_device_id id, const char *name)
{
	char extensions[EXTENSIONS_SIZE];

	apsp_device_list_text(
		id, CL_DEVICE_EXTENSIONS, extensions, EXTENSIONS_SIZE);
	return strstr(extensions, name) != NULL;
}

unsigned int apsp_device_list_capability(cl_device_id id)
{
	cl_uint major = 0, minor = 0;

	if (!apsp_device_list_extension(id, "cl_nv_device_attribute_query") ||
		clGetDeviceInfo(id, CAPABILITY_MAJOR, sizeof(major), &major,
			NULL) != CL_SUCCESS ||
		clGetDeviceInfo(id, CAPABILITY_MINOR, sizeof(minor), &minor,
			NULL) != CL_SUCCESS)
		return 0;
	return 10 * major + minor;
}

static void candidate_describe(struct apsp_device_candidate *c)
{
	cl_ulong memory = 0, largest = 0;
	cl_device_fp_config doubles = 0;
	cl_uint units = 0;

	apsp_device_list_text(
		c->id, CL_DEVICE_NAME, c->info.name, sizeof(c->info.name));
	apsp_device_list_text(c->id, CL_DEVICE_VERSION, c->info.version,
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
	/* apsp_device_open() asks again, and reports a failure */
	apsp_device_list_limits(c->id, &c->info.limits, NULL);
	c->info.has_double = doubles != 0;
	c->info.has_wide_atomics = apsp_device_list_extension(
		c->id, "cl_khr_int64_extended_atomics");
	c->info.memory_bytes = memory;
	c->info.largest_buffer_bytes = largest;
	c->info.compute_units = units;
	strcpy(c->info.type, c->type & CL_DEVICE_TYPE_GPU   ? "gpu"
			     : c->type & CL_DEVICE_TYPE_CPU ? "cpu"
							    : "other");
}

/* All devices of all platforms; a platform that fails is left out. */
static int candidates_list(
	struct apsp_device_candidate *out, size_t max, struct apsp_err *err)
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
			candidate_describe(&out[n]);
		}
	}
	return (int)n;
}

static bool candidate_fits(
	const struct apsp_device_candidate *c, const char *wanted)
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
	const struct apsp_device_candidate *list, int n, const char *wanted)
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
	struct apsp_device_candidate list[DEVICES_MAX];
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

int apsp_device_list_pick(const char *wanted, struct apsp_device_candidate *out,
	struct apsp_err *err)
{
	struct apsp_device_candidate list[DEVICES_MAX];
	int n = candidates_list(list, DEVICES_MAX, err);
	char there[160] = "";
	int picked;

	if (n < 0)
		return n;
	picked = candidates_pick(list, n, wanted);
	if (picked >= 0) {
		*out = list[picked];
		return 0;
	}
	for (int i = 0; i < n; i++)
		snprintf(there + strlen(there), sizeof(there) - strlen(there),
			"%s'%s'", i > 0 ? ", " : "", list[i].info.name);
	return apsp_fail(err, APSP_EDEVICE,
		"no OpenCL device fits '%s'; there is %s", wanted,
		n > 0 ? there : "none");
}
