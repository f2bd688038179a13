/*
 * Measures rates: runs algorithms on random graphs, and compares the measured
 * seconds with the seconds that the default rates predict; see calibration.h.
 */
#include "compute/solve/calibration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "compute/device/opencl.h"
#include "compute/distance/distance_algorithm.h"
#include "compute/plan/host_room.h"
#include "compute/plan/job_cost.h"
#include "compute/solve/kept_rates.h"
#include "compute/solve/prepared_graph.h"
#include "compute/solve/self_test.h"
#include "compute/solve/width_attempts.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/unnamed_file.h"

enum {
	PATH_SIZE = 32, /* bytes of "/proc/self/fd/N" */
	SMALLEST = 512, /* number of vertices of the first graph */
	/* number of graphs; each graph has twice as many vertices as the
	   previous graph */
	SIZES = 5,
	/* number of arcs that begin at each vertex of a graph that is solved;
	   with this number, every vertex reaches all others, and no tile
	   (block) of the distance matrix stays infinite */
	DEGREE = 8,
	/* number of arcs that begin at each vertex of a graph that is read, but
	   not solved */
	READ_DEGREE = 64,
	RUNS = 4, /* number of measured runs. One run precedes them, and is not
		     measured, because it may compile kernels */
};

/* If a run takes at least this many seconds, it is long enough to be measured,
   and no larger graph is tried. */
#define ENOUGH_S 0.02

struct calibration {
	const struct apsp_device *device;
	struct apsp_progress silent;
	struct apsp_rates defaults;
	struct apsp_rates *rates;
	/* seconds that reading the last graph took (sample_make()) */
	double read_s;
	bool done[APSP_RATE_ROWS][APSP_RATE_ELEMENTS];
};

/* Make a file without a name in the directory of compiled kernels, for a graph
   or for tables. *out_path gets a path below /proc/self/fd, which is valid
   while *out_fd is open. */
static int file_open(const struct calibration *c, int *out_fd,
	char out_path[PATH_SIZE], struct apsp_err *err)
{
	const char *dir = c->device->kernel_dir;

	*out_fd = apsp_unnamed_file_open(dir);
	if (*out_fd < 0)
		return apsp_fail_errno(
			err, errno, "make a file to calibrate in '%s'", dir);
	snprintf(out_path, PATH_SIZE, "/proc/self/fd/%d", *out_fd);
	return 0;
}

/* Make a random graph of n vertices, write it to a file, and read the file as a
   job does. */
static int sample_make(struct calibration *c, uint32_t n, uint32_t degree,
	enum apsp_transform transform, struct apsp_prepared_graph *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) struct apsp_arc *arcs = NULL;
	APSP_AUTO(apsp_free) uint64_t *labels = NULL;
	struct apsp_graph graph = {
		.n_vertices = n,
		.n_arcs = (uint64_t)n * degree,
		.label_bytes = "",
		.profile = {.transform = transform,
			.duplicates = APSP_DUPLICATES_MIN},
	};
	struct apsp_negative_cycle none = {0};
	char path[PATH_SIZE];
	APSP_AUTO(apsp_close) int fd = -1;
	uint64_t state = 1;
	double start_s;
	int r;

	arcs = malloc(graph.n_arcs * sizeof(*arcs));
	labels = calloc((size_t)n + 1, sizeof(*labels));
	if (!arcs || !labels)
		return apsp_fail(err, APSP_ENOMEM, "no memory to calibrate");
	for (uint64_t e = 0; e < graph.n_arcs; e++) {
		state = state * UINT64_C(6364136223846793005) + 1;
		arcs[e].from = (uint32_t)(e / degree);
		arcs[e].to = (uint32_t)(state >> 40) % n;
		arcs[e].weight = (double)(1 + (state >> 33) % 100);
	}
	graph.arcs = arcs;
	graph.label_offsets = labels;
	r = file_open(c, &fd, path, err);
	if (r < 0)
		return r;
	r = apsp_graph_write(path, &graph, err);
	start_s = apsp_clock_s();
	if (r >= 0)
		/* the file stays mapped to memory after fd is closed */
		r = apsp_prepared_graph_open(path, out, err);
	if (r >= 0)
		r = apsp_prepared_graph_lengths(out, &none, err);
	apsp_negative_cycle_done(&none);
	c->read_s = apsp_clock_s() - start_s;
	if (r >= 0)
		r = apsp_prepared_graph_closure(
			out, NULL, NULL, &c->silent, err);
	return r;
}

