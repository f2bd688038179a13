/*
 * Compiling kernels and caching them; see kernel_cache.h.
 *
 * program_build() makes a program in these steps. If step 1 or step 3
 * yields the fast form, the later steps are left out.
 *
 *  1. recipe_load(): find the fast form among the programs that the device
 *     holds, or load it from its cache file
 *  2. apsp_kernel_form_try(): try the fast form in a separate process; a trial
 *     that fails runs once more
 *  3. recipe_build(): compile the fast form in this process, unless it failed
 *     its trial
 *  4. recipe_build(): load or compile the plain form
 *  5. fast_retry(): if the fast form did not compile in step 3, but the plain
 *     form is there after step 4, compile the fast form once more; if this
 *     fails, too, give the fast form up (kernel_form.h)
 */
#include "compute/device/kernel_cache.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/device/cache_file.h"
#include "compute/device/kernel_form.h"
#include "compute/device/opencl.h"
#include "compute/device/programs.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"
#include "kernels/sources.h"

enum {
	OPTIONS_SIZE = 256,
	PATH_SIZE = 4096,
};

static const char *source_find(const char *name)
{
	for (const struct apsp_kernel_source *s = apsp_kernel_sources; s->name;
		s++)
		if (strcmp(s->name, name) == 0)
			return s->text;
	return NULL;
}

static void program_done(cl_program *program)
{
	if (*program)
		clReleaseProgram(*program);
	*program = NULL;
}

/* Says which program to compile, or to find in the cache. */
struct recipe {
	const struct apsp_device *device;
	const char *source; /* name of a file in kernels/, without ".cl" */
	const char *text;   /* contents of this file */
	enum apsp_element element;
	const char *more; /* further compiler options */
	char options[OPTIONS_SIZE];
	char *key; /* owned */
	bool fast; /* true: the program's fast form; false: its plain form
		      (kernel_form.h) */
};

static void recipe_done(struct recipe *recipe)
{
	free(recipe->key);
}

static void cache_path(const struct apsp_device *device, const char *source,
	const char *key, char out[PATH_SIZE])
{
	char name[APSP_FORM_NAME_SIZE];

	apsp_kernel_form_name(source, key, name);
	snprintf(out, PATH_SIZE, "%s/%s.bin", device->kernel_dir, name);
}

/* Write the program's binary to the cache. If the directory is not writable,
   the driver is not asked for the binary, because PoCL 3.1 would compile every
   kernel of the program again to return it. */
static void program_keep(
	const struct apsp_device *device, struct apsp_program *program)
{
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	char path[PATH_SIZE];
	size_t size = 0;

	program->kept = true;
	if (access(device->kernel_dir, W_OK) < 0)
		return;
	if (clGetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES,
		    sizeof(size), &size, NULL) != CL_SUCCESS ||
		size == 0 || size > APSP_CACHE_FILE_MAX)
		return;
	cache_path(device, program->source, program->key, path);
	binary = malloc(size);
	if (binary && clGetProgramInfo(program->program, CL_PROGRAM_BINARIES,
			      sizeof(binary), &binary, NULL) == CL_SUCCESS)
		apsp_cache_file_save(path, program->key, binary, size);
}

void apsp_kernel_cache_trust(const struct apsp_device *device)
{
	for (struct apsp_program *p = device->programs->first; p; p = p->next) {
		if (p->state == APSP_PROGRAM_DOUBTED)
			apsp_kernel_form_give_up(device, p->source, p->key,
				"fails the self-test");
		if (p->state == APSP_PROGRAM_USED)
			p->state = APSP_PROGRAM_TRUSTED;
		if (p->program && !p->kept && p->state == APSP_PROGRAM_TRUSTED)
			program_keep(device, p);
	}
}

/* Write the whole build log to stderr, and the end of the log to *err. */
static int build_failed(const struct apsp_device *device, cl_program program,
	const char *source, struct apsp_err *err)
{
	APSP_AUTO(apsp_free) char *log = NULL;
	size_t size = 0, length;

	if (clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, 0,
		    NULL, &size) != CL_SUCCESS ||
		size == SIZE_MAX)
		size = 0;
	log = calloc(1, size + 1);
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

