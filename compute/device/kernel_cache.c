/*
 * Compiled kernels and their cache; see kernel_cache.h.
 */
#include "compute/device/kernel_cache.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/device/cache_file.h"
#include "compute/device/kernel.h"
#include "compute/device/kernel_form.h"
#include "compute/device/opencl.h"
#include "compute/device/programs.h"
#include "daemon/base/auto.h"
#include "kernels/sources.h"

enum {
	OPTIONS_SIZE = 256,
	LOG_MAX = 1 << 20,
};

static const char *source_find(const char *name)
{
	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		if (strcmp(s->name, name) == 0)
			return s->text;
	return NULL;
}

/* One program to make. */
struct recipe {
	const struct apsp_device *device;
	const char *source;
	const char *text;
	char options[OPTIONS_SIZE];
	char *key; /* owned */
	bool fast;
};

static void recipe_done(struct recipe *recipe)
{
	free(recipe->key);
}

static void options_make(const struct apsp_device *device,
	enum apsp_element element, const char *more, bool fast,
	char out[OPTIONS_SIZE])
{
	snprintf(out, OPTIONS_SIZE,
		"-cl-std=CL1.2 -DELEMENT=%zu -DTILE=%d"
		" -DSPAN=%u%s%s%s%s",
		8 * apsp_element_size(element), APSP_TILE, device->tuning->span,
		more[0] ? " " : "", more, fast ? " " : "",
		fast ? device->fast : "");
}

static void cache_path(const struct apsp_device *device, const char *source,
	const char *key, char *out, size_t size)
{
	snprintf(out, size, "%s/%s-%016llx.bin", device->kernel_dir, source,
		(unsigned long long)apsp_checksum(key, strlen(key)));
}

/*
 * Keep the program's binary, where the directory takes one: PoCL 3.1 compiles
 * every kernel of the program once more when it is asked for the binary.
 */
static void program_save(
	const struct recipe *recipe, cl_program program, const char *path)
{
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	size_t size = 0;

	if (access(recipe->device->kernel_dir, W_OK) < 0)
		return;
	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
		    &size, NULL) != CL_SUCCESS ||
		size == 0 || size > APSP_CACHE_FILE_MAX)
		return;
	binary = malloc(size);
	if (binary && clGetProgramInfo(program, CL_PROGRAM_BINARIES,
			      sizeof(binary), &binary, NULL) == CL_SUCCESS)
		apsp_cache_file_save(path, recipe->key, binary, size);
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

/* NULL: the driver refuses the binary. */
static cl_program program_from_binary(const struct apsp_device *device,
	const unsigned char *binary, size_t size, const char *options)
{
	cl_int status, taken;
	cl_program program = clCreateProgramWithBinary(device->context, 1,
		&device->id, &size, &binary, &taken, &status);

	if (status != CL_SUCCESS || taken != CL_SUCCESS ||
		clBuildProgram(program, 1, &device->id, options, NULL, NULL) !=
			CL_SUCCESS)
		apsp_kernel_program_done(&program);
	return program;
}

static int recipe_make(const struct apsp_device *device, const char *source,
	const char *text, enum apsp_element element, const char *more,
	bool fast, struct recipe *out, struct apsp_err *err)
{
	*out = (struct recipe){
		.device = device, .source = source, .text = text, .fast = fast};
	options_make(device, element, more, fast, out->options);
	if (asprintf(&out->key, "%s%s\n%s", device->identity, out->options,
		    text) >= 0)
		return 0;
	out->key = NULL;
	return apsp_fail(err, APSP_ENOMEM, "build %s.cl", source);
}

static int program_from_source(
	const struct recipe *recipe, cl_program *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_kernel_program_done) cl_program program = NULL;
	const struct apsp_device *device = recipe->device;
	const char *text = recipe->text;
	cl_int status;
	int r;

	program = clCreateProgramWithSource(
		device->context, 1, &text, NULL, &status);
	r = apsp_opencl_check(status, "make an OpenCL program", err);
	if (r < 0)
		return r;
	status = clBuildProgram(
		program, 1, &device->id, recipe->options, NULL, NULL);
	if (status != CL_SUCCESS)
		return build_failed(device, program, recipe->source, err);
	*out = APSP_TAKE(program);
	return 0;
}

/* From memory, from the cache's file, or from the source. */
static int recipe_build(
	const struct recipe *recipe, cl_program *out, struct apsp_err *err)
{
	const struct apsp_device *device = recipe->device;
	const struct apsp_program *known =
		apsp_programs_find(device->programs, recipe->key);
	APSP_AUTO(apsp_kernel_program_done) cl_program program = NULL;
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	char path[4096];
	size_t size = 0;
	int r = 0;

	if (known && known->program &&
		clRetainProgram(known->program) == CL_SUCCESS) {
		*out = known->program;
		return 0;
	}
	cache_path(device, recipe->source, recipe->key, path, sizeof(path));
	binary = apsp_cache_file_load(path, recipe->key, &size);
	if (binary)
		program = program_from_binary(
			device, binary, size, recipe->options);
	if (!program) {
		r = program_from_source(recipe, &program, err);
		if (r < 0)
			return r;
		program_save(recipe, program, path);
	}
	apsp_programs_add(device->programs, recipe->key, recipe->source,
		program, recipe->fast);
	*out = APSP_TAKE(program);
	return 0;
}

/*
 * The fast form did not compile and the plain one did. What passes (a full
 * disk, a signal that took the compiler's files) is no reason to give it up:
 * the fast form is tried once more and takes the place of *out if it compiles.
 */
static int fast_retry(const struct recipe *fast, cl_program *out)
{
	cl_program program = NULL;

	if (recipe_build(fast, &program, NULL) < 0) {
		apsp_kernel_form_give_up(fast->device, fast->source, fast->key);
		return 0;
	}
	apsp_kernel_program_done(out);
	*out = program;
	return 0;
}

int apsp_kernel_cache_build(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	cl_program *out, struct apsp_err *err)
{
	APSP_AUTO(recipe_done) struct recipe fast = {0};
	APSP_AUTO(recipe_done) struct recipe plain = {0};
	const char *text = source_find(source);
	bool failed = false;
	int r;

	if (!text)
		return apsp_fail(err, APSP_EBUG, "no kernel '%s'", source);
	if (apsp_kernel_form_has_fast(device, text)) {
		r = recipe_make(
			device, source, text, element, more, true, &fast, err);
		if (r < 0)
			return r;
		if (!apsp_kernel_form_doubted(device, source, fast.key)) {
			r = recipe_build(&fast, out, err);
			if (r != APSP_EDEVICE)
				return r;
			failed = true;
		}
	}
	r = recipe_make(
		device, source, text, element, more, false, &plain, err);
	if (r < 0)
		return r;
	r = recipe_build(&plain, out, err);
	return r < 0 || !failed ? r : fast_retry(&fast, out);
}

int apsp_kernel_cache_kernel(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	const char *kernel, cl_kernel *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_kernel_program_done) cl_program program = NULL;
	int r;

	r = apsp_kernel_cache_build(
		device, source, element, more, &program, err);
	return r < 0 ? r : apsp_kernel_make(program, kernel, out, err);
}
