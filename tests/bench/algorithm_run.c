/*
 * Timed runs of an algorithm; see algorithm_run.h.
 */
#include "tests/bench/algorithm_run.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "compute/device/device_buffer.h"
#include "compute/device/opencl.h"
#include "compute/device/panel_rows.h"
#include "tests/bench/timing.h"

enum {
	ROWS_CHECKED = 3,
};

void bench_algorithm_open(const struct apsp_device *device,
	const struct apsp_distance_algorithm *algorithm,
	const struct bench_graph *graph, enum apsp_element element,
	struct bench_algorithm *out)
{
	const struct apsp_prepared_graph *p = &graph->prepared;
	struct apsp_err err;

	*out = (struct bench_algorithm){.device = device,
		.algorithm = algorithm,
		.graph = graph,
		.element = element};
	if (apsp_device_arcs_load(device, &p->lengths, &p->integers, &p->order,
		    element, &out->arcs, &err) < 0)
		bench_die(&err);
}

void bench_algorithm_close(struct bench_algorithm *bench)
{
	apsp_device_arcs_done(&bench->arcs);
}

static void rows_check(
	const struct bench_graph *graph, const struct apsp_panels *panels)
{
	uint32_t n = panels->n_vertices;
	size_t size = (size_t)n * apsp_element_size(panels->element);
	void *row = malloc(size);
	struct apsp_err err;
	cl_mem out;

	if (apsp_device_buffer_make(panels->device, size, NULL, &out, &err) < 0)
		bench_die(&err);
	for (uint32_t i = 0; i < ROWS_CHECKED; i++) {
		uint32_t v = (uint32_t)((uint64_t)n * i / ROWS_CHECKED);

		if (apsp_panel_rows_read(panels, v, 1, out, &err) < 0 ||
			apsp_opencl_check(
				clEnqueueReadBuffer(panels->device->queue, out,
					CL_TRUE, 0, size, row, 0, NULL, NULL),
				"read a row", &err) < 0)
			bench_die(&err);
		bench_graph_check(graph, panels->element, v, row);
	}
	apsp_device_buffer_done(&out);
	free(row);
}

double bench_algorithm_run(const struct bench_algorithm *bench, bool check,
	double *out_processor_s)
{
	const struct apsp_prepared_graph *p = &bench->graph->prepared;
	struct apsp_task task = {.lengths = &p->lengths,
		.integers = &p->integers,
		.order = &p->order,
		.arcs = &bench->arcs};
	struct apsp_useful_arcs useful = {0};
	struct apsp_progress silent;
	struct apsp_panels panels;
	struct apsp_err err;
	double start, seconds;
	clock_t processors;

	apsp_progress_init(&silent, NULL, NULL);
	if (apsp_distance_algorithm_panels(bench->algorithm, bench->device,
		    &task, bench->element, p->order.n_vertices, &panels,
		    &err) < 0)
		bench_die(&err);
	clFinish(bench->device->queue);
	start = bench_now_s();
	processors = clock();
	if (strcmp(bench->algorithm->entry->name, "multi-source") == 0 &&
		apsp_useful_arcs_find(&p->lengths, &p->integers, &p->paths,
			NULL, INFINITY, &useful, &err) < 0)
		bench_die(&err);
	if (useful.useless)
		task.lengths = &useful.lengths;
	if (bench->algorithm->run(&task, &panels, &silent, &err) < 0)
		bench_die(&err);
	seconds = bench_now_s() - start;
	if (out_processor_s)
		*out_processor_s =
			(double)(clock() - processors) / CLOCKS_PER_SEC;
	if (check)
		rows_check(bench->graph, &panels);
	apsp_panels_done(&panels);
	apsp_useful_arcs_done(&useful);
	return seconds;
}
