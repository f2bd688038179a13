/*
 * Two lists of an open device. The first list has the programs that were
 * compiled for the device; each program is found by its key (kernel_cache.h).
 * The second list has the tests that the device has passed with these programs.
 * Both lists are kept until the device closes, because jobs use the same
 * kernels many times. Only the thread that uses the device may use the lists.
 */
#ifndef APSP_COMPUTE_DEVICE_PROGRAMS_H
#define APSP_COMPUTE_DEVICE_PROGRAMS_H

#include <CL/cl.h>
#include <stdbool.h>

#include "compute/device/trial_ops.h"

/* Says whether the device is allowed to use a program, and why. */
enum apsp_program_state {
	APSP_PROGRAM_USED, /* the program has been compiled, but the device has
			      not passed a test with this program yet */
	APSP_PROGRAM_TRUSTED, /* the device has passed a self-test with the
				 program */
	APSP_PROGRAM_DOUBTED, /* the device failed a self-test, perhaps because
				 of this program; the self-test is repeated with
				 the plain form of the program's kernels */
	/* the program has failed and is never used again; a file beside the
	   compiled kernels records this, so that later processes do not use the
	   program either */
	APSP_PROGRAM_GIVEN_UP,
	APSP_PROGRAM_LEFT /* the program is not used until the device closes; a
			     later process may try it again */
};

struct apsp_program {
	char *key;    /* owned */
	char *source; /* the kernel file's name; owned */
	/* owned; NULL: the program was not compiled or does not compile, so the
	   device must not use it */
	cl_program program;
	bool fast; /* the program is a fast form (kernel_form.h) */
	bool kept; /* the program's binary is in the cache directory */
	enum apsp_program_state state;
	struct apsp_program *next;
};

/* The state of a test that runs in a separate process. */
enum apsp_test_state { APSP_TEST_UNTRIED, APSP_TEST_PASSED, APSP_TEST_FAILED };

struct apsp_passed_test {
	struct apsp_passed_test *next;
	char name[APSP_TRIAL_SIZE];
};

/* The lists of programs and of passed tests. The caller allocates the struct as
   zeros, so that both lists are empty. */
struct apsp_programs {
	struct apsp_program *first;
	struct apsp_passed_test *passed; /* owned */
	/* the test that runs now (kernel_form.h); "": no test runs */
	char test[APSP_TRIAL_SIZE];
	enum apsp_test_state tried;
};

/* Free both lists, and then *programs itself with free(). `programs` may be
   NULL. */
void apsp_programs_free(struct apsp_programs *programs);

/* Find the program with this key. NULL: the list has no such program. */
struct apsp_program *apsp_programs_find(
	const struct apsp_programs *programs, const char *key);

/* Add a program. The list takes its own reference to `program`, which may be
   NULL. Returns NULL if there is no memory. Then the program will be compiled
   again when it is needed. */
struct apsp_program *apsp_programs_add(struct apsp_programs *programs,
	const char *key, const char *source, cl_program program, bool fast);

#endif
