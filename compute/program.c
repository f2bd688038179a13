/*
 * Compiled kernels and their cache; see program.h.
 */
#include "compute/program.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "daemon/base/auto.h"
#include "kernels/sources.h"

enum {
	/* Items of strided kernels, enough to fill any GPU. */
	STRIDED_ITEMS = 1 << 20,
	STRIDED_GROUP = 64,
	OPTIONS_SIZE = 256,
	LOG_MAX = 1 << 20,
	BINARY_MAX = 64 << 20,
};

/* What stands before the binary in a cache file, then key and binary. */
struct cache_header {
	char magic[8];
	uint64_t key_size;
	uint64_t binary_size;
	uint64_t checksum; /* of the binary */
};

#define CACHE_MAGIC "apspcl1\n"

static const char *source_find(const char *name)
{
	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		if (strcmp(s->name, name) == 0)
			return s->text;
	return NULL;
}

static void options_make(const struct apsp_device *device,
	enum apsp_element element, const char *more, char out[OPTIONS_SIZE])
{
	snprintf(out, OPTIONS_SIZE,
		"-cl-std=CL1.2 -DELEMENT=%zu -DTILE=%d"
		" -DSPAN=%u%s%s%s",
		8 * apsp_element_size(element), APSP_TILE, device->tuning->span,
		device->ptx ? " -DPTX=1" : "", more[0] ? " " : "", more);
}

static void cache_path(const struct apsp_device *device, const char *source,
	const char *key, char *out, size_t size)
{
	snprintf(out, size, "%s/%s-%016llx.bin", device->kernel_dir, source,
		(unsigned long long)apsp_checksum(key, strlen(key)));
}

/* Returns the binary (owned) or NULL: missing, of another key, damaged. */
static unsigned char *cache_load(
	const char *path, const char *key, size_t *out_size)
{
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	APSP_AUTO(apsp_free) char *found = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	struct cache_header header;
	size_t key_size = strlen(key);

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &header, sizeof(header)) != sizeof(header) ||
		memcmp(header.magic, CACHE_MAGIC, sizeof(header.magic)) != 0 ||
		header.key_size != key_size || header.binary_size == 0 ||
		header.binary_size > BINARY_MAX)
		return NULL;
	found = malloc(key_size);
	binary = malloc(header.binary_size);
	if (!found || !binary ||
		read(fd, found, key_size) != (ssize_t)key_size ||
		memcmp(found, key, key_size) != 0 ||
		read(fd, binary, header.binary_size) !=
			(ssize_t)header.binary_size ||
		apsp_checksum(binary, header.binary_size) != header.checksum)
		return NULL;
	*out_size = header.binary_size;
	return APSP_TAKE(binary);
}

static void cache_save(const char *path, const char *key,
	const unsigned char *binary, size_t size)
{
	struct cache_header header = {
		.magic = CACHE_MAGIC,
		.key_size = strlen(key),
		.binary_size = size,
		.checksum = apsp_checksum(binary, size),
	};
	APSP_AUTO(apsp_free) char *temporary = NULL;
	APSP_AUTO(apsp_close) int fd = -1;
	bool whole;

	if (asprintf(&temporary, "%s.%d", path, (int)getpid()) < 0) {
		temporary = NULL;
		return;
	}
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	whole = write(fd, &header, sizeof(header)) == sizeof(header) &&
		write(fd, key, header.key_size) == (ssize_t)header.key_size &&
		write(fd, binary, size) == (ssize_t)size;
	if (!whole || rename(temporary, path) < 0)
		unlink(temporary);
}

static void program_save(cl_program program, const char *path, const char *key)
{
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	size_t size = 0;

	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
		    &size, NULL) != CL_SUCCESS ||
		size == 0 || size > BINARY_MAX)
		return;
	binary = malloc(size);
	if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES,
			      sizeof(binary), &binary, NULL) == CL_SUCCESS)
		cache_save(path, key, binary, size);
}

