/*
 * Cases that a test passes over because of what the device lacks. The device is
 * asked, never named, and each case is told in a line of its own, which
 * devices.sh counts.
 */
#ifndef APSP_TESTS_PASSED_OVER_H
#define APSP_TESTS_PASSED_OVER_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "compute/device/device.h"
#include "tests/solved.h"

/* Whether the device has no doubles; then a case that needs them is told. */
static inline bool passed_over_doubles(const struct apsp_device *device)
{
	if (!device->info.has_double)
		puts("passed over: doubles");
	return !device->info.has_double;
}

/*
 * Whether the device cannot make the sums and statistics of a table's rows
 * (compute/tables/sums_device.h, compute/statistics/stats_device.h); then a
 * case that needs them is told.
 */
static inline bool passed_over_row_kernels(const struct apsp_device *device)
{
	if (passed_over_doubles(device))
		return true;
	if (device->info.limits.group_items >= 256)
		return false;
	puts("passed over: groups of 256 items");
	return true;
}

/*
 * Whether a solve was refused, rightly, because V needs doubles and the device
 * has none. expected: the host's tables of the graph; where its distances have
 * 16 or 32 bits, so has V.
 */
static inline bool passed_over_solve(const struct apsp_device *device,
	const struct solved *expected, int result, const struct apsp_err *err)
{
	uint32_t distance =
		expected->header->sections[APSP_SECTION_DISTANCE].element;

	return result == APSP_ELIMIT && distance != APSP_ELEMENT_U16 &&
	       distance != APSP_ELEMENT_I32 &&
	       strstr(err->message,
		       "64-bit arithmetic, which the device does not have") &&
	       passed_over_doubles(device);
}

#endif
