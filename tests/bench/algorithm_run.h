/*
 * Runs of one algorithm on one graph. Each run is a call, so that a benchmark
 * can run other programs in between. A failure ends the program.
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

/* Copy the arcs to the device. The caller ends *out with _close(). */
void bench_algorithm_open(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	const struct bench_graph *graph, enum apsp_element element,
	struct bench_algorithm *out);
void bench_algorithm_close(struct bench_algorithm *bench);

/*
 * Fill new panels and return the seconds of the algorithm, without its start,
 * in which the panels get their first values. *out_processor_s is the processor
 * time of all processors together, which other programs hardly change; NULL:
 * not wanted. With check, some rows are compared with Dijkstra's.
 */
double bench_algorithm_run(const struct bench_algorithm *bench, bool check,
	double *out_processor_s);

#endif