/* The whole build log to stderr, the end of it into err. */
static int build_failed(const struct apsp_device *device, cl_program program,
	const char *source, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *log = NULL;
	size_t size = 0, length;

	clGetProgramBuildInfo(
		program, device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
	log = size < LOG_MAX ? calloc(1, size + 1) : NULL;
	if (!log)
		return apsp_fail(
			err, APSP_EDEVICE, "%s.cl does not compile", source);
	clGetProgramBuildInfo(
		program, device->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
	length = strlen(log);
	while (length > 0 && log[length - 1] == '\n')
		log[--length] = '\0';
	fprintf(stderr, "%s.cl: %s\n", source, log);
	return apsp_fail(err, APSP_EDEVICE, "%s.cl does not compile: %s",
		source, length > 160 ? log + length - 160 : log);
}

/* From the binary; NULL where the driver does not take it. */
static cl_program program_from_binary(const struct apsp_device *device,
	const unsigned char *binary, size_t size, const char *options)
{
	cl_int status, taken;
	cl_program program = clCreateProgramWithBinary(device->context, 1,
		&device->id, &size, &binary, &taken, &status);

	if (status != CL_SUCCESS || taken != CL_SUCCESS ||
		clBuildProgram(program, 1, &device->id, options, NULL, NULL) !=
			CL_SUCCESS)
		apsp_device_program_done(&program);
	return program;
}

static int program_from_source(const struct apsp_device *device,
	const char *source, const char *text, const char *options,
	cl_program *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	cl_int status;
	int r;

	program = clCreateProgramWithSource(
		device->context, 1, &text, NULL, &status);
	r = apsp_device_check(status, "make an OpenCL program", err);
	if (r < 0)
		return r;
	status = clBuildProgram(program, 1, &device->id, options, NULL, NULL);
	if (status != CL_SUCCESS)
		return build_failed(device, program, source, err);
	*out = APSP_TAKE(program);
	return 0;
}

int apsp_program_build(const struct apsp_device *device, const char *source,
	enum apsp_element element, const char *more, cl_program *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	APSP_AUTO(apsp_free) char *key = NULL;
	const char *text = source_find(source);
	char options[OPTIONS_SIZE], path[4096];
	size_t size = 0;
	int r;

	if (!text)
		return apsp_fail(err, APSP_EBUG, "no kernel '%s'", source);
	options_make(device, element, more, options);
	if (asprintf(&key, "%s%s\n%s", device->identity, options, text) < 0) {
		key = NULL;
		return apsp_fail(err, APSP_ENOMEM, "build %s.cl", source);
	}
	cache_path(device, source, key, path, sizeof(path));
	binary = cache_load(path, key, &size);
	if (binary) {
		*out = program_from_binary(device, binary, size, options);
		if (*out)
			return 0;
	}
	r = program_from_source(device, source, text, options, out, err);
	if (r < 0)
		return r;
	program_save(*out, path, key);
	return 0;
}

int apsp_program_kernel(const struct apsp_device *device, const char *source,
	enum apsp_element element, const char *more, const char *kernel,
	cl_kernel *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_program_done) cl_program program = NULL;
	int r;

	r = apsp_program_build(device, source, element, more, &program, err);
	return r < 0 ? r : apsp_kernel_make(program, kernel, out, err);
}

int apsp_kernel_make(cl_program program, const char *name, cl_kernel *out,
	struct apsp_err *err)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(program, name, &status);
	int r = apsp_device_check(status, name, err);

	if (r >= 0)
		*out = kernel;
	return r;
}

int apsp_kernel_args(cl_kernel kernel, const struct apsp_kernel_arg *args,
	size_t n, struct apsp_err *err)
{
	for (size_t i = 0; i < n; i++) {
		int r = apsp_device_check(clSetKernelArg(kernel, (cl_uint)i,
						  args[i].size, args[i].value),
			"set a kernel's argument", err);

		if (r < 0)
			return r;
	}
	return 0;
}

int apsp_kernel_launch(const struct apsp_device *device, cl_kernel kernel,
	size_t columns, size_t rows, size_t group_columns, size_t group_rows,
	struct apsp_err *err)
{
	const size_t local[2] = {group_columns, group_rows};
	const size_t global[2] = {
		(columns + group_columns - 1) / group_columns * group_columns,
		(rows + group_rows - 1) / group_rows * group_rows,
	};

	if (columns == 0 || rows == 0)
		return 0;
	return apsp_device_check(clEnqueueNDRangeKernel(device->queue, kernel,
					 2, NULL, global, local, 0, NULL, NULL),
		"launch a kernel", err);
}

int apsp_kernel_launch_strided(const struct apsp_device *device,
	cl_kernel kernel, uint64_t n, struct apsp_err *err)
{
	bool gpu = device->tuning->gpu;
	uint64_t most = gpu ? STRIDED_ITEMS : device->info.compute_units;

	/* a CPU likes one item with a long loop */
	return apsp_kernel_launch(device, kernel, n < most ? n : most, 1,
		gpu ? STRIDED_GROUP : 1, 1, err);
}
