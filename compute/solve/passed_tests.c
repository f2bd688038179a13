/*
 * Remembers the names of the tests that a device has passed; see
 * passed_tests.h.
 */
#include "compute/solve/passed_tests.h"

#include <inttypes.h>
#include <stdio.h>

#include "compute/device/programs.h"
#include "compute/solve/closure_test.h"
#include "daemon/base/checksum.h"

/* Make the name under which a passed test is remembered. The name consists of
   the test's own name, a checksum of the tuning row, and the compiler options
   of fast forms. */
static void name_make(const struct apsp_device *device, const char *test,
	char out[APSP_TRIAL_SIZE])
{
	snprintf(out, APSP_TRIAL_SIZE, "%s %016" PRIx64 " %s", test,
		apsp_checksum(device->tuning, sizeof(*device->tuning)),
		device->fast);
}

int apsp_passed_tests_distance(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	char kind[APSP_SELF_TEST_NAME_SIZE], name[APSP_TRIAL_SIZE];
	int r;

	apsp_self_test_name(test, kind);
	name_make(device, kind, name);
	if (apsp_programs_passed(device->programs, name))
		return 0;
	r = apsp_self_test_run(device, test, err);
	if (r >= 0)
		apsp_programs_pass(device->programs, name);
	return r;
}

int apsp_passed_tests_closure(const struct apsp_device *device,
	const struct apsp_closure_algorithm *closure, struct apsp_err *err)
{
	char name[APSP_TRIAL_SIZE];
	int r;

	name_make(device, closure->name, name);
	if (apsp_programs_passed(device->programs, name))
		return 0;
	r = apsp_closure_test_run(device, closure, err);
	if (r >= 0)
		apsp_programs_pass(device->programs, name);
	return r;
}
