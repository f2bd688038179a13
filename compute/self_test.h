/*
 * A tiny known graph is solved on a device before the device is trusted.
 */
#ifndef APSP_COMPUTE_SELF_TEST_H
#define APSP_COMPUTE_SELF_TEST_H

#include "compute/algorithm.h"
#include "compute/device.h"
#include "daemon/base/err.h"

/*
 * Solve a ring with chords that spans four tiles, in the element that the job
 * will use, and compare with the host. APSP_EDEVICE: the device computes
 * wrongly, or cannot run our kernels.
 */
int apsp_self_test(const struct apsp_device *device,
	const struct apsp_algorithm *algorithm, enum apsp_element element,
	struct apsp_err *err);

#endif