/* Make a program from its binary. NULL: the driver rejects the binary. */
static cl_program program_from_binary(const struct apsp_device *device,
	const unsigned char *binary, size_t size, const char *options)
{
	cl_int status, taken;
	cl_program program = clCreateProgramWithBinary(device->context, 1,
		&device->id, &size, &binary, &taken, &status);

	if (status != CL_SUCCESS || taken != CL_SUCCESS ||
		clBuildProgram(program, 1, &device->id, options, NULL, NULL) !=
			CL_SUCCESS)
		program_done(&program);
	return program;
}

static int recipe_make(const struct apsp_device *device, const char *source,
	const char *text, enum apsp_element element, const char *more,
	bool fast, struct recipe *out, struct apsp_err *err)
{
	char width[24] = "", span[24] = "";

	*out = (struct recipe){.device = device,
		.source = source,
		.text = text,
		.element = element,
		.more = more,
		.fast = fast};
	/* Define ELEMENT and SPAN only if the text contains these names. If it
	   does not, the program does not depend on their values, and is
	   compiled only once. */
	if (strstr(text, "ELEMENT"))
		snprintf(width, sizeof(width), " -DELEMENT=%zu",
			8 * apsp_element_size(element));
	if (strstr(text, "SPAN"))
		snprintf(
			span, sizeof(span), " -DSPAN=%u", device->tuning->span);
	snprintf(out->options, sizeof(out->options),
		"-cl-std=CL1.2 -DTILE=%d%s%s%s%s%s%s", APSP_TILE, width, span,
		more[0] ? " " : "", more, fast ? " " : "",
		fast ? device->fast : "");
	if (asprintf(&out->key, "%s%s\n%s", device->identity, out->options,
		    text) >= 0)
		return 0;
	out->key = NULL;
	return apsp_fail(err, APSP_ENOMEM, "no memory to build %s.cl", source);
}

