/*
 * Relaxations per second of an algorithm on a device, beside the device's own
 * ceiling for one addition and one minimum, which is measured in the same run.
 *
 *	bench_algorithm [DEVICE [ALGORITHM [GRAPH [ELEMENT [RUNS [PIVOT
 *		[DEVICE_MEMORY [LANE_BYTES [LANES_BYTES]]]]]]]]]
 *
 * GRAPH is a word of bench_graph.h. ELEMENT is u16, i32, f64 or auto, the first
 * width that the solver would try. PIVOT is the pivot block in tiles; 0: that
 * of the tuning table. DEVICE_MEMORY limits memory in bytes, as apsp-solve
 * --device-memory does; 0: no limit. LANE_BYTES and LANES_BYTES belong to
 * multi-source (compute/plan/tuning.h); 0: those of the tuning table. On a CPU,
 * a LANE_BYTES without LANES_BYTES removes the limit LANES_BYTES. Times are
 * medians of RUNS runs without the upload, and the ceiling is measured before
 * each run. One more run comes first, in which some rows are compared with
 * Dijkstra's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/device/device.h"
#include "tests/bench/algorithm_run.h"
#include "tests/bench/bench_graph.h"
#include "tests/bench/ceiling.h"
#include "tests/bench/timing.h"

/*
 * Return the seconds of a run, and the processor time of all processors
 * together; *out_ceiling is in relaxations per second.
 */
static double algorithm_run(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	const struct bench_graph *graph, enum apsp_element element, int runs,
	double *out_processor_s, double *out_ceiling)
{
	double times[BENCH_RUNS_MAX], processors[BENCH_RUNS_MAX];
	double ceilings[BENCH_RUNS_MAX];
	struct bench_algorithm bench;
	struct bench_ceiling ceiling;

	bench_algorithm_open(device, algorithm, graph, element, &bench);
	bench_ceiling_open(device, element, &ceiling);
	bench_algorithm_run(&bench, true, NULL);
	for (int i = 0; i < runs; i++) {
		ceilings[i] = bench_ceiling_run(&ceiling);
		times[i] = bench_algorithm_run(&bench, false, &processors[i]);
	}
	bench_ceiling_close(&ceiling);
	bench_algorithm_close(&bench);
	*out_processor_s = bench_median(processors, runs);
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
	const struct apsp_distance_algorithm *algorithm =
		apsp_distance_algorithm_find(name);
	struct bench_graph graph;
	struct apsp_device device;
	struct apsp_tuning tuning;
	struct apsp_err err;
	double ceiling, seconds, processor_s, rate, n;

	if (!algorithm || algorithm->entry->start == APSP_START_HOST ||
		runs < 1 || runs > BENCH_RUNS_MAX)
		return 2;
	if (apsp_device_open(&options, &device, &err) < 0)
		bench_die(&err);
	tuning = *device.tuning;
	device.tuning = &tuning;
	if (argc > 6 && atoi(argv[6]) > 0)
		tuning.pivot_tiles = (uint32_t)atoi(argv[6]);
	if (argc > 8 && atoi(argv[8]) > 0) {
		tuning.lane_bytes = (uint32_t)atoi(argv[8]);
		if (!tuning.gpu) /* a limit of lanes_bytes could halve
				    lane_bytes */
			tuning.lanes_bytes = UINT64_MAX;
	}
	if (argc > 9 && atoll(argv[9]) > 0)
		tuning.lanes_bytes = strtoull(argv[9], NULL, 10);
	bench_graph_make(word, &element, &graph);
	seconds = algorithm_run(&device, algorithm, &graph, element, runs,
		&processor_s, &ceiling);
	n = graph.prepared.lengths.n_vertices;
	rate = n * n * n / seconds;
	printf("%s %s %s n=%.0f m=%llu %s pivot %u: %.4f s (%.4f of "
	       "processors), %.1f G relaxations/s, ceiling %.1f G, share "
	       "%.3f\n",
		device.info.name, name, word, n,
		(unsigned long long)graph.prepared.lengths.n_arcs,
		apsp_element_name(element), tuning.pivot_tiles, seconds,
		processor_s, rate / 1e9, ceiling / 1e9, rate / ceiling);
	bench_graph_done(&graph);
	apsp_device_close(&device);
	return 0;
}
