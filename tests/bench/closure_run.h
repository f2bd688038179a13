/* One timed run of a closure of the product. A failure ends the program. */
#ifndef APSP_TESTS_BENCH_CLOSURE_RUN_H
#define APSP_TESTS_BENCH_CLOSURE_RUN_H

#include "compute/bits.h"
#include "compute/closure/closure_algorithm.h"

/*
 * Seconds from arcs on the task's device to bits there; without a device,
 * seconds of the whole closure. The caller ends *out with apsp_bits_done().
 */
double bench_closure_make(const struct apsp_closure_algorithm *closure,
	const struct apsp_closure_task *task, struct apsp_bits *out);

#endif
