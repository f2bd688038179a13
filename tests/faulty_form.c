/*
 * For LD_PRELOAD: an OpenCL driver that fails with the fast form of one kernel
 * (compute/device/kernel_form.h). APSP_FORM_FAULT is "SOURCE FAULT"; FAULT is
 * what happens to that program:
 *
 *	build    it does not compile
 *	wrong    it computes wrongly
 *	crash    its compiler crashes
 *	launch   the process crashes where a kernel of it is launched
 *	hang     its compiler computes until the kernel ends the process
 *
 * Where APSP_FORM_ONCE names a file, only the process that makes the file has
 * the fault. With APSP_FORM_GPU devices tell that they are NVIDIA's, and take
 * inline PTX; fast forms are then compiled without.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/sources.h"
#include "tests/next_call.h"

enum {
	PROGRAMS = 256,
	OPTIONS = 512,
};

static cl_program ours[PROGRAMS]; /* of the source, with either form */
static size_t n_ours;
static cl_program faulty; /* the fast one */

static const char *fault(void)
{
	const char *text = getenv("APSP_FORM_FAULT");

	return text && strchr(text, ' ') ? strchr(text, ' ') + 1 : "";
}

static bool is_source(const char *text)
{
	const char *wanted = getenv("APSP_FORM_FAULT");

	for (const struct apsp_kernel_source *s = apsp_kernel_sources;
		wanted && s->name; s++)
		if (strncmp(wanted, s->name, strcspn(wanted, " ")) == 0 &&
			s->name[strcspn(wanted, " ")] == '\0')
			return strcmp(s->text, text) == 0;
	return false;
}

static bool happens(void)
{
	const char *once = getenv("APSP_FORM_ONCE");
	int fd = once ? open(once, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;

	if (fd >= 0)
		close(fd);
	return !once || fd >= 0;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint n,
	const char **texts, const size_t *sizes, cl_int *status)
{
	cl_program (*call)(
		cl_context, cl_uint, const char **, const size_t *, cl_int *);
	cl_program program;

	NEXT(call, "clCreateProgramWithSource");
	program = call(context, n, texts, sizes, status);
	if (program && is_source(texts[0]) && n_ours < PROGRAMS)
		ours[n_ours++] = program;
	return program;
}

static bool is_ours(cl_program program)
{
	for (size_t i = 0; i < n_ours; i++)
		if (ours[i] == program)
			return true;
	return false;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *ids,
	const char *options, void (*notify)(cl_program, void *), void *ctx)
{
	cl_int (*call)(cl_program, cl_uint, const cl_device_id *, const char *,
		void (*)(cl_program, void *), void *);
	char changed[OPTIONS];
	char *ptx;
	bool fast = strstr(options, "-DWIDEST=") || strstr(options, "-DPTX=1");

	NEXT(call, "clBuildProgram");
	snprintf(changed, sizeof(changed), "%s", options);
	ptx = strstr(changed, "-DPTX=1");
	if (ptx)
		ptx[strlen("-DPTX=")] = '0';
	if (fast && is_ours(program) && happens()) {
		if (strcmp(fault(), "build") == 0)
			return CL_BUILD_PROGRAM_FAILURE;
		if (strcmp(fault(), "crash") == 0)
			abort();
		/* the limit's signal comes each second; LLVM has a handler for
		   the first */
		while (strcmp(fault(), "hang") == 0)
			raise(SIGXCPU);
		if (strcmp(fault(), "wrong") == 0)
			/* values go to other places than others read */
			strncat(changed, " -DTILE=64",
				sizeof(changed) - strlen(changed) - 1);
		faulty = program;
	}
	return call(program, n, ids, changed, notify, ctx);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
	cl_uint dimensions, const size_t *offset, const size_t *global,
	const size_t *local, cl_uint n_events, const cl_event *events,
	cl_event *event)
{
	cl_int (*call)(cl_command_queue, cl_kernel, cl_uint, const size_t *,
		const size_t *, const size_t *, cl_uint, const cl_event *,
		cl_event *);
	volatile int *volatile nowhere = NULL;
	cl_program program = NULL;
	char name[64] = "";

	NEXT(call, "clEnqueueNDRangeKernel");
	clGetKernelInfo(
		kernel, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL);
	clGetKernelInfo(
		kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL);
	/* this one knows no tiles */
	if (faulty && program == faulty && strcmp(fault(), "wrong") == 0 &&
		strcmp(name, "predecessors") == 0)
		return CL_SUCCESS;
	if (faulty && program == faulty && strcmp(fault(), "launch") == 0)
		*nowhere = 1;
	return call(queue, kernel, dimensions, offset, global, local, n_events,
		events, event);
}

cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size,
	void *out, size_t *out_size)
{
	static const char compiler[] = " cl_nv_compiler_options";
	cl_int (*call)(cl_device_id, cl_device_info, size_t, void *, size_t *);
	const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
	cl_int status;

	NEXT(call, "clGetDeviceInfo");
	status = call(id, what, size, out, out_size);
	if (status != CL_SUCCESS || !out || !getenv("APSP_FORM_GPU"))
		return status;
	if (what == CL_DEVICE_TYPE)
		memcpy(out, &gpu, sizeof(gpu));
	else if (what == CL_DEVICE_EXTENSIONS &&
		 strlen(out) + sizeof(compiler) <= size)
		strcat(out, compiler);
	return status;
}
