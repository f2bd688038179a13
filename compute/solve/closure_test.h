/*
 * A device must find who reaches whom in a small known graph before it is
 * trusted with a job's closure.
 */
#ifndef APSP_COMPUTE_SOLVE_CLOSURE_TEST_H
#define APSP_COMPUTE_SOLVE_CLOSURE_TEST_H

#include "compute/closure/closure_algorithm.h"
#include "compute/device/device.h"
#include "daemon/base/err.h"

/*
 * Make the closure of two tiles a side by `run`, and compare each row with a
 * search on the host. APSP_EDEVICE: the device computes wrongly, or cannot run
 * our kernels.
 */
int apsp_closure_test_run(const struct apsp_device *device,
	int (*run)(const struct apsp_closure_task *task,
		struct apsp_progress *progress, struct apsp_bits *out,
		struct apsp_err *err),
	struct apsp_err *err);

#endif
