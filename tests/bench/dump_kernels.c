/*
 * Compile every kernel for the device at hand, in the forms for one compute
 * capability, and write the driver's output.
 *
 *	dump_kernels DIR CAPABILITY
 *
 * CAPABILITY is 75 for 7.5; 0: plain forms. The files are
 * DIR/<kernel>-<bits>.ptx: on NVIDIA they are PTX text, which
 * tests/nvidia_ptx.py assembles. Kernels that also compute widest paths come a
 * second time, as DIR/<kernel>-<bits>-widest.ptx. If a fast form does not
 * compile, there is a file *.plain in DIR (compute/device/kernel_form.h). The
 * exit status is 77 if the device's programs are not PTX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device.h"
#include "compute/device/programs.h"
#include "compute/device/kernel_cache.h"
#include "daemon/base/auto.h"
#include "kernels/sources.h"

enum {
	STATUS_NOT_PTX = 77,
	PATH_SIZE = 4096,
};

static int die(const char *what)
{
	fprintf(stderr, "dump_kernels: %s\n", what);
	return EXIT_FAILURE;
}

/* Returns an exit status. */
static int program_write(cl_program program, const char *path)
{
	APSP_AUTO(apsp_free) unsigned char *binary = NULL;
	size_t size = 0, written;
	FILE *file;

	if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size),
		    &size, NULL) != CL_SUCCESS ||
		!(binary = calloc(1, size + 1)) ||
		clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary),
			&binary, NULL) != CL_SUCCESS)
		return die("the driver hands out no program");
	if (!strstr((const char *)binary, ".target sm_"))
		return STATUS_NOT_PTX;
	file = fopen(path, "we");
	if (!file)
		return die(path);
	size = strlen((const char *)binary);
	written = fwrite(binary, 1, size, file);
	return fclose(file) == 0 && written == size ? 0 : die(path);
}

static int kernel_dump(const struct apsp_device *device, const char *source,
	enum apsp_element element, bool widest, const char *dir)
{
	struct apsp_err err;
	char path[PATH_SIZE];

	if (apsp_kernel_cache_build(device, source, element,
		    widest ? "-DEXTEND_MAX=1" : "", NULL, 0, &err) < 0)
		return die(err.message);
	snprintf(path, sizeof(path), "%s/%s-%zu%s.ptx", dir, source,
		8 * apsp_element_size(element), widest ? "-widest" : "");
	/* the list begins with the newest program */
	return program_write(device->programs->first->program, path);
}

int main(int argc, char **argv)
{
	static const enum apsp_element elements[] = {
		APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F64};
	const char *wanted = getenv("APSPD_DEVICE");
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	struct apsp_device_options options = {
		.device = wanted ? wanted : "gpu"};
	struct apsp_err err;
	int status = 0;
	long capability;

	if (argc != 3)
		return die("usage: dump_kernels DIR CAPABILITY");
	options.kernel_dir = argv[1];
	capability = strtol(argv[2], NULL, 10);
	if (apsp_device_open(&options, &device, &err) < 0) {
		fprintf(stderr, "dump_kernels: %s\n", err.message);
		return STATUS_NOT_PTX;
	}
	device.fast[0] = '\0';
	if (capability > 0)
		snprintf(device.fast, sizeof(device.fast),
			"-DPTX=1 -DCAPABILITY=%ld", capability);
	for (const struct apsp_kernel_source *s = apsp_kernel_sources;
		status == 0 && s->name; s++)
		/* kernels for CPUs use vectors that compilers of GPUs refuse */
		for (size_t e = 0; status == 0 && !strstr(s->name, "_cpu") &&
				   e < sizeof(elements) / sizeof(*elements);
			e++) {
			status = kernel_dump(
				&device, s->name, elements[e], false, argv[1]);
			if (status == 0 && strstr(s->text, "EXTEND_MAX"))
				status = kernel_dump(&device, s->name,
					elements[e], true, argv[1]);
		}
	return status;
}
