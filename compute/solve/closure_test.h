/*
 * Tests how a device computes closures. The device must find all reachable
 * pairs of a small known graph before it computes the closure of a job.
 */
#ifndef APSP_COMPUTE_SOLVE_CLOSURE_TEST_H
#define APSP_COMPUTE_SOLVE_CLOSURE_TEST_H

#include "compute/closure/closure_algorithm.h"
#include "compute/device/device.h"
#include "daemon/base/err.h"

/*
 * Compute the closure of a test graph by the algorithm `closure`, and compare
 * each row with a search on the host. The closure's matrix has two by two
 * tiles. If the device has already passed this test since it was opened, the
 * function returns 0 at once. APSP_EDEVICE: the device computes wrongly, or
 * cannot run our kernels.
 */
int apsp_closure_test_run(const struct apsp_device *device,
	const struct apsp_closure_algorithm *closure, struct apsp_err *err);

#endif
