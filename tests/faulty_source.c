/*
 * For LD_PRELOAD: an OpenCL driver that compiles kernels with a fault. The text
 * APSP_SOURCE_FAULT_OLD becomes APSP_SOURCE_FAULT_NEW, where it first occurs in
 * a program.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/next_call.h"

/* The text with its fault, which the caller frees. NULL: it has no such place.
 */
static char *text_change(const char *text)
{
	const char *old = getenv("APSP_SOURCE_FAULT_OLD");
	const char *new = getenv("APSP_SOURCE_FAULT_NEW");
	const char *place = old && new ? strstr(text, old) : NULL;
	size_t size = place ? strlen(text) + strlen(new) + 1 : 0;
	char *changed = place ? malloc(size) : NULL;

	if (changed)
		snprintf(changed, size, "%.*s%s%s", (int)(place - text), text,
			new, place + strlen(old));
	return changed;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint n,
	const char **texts, const size_t *sizes, cl_int *status)
{
	cl_program (*call)(
		cl_context, cl_uint, const char **, const size_t *, cl_int *);
	char *changed = n == 1 && !sizes ? text_change(texts[0]) : NULL;
	cl_program program;

	NEXT(call, "clCreateProgramWithSource");
	program = call(context, n, changed ? (const char **)&changed : texts,
		sizes, status);
	free(changed);
	return program;
}
