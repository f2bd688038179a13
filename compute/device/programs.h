/*
 * The programs that an open device has compiled, by their key (kernel_cache.h),
 * until it closes: a job and a calibration make the same kernels many times.
 * Belongs to the device's thread.
 */
#ifndef APSP_COMPUTE_DEVICE_PROGRAMS_H
#define APSP_COMPUTE_DEVICE_PROGRAMS_H

#include <CL/cl.h>
#include <stdbool.h>

/* What is known of a program. */
enum apsp_program_state {
	APSP_PROGRAM_USED,    /* it compiled */
	APSP_PROGRAM_TRUSTED, /* a self-test has passed with it */
	APSP_PROGRAM_DOUBTED, /* it did not compile, or its self-test failed */
	APSP_PROGRAM_GIVEN_UP /* doubted, and kept on disk as such */
};

struct apsp_program {
	char *key;	    /* owned */
	char *source;	    /* the kernel file's name; owned */
	cl_program program; /* owned; NULL: it did not compile */
	bool fast;	    /* a fast form (kernel_form.h) */
	enum apsp_program_state state;
	struct apsp_program *next;
};

struct apsp_programs {
	struct apsp_program *first;
};

/* NULL: no memory. */
struct apsp_programs *apsp_programs_new(void);
void apsp_programs_free(struct apsp_programs *programs); /* accepts NULL */

/* NULL: there is none of that key. */
struct apsp_program *apsp_programs_find(
	const struct apsp_programs *programs, const char *key);

/*
 * Add a program, whose reference stays the caller's; program may be NULL.
 * Returns NULL where memory is short: it is compiled again then.
 */
struct apsp_program *apsp_programs_add(struct apsp_programs *programs,
	const char *key, const char *source, cl_program program, bool fast);

#endif
