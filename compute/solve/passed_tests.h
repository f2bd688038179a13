/*
 * The self-tests that a device has passed since it was opened. Each kind runs
 * once: in a solver that stays, they would take a twentieth of a small job.
 * Rows are proved in every job (compute/tables/README.md, Proof).
 */
#ifndef APSP_COMPUTE_SOLVE_PASSED_TESTS_H
#define APSP_COMPUTE_SOLVE_PASSED_TESTS_H

#include "compute/closure/closure_algorithm.h"
#include "compute/solve/self_test.h"

/* apsp_self_test_run(), unless the device has passed this test with the same
   tuning. */
int apsp_passed_tests_distance(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);

/* The same for apsp_closure_test_run(); the closure's name identifies the
   test. */
int apsp_passed_tests_closure(const struct apsp_device *device,
	const struct apsp_closure_algorithm *closure, struct apsp_err *err);

#endif