static struct apsp_workload workload_of(
	const struct apsp_prepared_graph *prepared, enum apsp_element element)
{
	return (struct apsp_workload){
		.n_vertices = prepared->lengths.n_vertices,
		.n_arcs = prepared->lengths.n_arcs,
		/* a calibration does not search for useless arcs, so all arcs
		   count as useful */
		.n_useful = prepared->lengths.n_arcs,
		.element = element,
		.distance = element,
		.predecessor = prepared->lengths.in.rank,
		.unit_lengths = prepared->integers.kind == APSP_DISTANCE_HOPS,
		.hops = prepared->hops,
		.reachable = 1,
	};
}

/* Run an algorithm once. *out_s gets the seconds in which the algorithm
   computed the distance matrix. */
static int algorithm_time(const struct calibration *c,
	const struct apsp_distance_algorithm *algorithm,
	enum apsp_element element, const struct apsp_prepared_graph *prepared,
	double *out_s, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	struct apsp_progress silent = c->silent;
	const struct apsp_task task = {.lengths = &prepared->lengths,
		.integers = &prepared->integers,
		.order = &prepared->order,
		.arcs = &arcs};
	double start_s;
	int r;

	r = apsp_device_arcs_load(c->device, &prepared->lengths,
		&prepared->integers, &prepared->order, element, &arcs, err);
	if (r >= 0)
		r = apsp_distance_algorithm_panels(algorithm, c->device, &task,
			element, prepared->order.n_vertices, &panels, err);
	if (r < 0)
		return r;
	apsp_opencl_finish(c->device->queue);
	start_s = apsp_clock_s();
	r = algorithm->run(&task, &panels, &silent, err);
	if (r >= 0)
		r = apsp_opencl_check(apsp_opencl_finish(c->device->queue),
			"calibrate the device", err);
	*out_s = apsp_clock_s() - start_s;
	return r;
}

/*
 * Test the device with this algorithm. Run the algorithm once without measuring
 * it, because this run may compile kernels. Then run it RUNS times; *out_s gets
 * the seconds of the fastest of these runs.
 */
static int algorithm_measure(const struct calibration *c,
	const struct apsp_distance_algorithm *algorithm,
	enum apsp_element element, struct apsp_prepared_graph *prepared,
	double *out_s, struct apsp_err *err)
{
	const struct apsp_width *width = prepared->widths;
	const struct apsp_self_test test = {.algorithm = algorithm,
		.element = element,
		.sums = APSP_ELEMENT_NONE,
		.hops = prepared->integers.kind == APSP_DISTANCE_HOPS};
	double s;
	int r;

	while (width->element != element &&
		width < prepared->widths + prepared->n_widths - 1)
		width++;
	r = apsp_prepared_graph_scale(prepared, width, err);
	if (r >= 0)
		r = apsp_self_test_run(c->device, &test, err);
	*out_s = INFINITY;
	for (int i = 0; r >= 0 && i <= RUNS; i++) {
		r = algorithm_time(c, algorithm, element, prepared, &s, err);
		if (i > 0)
			*out_s = fmin(*out_s, s);
	}
	return r;
}

/* Measure how many seconds an algorithm takes for the graph `prepared`. Divide
   the measured seconds by the seconds that the algorithm's default rate
   predicts. Set the rate to the default rate times this quotient. */