static int program_from_source(
	const struct recipe *recipe, cl_program *out, struct apsp_err *err)
{
	APSP_AUTO(program_done) cl_program program = NULL;
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

/* Find a program among the programs that the device holds, or load it from its
   cache file. NULL: the program is in neither place. */
static cl_program recipe_load(const struct recipe *recipe)
{
	const struct apsp_device *device = recipe->device;
	const struct apsp_program *known =
		apsp_programs_find(device->programs, recipe->key);
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	struct apsp_program *added = NULL;
	cl_program program = NULL;
	char path[PATH_SIZE];
	size_t size = 0;

	if (known && known->program &&
		clRetainProgram(known->program) == CL_SUCCESS)
		return known->program;
	cache_path(device, recipe->source, recipe->key, path);
	binary = apsp_cache_file_load(path, recipe->key, &size);
	if (binary)
		program = program_from_binary(
			device, binary, size, recipe->options);
	if (program)
		added = apsp_programs_add(device->programs, recipe->key,
			recipe->source, program, recipe->fast);
	if (added)
		added->kept = true;
	return program;
}

/*
 * Load a program, or compile its source if there is no binary, and write the
 * new binary to the cache. While a self-test runs, the binary of a fast form
 * (kernel_form.h) is not written yet: apsp_kernel_cache_trust() writes it when
 * the device has passed the test. A form that is in the cache is not tested
 * again.
 */
static int recipe_build(
	const struct recipe *recipe, cl_program *out, struct apsp_err *err)
{
	APSP_AUTO(program_done) cl_program program = NULL;
	const struct apsp_device *device = recipe->device;
	struct apsp_program *added;
	int r = 0;

	program = recipe_load(recipe);
	if (!program) {
		r = program_from_source(recipe, &program, err);
		if (r < 0)
			return r;
		added = apsp_programs_add(device->programs, recipe->key,
			recipe->source, program, recipe->fast);
		if (added && !(recipe->fast && device->programs->test[0]))
			program_keep(device, added);
	}
	*out = APSP_TAKE(program);
	return 0;
}

/* Build the fast form (steps 1 to 3 in the first comment of this file). If the
   form fails its trial, or was given up earlier, the result is 0 and *out stays
   NULL. */
static int fast_build(
	const struct recipe *recipe, cl_program *out, struct apsp_err *err)
{
	const struct apsp_untried form = {
		recipe->source, recipe->key, recipe->element, recipe->more};
	const struct apsp_device *device = recipe->device;
	bool good;
	int r;

	if (apsp_kernel_form_doubted(device, recipe->source, recipe->key))
		return 0;
	*out = recipe_load(recipe);
	if (*out)
		return 0;
	r = apsp_kernel_form_try(device, &form, &good, err);
	if (r < 0 || !good ||
		apsp_kernel_form_doubted(device, recipe->source, recipe->key))
		return r;
	return recipe_build(recipe, out, err);
}

/*
 * Compile the fast form once more (step 5 in the first comment of this file).
 * Its first failure may have been temporary: the disk may have been full, or a
 * signal may have made the compiler remove its own files. If the fast form
 * compiles now, it replaces the plain program in *out.
 */
static void fast_retry(const struct recipe *fast, cl_program *out)
{
	cl_program program = NULL;

	if (recipe_build(fast, &program, NULL) < 0) {
		apsp_kernel_form_give_up(fast->device, fast->source, fast->key,
			"does not compile");
		return;
	}
	program_done(out);
	*out = program;
}

/* Whether the source with this text has a fast form on this device. */
static bool has_fast_form(const struct apsp_device *device, const char *text)
{
	static const char define[] = "-D";
	char name[APSP_FAST_SIZE];

	if (strncmp(device->fast, define, strlen(define)) != 0)
		return false;
	strcpy(name, device->fast + strlen(define));
	name[strcspn(name, "= ")] = '\0';
	return strstr(text, name);
}

static int program_build(const struct apsp_device *device, const char *source,
	enum apsp_element element, const char *more, cl_program *out,
	struct apsp_err *err)
{
	APSP_AUTO(recipe_done) struct recipe fast = {0};
	APSP_AUTO(recipe_done) struct recipe plain = {0};
	const char *text = source_find(source);
	bool failed = false;
	int r;

	if (!text)
		return apsp_fail(err, APSP_EBUG, "no kernel '%s'", source);
	if (has_fast_form(device, text)) {
		r = recipe_make(
			device, source, text, element, more, true, &fast, err);
		if (r < 0)
			return r;
		*out = NULL;
		r = fast_build(&fast, out, err);
		if (*out || (r < 0 && r != APSP_EDEVICE))
			return r;
		failed = r < 0;
	}
	r = recipe_make(
		device, source, text, element, more, false, &plain, err);
	if (r < 0)
		return r;
	r = recipe_build(&plain, out, err);
	if (r >= 0 && failed)
		fast_retry(&fast, out);
	return r;
}

int apsp_kernel_cache_build(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	const struct apsp_kernel_wanted *kernels, size_t n,
	struct apsp_err *err)
{
	APSP_AUTO(program_done) cl_program program = NULL;
	int r = program_build(device, source, element, more, &program, err);

	for (size_t k = 0; r >= 0 && k < n; k++) {
		cl_int status;
		cl_kernel made =
			clCreateKernel(program, kernels[k].name, &status);

		r = apsp_opencl_check(status, kernels[k].name, err);
		if (r >= 0)
			*kernels[k].out = made;
	}
	return r;
}

int apsp_kernel_cache_kernel(const struct apsp_device *device,
	const char *source, enum apsp_element element, const char *more,
	const char *kernel, cl_kernel *out, struct apsp_err *err)
{
	const struct apsp_kernel_wanted wanted = {kernel, out};

	return apsp_kernel_cache_build(
		device, source, element, more, &wanted, 1, err);
}

/* Make the name of a test in the list of passed tests. It consists of the
   test's own name, a checksum of the tuning row, and the compiler options of
   fast forms. */
static void passed_name(const struct apsp_device *device, const char *test,
	char out[APSP_TRIAL_SIZE])
{
	snprintf(out, APSP_TRIAL_SIZE, "%s %016" PRIx64 " %s", test,
		apsp_checksum(device->tuning, sizeof(*device->tuning)),
		device->fast);
}

bool apsp_kernel_cache_passed(
	const struct apsp_device *device, const char *test)
{
	const struct apsp_passed_test *passed = device->programs->passed;
	char name[APSP_TRIAL_SIZE];

	passed_name(device, test, name);
	while (passed && strcmp(passed->name, name) != 0)
		passed = passed->next;
	return passed;
}

void apsp_kernel_cache_pass(const struct apsp_device *device, const char *test)
{
	struct apsp_passed_test *passed = malloc(sizeof(*passed));

	if (!passed)
		return;
	passed_name(device, test, passed->name);
	passed->next = device->programs->passed;
	device->programs->passed = passed;
}
