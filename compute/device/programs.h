/*
 * Two lists of an open device: the programs that it has compiled, which are
 * found by their keys (kernel_cache.h), and the tests that it has passed with
 * these programs. Both lists are kept until the device closes, because jobs use
 * the same kernels many times. Only the device's thread may use the lists.
 */
#ifndef APSP_COMPUTE_DEVICE_PROGRAMS_H
#define APSP_COMPUTE_DEVICE_PROGRAMS_H

#include <CL/cl.h>
#include <stdbool.h>

#include "compute/device/trial_ops.h"

/* Whether a program may be used, and why. */
enum apsp_program_state {
	APSP_PROGRAM_USED, /* the program compiled, but no test has passed with
			      it yet */
	APSP_PROGRAM_TRUSTED, /* a self-test has passed with the program */
	APSP_PROGRAM_DOUBTED, /* a self-test failed; the next test uses the
				 plain form instead of the program */
	/* the program is never used again, not even after the device is opened
	   again, because a file beside the compiled kernels records that the
	   program was given up */
	APSP_PROGRAM_GIVEN_UP,
	APSP_PROGRAM_LEFT /* the program is not used again until the device
			     closes */
};

struct apsp_program {
	char *key;	    /* owned */
	char *source;	    /* the kernel file's name; owned */
	cl_program program; /* owned; NULL: the program is not used */
	bool fast;	    /* the program is a fast form (kernel_form.h) */
	bool kept;	    /* the program's binary is in the cache directory */
	enum apsp_program_state state;
	struct apsp_program *next;
};

/* The state of a test of the device in a separate process. */
enum apsp_test_state { APSP_TEST_UNTRIED, APSP_TEST_PASSED, APSP_TEST_FAILED };

struct apsp_passed_test;

struct apsp_programs {
	struct apsp_program *first;
	struct apsp_passed_test *passed; /* owned */
	/* the test that runs now; "": none (form_trial.h) */
	char test[APSP_TRIAL_SIZE];
	enum apsp_test_state tried;
};

/* Make an empty list. NULL: no memory. */
struct apsp_programs *apsp_programs_new(void);
void apsp_programs_free(struct apsp_programs *programs); /* accepts NULL */

/* Find the program with this key. NULL: there is none. */
struct apsp_program *apsp_programs_find(
	const struct apsp_programs *programs, const char *key);

/* Add a program. The list takes its own reference to `program`, which may be
   NULL. Returns NULL if there is no memory. Then the program will be compiled
   again when it is needed. */
struct apsp_program *apsp_programs_add(struct apsp_programs *programs,
	const char *key, const char *source, cl_program program, bool fast);

/* Whether a test of this name has passed. */
bool apsp_programs_passed(
	const struct apsp_programs *programs, const char *test);

/* Record that a test has passed. If there is no memory for the record, the test
   will be repeated. */
void apsp_programs_pass(struct apsp_programs *programs, const char *test);

#endif
