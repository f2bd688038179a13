/*
 * The self-tests that a device has passed since it was opened. Each test runs
 * only once, because the tests would take a twentieth of a small job's time if
 * every job ran them. The rows of every job are proved anyway
 * (compute/tables/README.md, Proof).
 */
#ifndef APSP_COMPUTE_SOLVE_PASSED_TESTS_H
#define APSP_COMPUTE_SOLVE_PASSED_TESTS_H

#include "compute/closure/closure_algorithm.h"
#include "compute/solve/self_test.h"

/* Call apsp_self_test_run(), unless the device has passed the test `test` with
   its present tuning. Returns the errors of apsp_self_test_run(). */
int apsp_passed_tests_distance(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);

/* Call apsp_closure_test_run(), unless the device has already passed the
   closure test with this algorithm and its present tuning. Returns the errors
   of apsp_closure_test_run(). */
int apsp_passed_tests_closure(const struct apsp_device *device,
	const struct apsp_closure_algorithm *closure, struct apsp_err *err);

#endif
