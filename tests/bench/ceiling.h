/*
 * The most relaxations that a device can compute: chains of additions and
 * minima in registers, as wide as in the device's relax kernel, and nothing
 * else in the loop.
 */
#ifndef APSP_TESTS_BENCH_CEILING_H
#define APSP_TESTS_BENCH_CEILING_H

#include "compute/device/device.h"
#include "daemon/job/table_file.h"

struct bench_ceiling {
	const struct apsp_device *device; /* borrowed */
	cl_kernel kernel;
	cl_mem buffer;
	size_t items, group;
	cl_uint steps;
	double per_step; /* relaxations of an item in one step */
};

/*
 * Prepare the ceiling for an element type of V. The caller ends *out with
 * bench_ceiling_close(). If the device fails, here or below, the program ends.
 */
void bench_ceiling_open(const struct apsp_device *device,
	enum apsp_element element, struct bench_ceiling *out);
void bench_ceiling_close(struct bench_ceiling *ceiling);

/*
 * Relaxations per second. Blocks for some milliseconds. Call it right before
 * the run that is compared with it, since other programs may slow down either.
 */
double bench_ceiling_run(const struct bench_ceiling *ceiling);

#endif
