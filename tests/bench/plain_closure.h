/*
 * The closure in its simplest form, with which closure-squaring and
 * closure-warshall are compared: a byte for each cell, by rows, a work-item for
 * each cell. It is squared until nothing changes, or computed by Warshall's
 * algorithm, one launch for each pivot. A failure ends the program.
 */
#ifndef APSP_TESTS_BENCH_PLAIN_CLOSURE_H
#define APSP_TESTS_BENCH_PLAIN_CLOSURE_H

#include <stdbool.h>

#include "compute/bits.h"
#include "compute/device/device.h"
#include "tests/bench/bench_graph.h"

enum bench_closure_method {
	BENCH_CLOSURE_SQUARING,
	BENCH_CLOSURE_WARSHALL,
};

struct bench_closure {
	const struct apsp_device *device; /* borrowed */
	enum bench_closure_method method;
	uint32_t n_vertices;
	cl_kernel kernel;
	cl_mem start; /* the arcs, reflexive */
	cl_mem matrices[2];
	cl_mem changed;
};

/* The caller ends *out with bench_closure_close(). */
void bench_closure_open(const struct apsp_device *device,
	enum bench_closure_method method, const struct bench_graph *graph,
	struct bench_closure *out);
void bench_closure_close(struct bench_closure *closure);

/*
 * Seconds from arcs to closure, both on the device. The result is compared with
 * *expected; NULL: it is not.
 */
double bench_closure_run(
	const struct bench_closure *closure, const struct apsp_bits *expected);

#endif