static int rate_measure(struct calibration *c, int row, int e,
	struct apsp_prepared_graph *prepared, struct apsp_err *err)
{
	enum apsp_element element = apsp_rates_element(e);
	int id = row == APSP_RATE_BITS ? APSP_ALGORITHM_MULTI_SOURCE : row;
	const struct apsp_workload work = workload_of(prepared, element);
	const struct apsp_rate *expected = &c->defaults.rows[row][e];
	double seconds, factor;
	int r = algorithm_measure(c,
		apsp_distance_algorithm_find(apsp_algorithms[id].name), element,
		prepared, &seconds, err);

	if (r < 0)
		return r;
	factor = seconds / apsp_algorithm_seconds(&apsp_algorithms[id], &work,
				   c->device->tuning->gpu, expected);
	c->rates->rows[row][e].operation_s = expected->operation_s * factor;
	c->rates->rows[row][e].step_s = expected->step_s * factor;
	c->done[row][e] = seconds >= ENOUGH_S;
	return 0;
}

/* Measure the rates in the given rows of apsp_rates.rows, for each element type
   of the distance matrix. The algorithms run on graphs with the given
   transform. */
static int rows_measure(struct calibration *c, enum apsp_transform transform,
	const int rows[], int n_rows, struct apsp_err *err)
{
	int n_elements = APSP_RATE_ELEMENTS - !c->device->info.has_double;
	bool all = false;
	int r = 0;

	for (int size = 0; r >= 0 && !all && size < SIZES; size++) {
		struct apsp_prepared_graph prepared = {0};

		r = sample_make(
			c, SMALLEST << size, DEGREE, transform, &prepared, err);
		all = true;
		for (int i = 0; r >= 0 && i < n_rows * n_elements; i++) {
			int row = rows[i / n_elements], e = i % n_elements;

			if (c->done[row][e])
				continue;
			r = rate_measure(c, row, e, &prepared, err);
			/* APSP_EDATA: the algorithm does not accept these
			   lengths; APSP_ELIMIT: the device cannot run the
			   algorithm with this element type. In both cases the
			   default rate is kept */
			if (r == APSP_ELIMIT || r == APSP_EDATA) {
				c->done[row][e] = true;
				r = 0;
			}
			all = all && c->done[row][e];
		}
		apsp_prepared_graph_done(&prepared);
	}
	return r;
}

/*
 * Solve a graph several times, as a job does, and measure the stages that
 * follow the computation of the distance matrix. *out_s gets the smallest
 * measured number of seconds. *out_expected_s gets the seconds that the default
 * rates predict for these stages.
 */
static int tail_measure(struct calibration *c, enum apsp_transform transform,
	double *out_s, double *out_expected_s, struct apsp_err *err)
{
	const struct apsp_device *device = c->device;
	uint32_t n = device->tuning->calibration_vertices;
	struct apsp_prepared_graph prepared = {0};
	struct apsp_plan_facts facts = {.rates = c->defaults};
	struct apsp_job_cost cost;
	int r = sample_make(c, n, DEGREE, transform, &prepared, err);

	*out_s = INFINITY;
	for (int i = 0; r >= 0 && i <= RUNS; i++) {
		struct apsp_progress silent;
		char path[PATH_SIZE];
		const struct apsp_width_attempts attempts = {
			.prepared = &prepared,
			.device = device,
			.algorithm =
				apsp_distance_algorithm_find("multi-source"),
			.progress = &silent,
			.path = path,
		};
		const double *stages = silent.stages.seconds;
		APSP_AUTO(apsp_close) int fd = -1;

		r = file_open(c, &fd, path, err);
		if (r < 0)
			break;
		apsp_progress_init(&silent, NULL, c->silent.stop);
		r = apsp_width_attempts_run(&attempts, err);
		if (i > 0)
			*out_s = fmin(
				*out_s, stages[APSP_STAGE_PREDECESSOR] +
						stages[APSP_STAGE_DOWNLOAD] +
						stages[APSP_STAGE_WRITE]);
	}
	facts.work = workload_of(&prepared, APSP_ELEMENT_U16);
	apsp_plan_device_init(&device->info, device->tuning,
		device->memory_bytes, &facts.device);
	apsp_job_cost_make(&facts,
		&apsp_algorithms[APSP_ALGORITHM_MULTI_SOURCE], 0, &cost);
	*out_expected_s = cost.seconds[APSP_STAGE_PREDECESSOR] +
			  cost.seconds[APSP_STAGE_DOWNLOAD] +
			  cost.seconds[APSP_STAGE_WRITE];
	apsp_prepared_graph_done(&prepared);
	return r;
}

