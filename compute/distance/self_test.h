/*
 * A device must solve a tiny known graph before it is trusted with a job.
 */
#ifndef APSP_COMPUTE_DISTANCE_SELF_TEST_H
#define APSP_COMPUTE_DISTANCE_SELF_TEST_H

#include "compute/device/device.h"
#include "compute/distance/distance_algorithm.h"
#include "daemon/base/err.h"

/*
 * Solve a ring with chords, two tiles a side, in the element that the job will
 * use, and compare each distance with the known one; where that fails with fast
 * forms of kernels, once more with their plain forms (kernel_form.h).
 * APSP_EDEVICE: the device computes wrongly, or cannot run our kernels.
 */
int apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	enum apsp_element element, struct apsp_err *err);

#endif
