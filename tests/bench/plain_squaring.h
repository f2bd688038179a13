/*
 * Min-plus squaring in its simplest form, with which minplus-squaring is
 * compared: a matrix by rows, a work-item for each cell, into a second matrix,
 * until nothing changes. A failure ends the program.
 */
#ifndef APSP_TESTS_BENCH_PLAIN_SQUARING_H
#define APSP_TESTS_BENCH_PLAIN_SQUARING_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "tests/bench/bench_graph.h"

struct bench_squaring {
	const struct apsp_device *device; /* borrowed, as the graph */
	const struct bench_graph *graph;
	enum apsp_element element;
	cl_kernel kernel;
	cl_mem start; /* the arcs, upload order */
	cl_mem matrices[2];
	cl_mem changed;
};

/* The caller ends *out with bench_squaring_close(). */
void bench_squaring_open(const struct apsp_device *device,
	const struct bench_graph *graph, enum apsp_element element,
	struct bench_squaring *out);
void bench_squaring_close(struct bench_squaring *squaring);

/* Seconds of one run. With check, a row is compared with Dijkstra's. */
double bench_squaring_run(const struct bench_squaring *squaring, bool check);

#endif
