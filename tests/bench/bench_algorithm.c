/*
 * Relaxations a second of an algorithm on a device, next to the device's own
 * ceiling for one add and one min, measured in the same run.
 *
 *	bench_algorithm [DEVICE [ALGORITHM [GRAPH [ELEMENT [RUNS [PIVOT
 *		[DEVICE_MEMORY]]]]]]]
 *
 * GRAPH is a word of bench_graph.h. ELEMENT is u16, i32, f64 or auto: what the
 * solver would try first. PIVOT is the pivot block in tiles, in place of the
 * tuning table's where it is not 0, DEVICE_MEMORY a cap in bytes, as of
 * apsp-solve --device-memory. Times are medians of RUNS runs, upload apart, and
 * the ceiling is measured before each; a run before them is checked: some rows
 * against Dijkstra's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/algorithm.h"
#include "compute/device.h"
#include "tests/bench/bench_graph.h"
#include "tests/bench/ceiling.h"
#include "tests/bench/timing.h"

enum {
	ROWS_CHECKED = 3,
};

/* Some rows of V against Dijkstra's. */
static void rows_check(
	const struct bench_graph *graph, const struct apsp_panels *panels)
{
	uint32_t n = panels->n_vertices;
	size_t size = (size_t)n * apsp_element_size(panels->element);
	void *row = malloc(size);
	struct apsp_err err;
	cl_mem out;

	if (apsp_device_buffer(panels->device, size, NULL, &out, &err) < 0)
		bench_die(&err);
	for (uint32_t i = 0; i < ROWS_CHECKED; i++) {
		uint32_t v = (uint32_t)((uint64_t)n * i / ROWS_CHECKED);

		if (apsp_panels_rows(panels, v, 1, out, &err) < 0 ||
			apsp_device_check(
				clEnqueueReadBuffer(panels->device->queue, out,
					CL_TRUE, 0, size, row, 0, NULL, NULL),
				"read a row", &err) < 0)
			bench_die(&err);
		bench_graph_check(graph, panels->element, v, row);
	}
	apsp_device_buffer_done(&out);
	free(row);
}

/* Returns seconds; *out_ceiling is in relaxations a second. */
static double algorithm_run(const struct apsp_device *device,
	const struct apsp_algorithm *algorithm, const struct bench_graph *graph,
	enum apsp_element element, int runs, double *out_ceiling)
{
	const struct apsp_problem *p = &graph->problem;
	struct apsp_device_arcs arcs;
	struct apsp_monitor silent;
	struct apsp_panels panels;
	double times[BENCH_RUNS_MAX], ceilings[BENCH_RUNS_MAX];
	struct bench_ceiling ceiling;
	struct apsp_err err;
	const struct apsp_task task = {
		&p->lengths, &p->integers, &p->order, &arcs};

	apsp_monitor_init(&silent, NULL, NULL);
	if (apsp_device_arcs_load(device, &p->lengths, &p->integers, &p->order,
		    element, &arcs, &err) < 0)
		bench_die(&err);
	bench_ceiling_open(device, element, &ceiling);
	for (int i = -1; i < runs; i++) {
		double start;

		if (apsp_algorithm_panels(algorithm, device, &task, element,
			    &panels, &err) < 0)
			bench_die(&err);
		clFinish(device->queue);
		if (i >= 0)
			ceilings[i] = bench_ceiling_run(&ceiling);
		start = bench_now_s();
		if (algorithm->run(&task, &panels, &silent, &err) < 0)
			bench_die(&err);
		if (i >= 0)
			times[i] = bench_now_s() - start;
		else
			rows_check(graph, &panels);
		apsp_panels_done(&panels);
	}
	bench_ceiling_close(&ceiling);
	apsp_device_arcs_done(&arcs);
	*out_ceiling = bench_median(ceilings, runs);
	return bench_median(times, runs);
}

static enum apsp_element element_of(const char *name)
{
	return strcmp(name, "u16") == 0	  ? APSP_ELEMENT_U16
	       : strcmp(name, "i32") == 0 ? APSP_ELEMENT_I32
	       : strcmp(name, "f64") == 0 ? APSP_ELEMENT_F64
					  : APSP_ELEMENT_NONE;
}

int main(int argc, char **argv)
{
	const struct apsp_device_options options = {
		.device = argc > 1 ? argv[1] : "auto",
		.kernel_dir = "/tmp/apsp-bench-kernels",
		.memory_cap = argc > 7 ? strtoull(argv[7], NULL, 10) : 0,
	};
	const char *name = argc > 2 ? argv[2] : "blocked-fw";
	const char *word = argc > 3 ? argv[3] : "2048";
	enum apsp_element element = element_of(argc > 4 ? argv[4] : "auto");
	int runs = argc > 5 ? atoi(argv[5]) : 5;
	const struct apsp_algorithm *algorithm = apsp_algorithm_find(name);
	struct bench_graph graph;
	struct apsp_device device;
	struct apsp_tuning tuning;
	struct apsp_err err;
	double ceiling, seconds, rate, n;

	if (!algorithm || algorithm->start == APSP_START_HOST || runs < 1 ||
		runs > BENCH_RUNS_MAX)
		return 2;
	if (apsp_device_open(&options, &device, &err) < 0)
		bench_die(&err);
	tuning = *device.tuning;
	device.tuning = &tuning;
	if (argc > 6 && atoi(argv[6]) > 0)
		tuning.pivot_tiles = (uint32_t)atoi(argv[6]);
	bench_graph_make(word, &element, &graph);
	seconds = algorithm_run(
		&device, algorithm, &graph, element, runs, &ceiling);
	n = graph.problem.lengths.n_vertices;
	rate = n * n * n / seconds;
	printf("%s %s %s n=%.0f m=%llu %s pivot %u: %.4f s, "
	       "%.1f G relaxations/s, ceiling %.1f G, share %.3f\n",
		device.info.name, name, word, n,
		(unsigned long long)graph.problem.lengths.n_arcs,
		apsp_element_name(element), tuning.pivot_tiles, seconds,
		rate / 1e9, ceiling / 1e9, rate / ceiling);
	bench_graph_done(&graph);
	apsp_device_close(&device);
	return 0;
}
