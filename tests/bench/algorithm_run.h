/*
 * Runs of one algorithm on one graph, timed one by one, so that a benchmark can
 * run others in between. What fails ends the program.
 */
#ifndef APSP_TESTS_BENCH_ALGORITHM_RUN_H
#define APSP_TESTS_BENCH_ALGORITHM_RUN_H

#include <stdbool.h>

#include "compute/distance/distance_algorithm.h"
#include "tests/bench/bench_graph.h"

struct bench_algorithm {
	const struct apsp_device *device; /* these three borrowed */
	const struct apsp_distance_algorithm *algorithm;
	const struct bench_graph *graph;
	enum apsp_element element;
	struct apsp_device_arcs arcs;
};

/* Put the arcs on the device. The caller ends *out with _close(). */
void bench_algorithm_open(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	const struct bench_graph *graph, enum apsp_element element,
	struct bench_algorithm *out);
void bench_algorithm_close(struct bench_algorithm *bench);

/*
 * Fill new panels; returns the seconds that this took, its start apart: what
 * the panels hold before. *out_processor_s are those of all processors
 * together, as other programs hardly change them; NULL: not wanted. With check,
 * some rows are compared with Dijkstra's.
 */
double bench_algorithm_run(const struct bench_algorithm *bench, bool check,
	double *out_processor_s);

#endif
