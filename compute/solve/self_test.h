/*
 * A device must solve a small known graph before it is trusted with a job;
 * closure_test.h has another for its closures.
 */
#ifndef APSP_COMPUTE_SOLVE_SELF_TEST_H
#define APSP_COMPUTE_SOLVE_SELF_TEST_H

#include "compute/device/device.h"
#include "compute/distance/distance_algorithm.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

enum {
	APSP_SELF_TEST_NAME_SIZE = APSP_TRIAL_SIZE / 2,
};

/* What a job will use. */
struct apsp_self_test {
	const struct apsp_distance_algorithm *algorithm;
	enum apsp_element element; /* of V */
	enum apsp_element sums;	   /* APSP_ELEMENT_NONE: of no sums */
	bool hops;		   /* all lengths are 1 */
	/* of multi-source's batches (batch_size.h); 0: as few vertices have */
	uint32_t lane_bytes;
};

/*
 * Solve a ring with chords, two tiles a side, in the element that the job will
 * use, and compare each distance with the known one, each predecessor, the
 * counts and marks of the kernel that finds them, and each path sum, where the
 * job's distances are sums and the device makes them. Where that fails twice
 * with fast forms of kernels, once more with their plain forms (kernel_form.h).
 * APSP_EDEVICE: the device computes wrongly, or cannot run our kernels.
 */
int apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);

/* The test as a text. */
void apsp_self_test_name(
	const struct apsp_self_test *test, char out[APSP_SELF_TEST_NAME_SIZE]);

/* The same of a test as a text, which a trial is given (form_trial.h).
   APSP_EBUG: it is none. */
int apsp_self_test_named(const struct apsp_device *device, const char *name,
	struct apsp_err *err);

#endif
