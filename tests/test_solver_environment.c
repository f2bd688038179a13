/*
 * The variables that drivers see in the solver.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/solve/solver_environment.h"

static void test_set(void **state)
{
	(void)state;
	unsetenv("POCL_CACHE_DIR");
	unsetenv("CUDA_CACHE_PATH");
	setenv("XDG_CACHE_HOME", "/mine", 1);
	setenv("NOTIFY_SOCKET", "/nobody", 1);
	setenv("WATCHDOG_USEC", "1", 1);
	setenv("PATH", "/sbin", 1);
	apsp_solver_environment_set("/cache");
	assert_string_equal(getenv("POCL_CACHE_DIR"), "/cache/pocl-kernels");
	assert_string_equal(getenv("CUDA_CACHE_PATH"), "/cache/cuda");
	assert_string_equal(getenv("XDG_CACHE_HOME"), "/mine");
	assert_null(getenv("NOTIFY_SOCKET"));
	assert_null(getenv("WATCHDOG_USEC"));
	assert_string_equal(getenv("PATH"), "/sbin:/usr/bin:/bin");
	unsetenv("PATH");
	unsetenv("POCL_CACHE_DIR");
	apsp_solver_environment_set(NULL);
	assert_null(getenv("POCL_CACHE_DIR"));
	assert_string_equal(getenv("PATH"), "/usr/local/bin:/usr/bin:/bin");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
