/*
 * The ceiling of relaxations on a device: chains of add and min in registers,
 * as wide as the device's relax kernel has them, with nothing else in the loop.
 */
#ifndef APSP_TESTS_BENCH_CEILING_H
#define APSP_TESTS_BENCH_CEILING_H

#include "compute/device/device.h"
#include "daemon/base/table_file.h"

struct bench_ceiling {
	const struct apsp_device *device; /* borrowed */
	cl_kernel kernel;
	cl_mem buffer;
	size_t items, group;
	cl_uint steps;
	double per_step; /* relaxations of an item in one step */
};

/*
 * Make ready for elements of V; the caller ends *out with
 * bench_ceiling_close(). A device that fails ends the program, below too.
 */
void bench_ceiling_open(const struct apsp_device *device,
	enum apsp_element element, struct bench_ceiling *out);
void bench_ceiling_close(struct bench_ceiling *ceiling);

/*
 * Relaxations a second. Blocks for some milliseconds: run it right before what
 * is compared with it, since other programs may slow down either.
 */
double bench_ceiling_run(const struct bench_ceiling *ceiling);

#endif
