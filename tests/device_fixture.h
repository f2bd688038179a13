/*
 * A device for tests: the one that APSPD_DEVICE names (default: auto), with the
 * plain forms of kernels where APSP_TEST_FORM is "plain". Keeping
 * the binaries of kernels takes PoCL longer than compiling them, so only
 * device_fixture_setup_keeping() keeps them, in fixture->dir.
 */
#ifndef APSP_TESTS_DEVICE_FIXTURE_H
#define APSP_TESTS_DEVICE_FIXTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compute/device/device.h"

struct device_fixture {
	struct apsp_device device;
	char dir[256]; /* of whatever a test writes */
};

/* Element number `at` of V, and how many of them the device has: doubles come
   last. */
static inline enum apsp_element device_element(size_t at)
{
	static const enum apsp_element elements[] = {
		APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F64};

	return elements[at];
}

static inline size_t device_elements_count(const struct apsp_device *device)
{
	return device->info.has_double ? 3 : 2;
}

/*
 * How many tiles a side a test's graphs have: `few` where the device is slow,
 * which its row of tuning tells (llvmpipe's, not those of CPUs and GPUs).
 */
static inline uint32_t device_tiles(
	const struct apsp_device *device, uint32_t many, uint32_t few)
{
	return device->tuning->launch_relaxations < UINT64_C(1000000000) ? few
									 : many;
}

static inline int device_fixture_open(void **state, bool keeping)
{
	struct device_fixture *fixture = calloc(1, sizeof(*fixture));
	const char *tmp = getenv("TMPDIR"), *wanted = getenv("APSPD_DEVICE");
	const char *form = getenv("APSP_TEST_FORM");
	struct apsp_device_options options = {
		.device = wanted ? wanted : "auto",
	};
	struct apsp_err err;

	if (!fixture)
		return -1;
	snprintf(fixture->dir, sizeof(fixture->dir), "%s/apsp-test-XXXXXX",
		tmp ? tmp : "/tmp");
	if (!mkdtemp(fixture->dir))
		return -1;
	/* no directory can be made there */
	options.kernel_dir = keeping ? fixture->dir : "/dev/null/kernels";
	if (apsp_device_open(&options, &fixture->device, &err) < 0) {
		fprintf(stderr, "%s\n", err.message);
		return -1;
	}
	if (!fixture->device.fast[0])
		puts("no fast form"); /* devices.sh need not ask again */
	if (form && strcmp(form, "plain") == 0)
		fixture->device.fast[0] = '\0';
	*state = fixture;
	return 0;
}

static inline int device_fixture_setup(void **state)
{
	return device_fixture_open(state, false);
}

static inline int device_fixture_setup_keeping(void **state)
{
	return device_fixture_open(state, true);
}

static inline int device_fixture_teardown(void **state)
{
	struct device_fixture *fixture = *state;
	char command[300];
	int r;

	apsp_device_close(&fixture->device);
	snprintf(command, sizeof(command), "rm -rf '%s'", fixture->dir);
	r = system(command);
	free(fixture);
	return r;
}

#endif