/* Measure the rates of all stages except the computation of the distance
   matrix. */
static int host_measure(struct calibration *c, struct apsp_err *err)
{
	const struct apsp_rates *expected = &c->defaults;
	struct apsp_rates *rates = c->rates;
	double n = c->device->tuning->calibration_vertices;
	double hops_s, sums_s, expected_s, factor, least_s = INFINITY;
	int r = 0;

	for (int i = 0; r >= 0 && i <= RUNS; i++) {
		struct apsp_prepared_graph prepared = {0};

		r = sample_make(c, 2 * SMALLEST, READ_DEGREE,
			APSP_TRANSFORM_NONE, &prepared, err);
		apsp_prepared_graph_done(&prepared);
		least_s = fmin(least_s, c->read_s);
	}
	rates->read_arc_s = least_s / (2 * SMALLEST * READ_DEGREE);
	rates->start_s = c->device->open_s;
	if (r >= 0)
		r = tail_measure(
			c, APSP_TRANSFORM_INV, &sums_s, &expected_s, err);
	if (r >= 0)
		r = tail_measure(
			c, APSP_TRANSFORM_HOPS, &hops_s, &expected_s, err);
	if (r < 0)
		return r;
	factor = hops_s / expected_s;
	rates->arc_s = expected->arc_s * factor;
	rates->near_s = expected->near_s * factor;
	rates->pair_s = expected->pair_s * factor;
	rates->tail_s = expected->tail_s * factor;
	rates->sum_s = fmax(sums_s - hops_s, 0) / (n * n);
	return 0;
}

int apsp_calibration_run(const struct apsp_device *device,
	const struct apsp_stop *stop, struct apsp_rates *out,
	struct apsp_err *err)
{
	static const int by_weights[] = {
		APSP_ALGORITHM_MULTI_SOURCE, APSP_ALGORITHM_BLOCKED_FW};
	static const int by_hops[] = {APSP_RATE_BITS};
	/* Measure the memory of this process now, before a compiler is loaded.
	   The solvers of later jobs load no compiler, because their programs
	   are already compiled. */
	uint64_t held = apsp_host_room_held();
	struct apsp_rates rates;
	struct calibration c = {.device = device, .rates = &rates};
	struct apsp_err unkept;
	int r;

	apsp_progress_init(&c.silent, NULL, stop);
	apsp_rates_default(device->tuning->gpu, &c.defaults);
	rates = c.defaults;
	if (held > 0)
		rates.process_bytes = (double)held;
	r = rows_measure(&c, APSP_TRANSFORM_NONE, by_weights, 2, err);
	if (r >= 0)
		r = rows_measure(&c, APSP_TRANSFORM_HOPS, by_hops, 1, err);
	if (r >= 0)
		r = host_measure(&c, err);
	if (r < 0)
		return r;
	apsp_rates_stream(&rates, device->tuning->gpu);
	rates.measured = true;
	/* if the rates cannot be written to the file, only this process uses
	   them */
	if (apsp_kept_rates_save(device, &rates, &unkept) < 0)
		fprintf(stderr, "%s\n", unkept.message);
	*out = rates;
	return 0;
}
