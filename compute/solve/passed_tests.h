/*
 * The self-tests that a device has passed since it was opened. Each kind is
 * made once: a solver that stays would spend a twentieth of a small job on
 * them. Rows are proved in every job (compute/tables).
 */
#ifndef APSP_COMPUTE_SOLVE_PASSED_TESTS_H
#define APSP_COMPUTE_SOLVE_PASSED_TESTS_H

#include "compute/closure/closure_algorithm.h"
#include "compute/solve/self_test.h"

/* apsp_self_test_run(), unless the same has passed with the same tuning. */
int apsp_passed_tests_distance(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);

/* apsp_closure_test_run() of the closure, likewise; its name tells it from
   others. */
int apsp_passed_tests_closure(const struct apsp_device *device,
	const struct apsp_closure_algorithm *closure, struct apsp_err *err);

#endif
