/*
 * Timing algorithms on small graphs; see calibration_bench.h.
 */
#include "compute/solve/calibration_bench.h"

#include <errno.h>
#include <math.h>

#include "compute/device/opencl.h"
#include "compute/graph/multi_source_probe.h"
#include "compute/graph/negative_cycle.h"
#include "compute/solve/fastest_run.h"
#include "compute/solve/run_clock.h"
#include "compute/solve/width_attempts.h"
#include "compute/tables/reference.h"
#include "compute/distance/distance_algorithm.h"
#include "daemon/base/auto.h"
#include "daemon/base/unnamed_file.h"

enum {
	SMALLEST = 256,	   /* vertices of the first graph */
	DEGREE = 8,	   /* arcs a vertex; it reaches all, and all tiles */
	DENSE_DEGREE = 64, /* where rates of arcs are told apart */
	/* graphs of the whole solves beside the tuning's largest */
	TAIL_SMALL = 2 * SMALLEST,
	TAIL_MIDDLE = 8 * SMALLEST,
	HOST_SIZE = 2, /* of the graph that the host reads */
	RUNS = 5,      /* that count */
	TAIL_RUNS = 4, /* of the large graphs */
};

/* Long enough to be measured: no larger graph is tried then. */
#define ENOUGH_S 0.02

/* The least share of the larger graph's time that is operations. */
#define LEAST_SHARE 0.25

void apsp_calibration_bench_done(struct apsp_calibration_bench *bench)
{
	for (int k = 0; k < APSP_CALIBRATION_KINDS; k++)
		for (int s = 0; s < APSP_CALIBRATION_SIZES; s++)
			apsp_prepared_graph_done(
				&bench->samples[k][s].prepared);
}

static int file_open(const struct apsp_calibration_bench *bench, int *out_fd,
	struct apsp_err *err)
{
	const char *dir = bench->device->kernel_dir;

	*out_fd = apsp_unnamed_file_open(dir);
	if (*out_fd < 0)
		return apsp_fail_errno(
			err, errno, "make a file to calibrate in '%s'", dir);
	return 0;
}

/*
 * A random graph of n vertices, as a job finds it; bench->read_s is what it
 * takes to read it.
 */
static int sample_make(struct apsp_calibration_bench *bench, uint32_t n,
	uint32_t degree, enum apsp_transform transform,
	struct apsp_prepared_graph *out, struct apsp_err *err)
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
	char path[APSP_UNNAMED_PATH_SIZE];
	APSP_AUTO(apsp_close) int fd = -1;
	uint64_t state = 1;
	struct apsp_run_clock clock;
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
	r = file_open(bench, &fd, err);
	if (r < 0)
		return r;
	apsp_unnamed_file_path(fd, path);
	r = apsp_graph_write(path, &graph, err);
	clock = apsp_run_clock_begin(bench->device);
	if (r >= 0)
		r = apsp_prepared_graph_open(
			path, out, err); /* the file stays mapped */
	if (r >= 0)
		r = apsp_prepared_graph_lengths(out, &none, err);
	apsp_negative_cycle_done(&none);
	apsp_run_clock_end(&clock, &bench->read_s);
	if (r >= 0)
		r = apsp_prepared_graph_closure(
			out, NULL, NULL, &bench->silent, err);
	return r;
}

/* An algorithm's run on a graph. */
struct timed_algorithm {
	const struct apsp_calibration_bench *bench;
	const struct apsp_distance_algorithm *algorithm;
	enum apsp_element element;
	const struct apsp_prepared_graph *prepared;
};

/* One run, in seconds. */
static int algorithm_time(void *what, double *out_s, struct apsp_err *err)
{
	const struct timed_algorithm *timed = what;
	const struct apsp_prepared_graph *prepared = timed->prepared;
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	const struct apsp_device *device = timed->bench->device;
	struct apsp_progress silent = timed->bench->silent;
	const struct apsp_task task = {&prepared->lengths, &prepared->integers,
		&prepared->order, &arcs, .paths = &prepared->paths};
	struct apsp_run_clock clock;
	int r;

	r = apsp_device_arcs_load(device, &prepared->lengths,
		&prepared->integers, &prepared->order, timed->element, &arcs,
		err);
	if (r >= 0)
		r = apsp_distance_algorithm_panels(timed->algorithm, device,
			&task, timed->element, prepared->order.n_vertices,
			&panels, err);
	if (r < 0)
		return r;
	apsp_opencl_finish(device->queue);
	clock = apsp_run_clock_begin(device);
	r = timed->algorithm->run(&task, &panels, &silent, err);
	if (r >= 0)
		r = apsp_opencl_check(apsp_opencl_finish(device->queue),
			"calibrate the device", err);
	apsp_run_clock_end(&clock, out_s);
	return r;
}

static struct apsp_workload workload_of(
	const struct apsp_prepared_graph *prepared, enum apsp_element element)
{
	return (struct apsp_workload){
		.n_vertices = prepared->lengths.n_vertices,
		.n_arcs = prepared->lengths.n_arcs,
		.element = element,
		.distance = element,
		.unit_lengths = prepared->integers.kind == APSP_DISTANCE_HOPS,
		.hops = prepared->hops,
		.reachable = 1,
	};
}

/* One graph: what the algorithm counts, and how long it took. */
struct point {
	double operations;
	double steps;
	double seconds;
};

/*
 * The rate that explains two points. Other load on the machine may distort a
 * single point; therefore steps never get more than what leaves LEAST_SHARE of
 * the time to operations.
 */
static struct apsp_rate rate_fit(
	const struct point *small, const struct point *large)
{
	double det = large->operations * small->steps -
		     small->operations * large->steps;
	struct apsp_rate rate = {
		.operation_s = large->seconds / large->operations};

	if (det > 0) {
		double operation = (large->seconds * small->steps -
					   small->seconds * large->steps) /
				   det;

		if (operation < LEAST_SHARE * rate.operation_s)
			operation = LEAST_SHARE * rate.operation_s;
		if (operation < rate.operation_s)
			rate.operation_s = operation;
	}
	rate.step_s = (large->seconds - rate.operation_s * large->operations) /
		      large->steps;
	if (rate.step_s < 0)
		rate.step_s = 0; /* by rounding */
	return rate;
}

static int sample_get(struct apsp_calibration_bench *bench, int kind, int size,
	struct apsp_calibration_sample **out, struct apsp_err *err)
{
	APSP_AUTO(apsp_multi_source_probe_done)
	struct apsp_multi_source_probe probe = {0};
	struct apsp_calibration_sample *sample = &bench->samples[kind][size];
	struct apsp_prepared_graph *prepared = &sample->prepared;
	int r;

	*out = sample;
	if (sample->made)
		return 0;
	r = sample_make(bench, SMALLEST << size,
		kind < APSP_CALIBRATION_DENSE ? DEGREE : DENSE_DEGREE,
		kind % APSP_CALIBRATION_DENSE == APSP_CALIBRATION_HOPS
			? APSP_TRANSFORM_HOPS
			: APSP_TRANSFORM_NONE,
		prepared, err);
	if (r >= 0)
		r = apsp_multi_source_probe_init(&prepared->lengths,
			&prepared->integers, &prepared->order,
			bench->device->tuning->gpu ? NULL : &prepared->paths,
			&probe, err);
	if (r >= 0)
		r = apsp_multi_source_probe_count(&probe, &sample->visits, err);
	sample->made = r >= 0;
	return r;
}

static int sample_time(struct apsp_calibration_bench *bench,
	struct apsp_calibration_sample *sample,
	const struct apsp_distance_algorithm *algorithm,
	enum apsp_element element, double *out_s, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = &sample->prepared;
	const struct apsp_width *width = prepared->widths;
	struct timed_algorithm timed = {bench, algorithm, element, prepared};
	int r;

	while (width->element != element &&
		width < prepared->widths + prepared->n_widths - 1)
		width++;
	r = apsp_prepared_graph_scale(prepared, width, err);
	if (r >= 0)
		r = apsp_fastest_run(algorithm_time, &timed, RUNS, out_s, err);
	return r;
}

/* APSP_ELIMIT, APSP_EDATA: not on this device or graph. */
static int point_measure(struct apsp_calibration_bench *bench,
	const struct apsp_algorithm *algorithm, int kind, int size,
	enum apsp_element element, struct point *out, struct apsp_err *err)
{
	bool gpu = bench->device->tuning->gpu;
	struct apsp_workload work;
	struct apsp_calibration_sample *sample;
	double seconds;
	int r = sample_get(bench, kind, size, &sample, err);

	if (r >= 0)
		r = sample_time(bench, sample,
			apsp_distance_algorithm_find(algorithm->name), element,
			&seconds, err);
	if (r < 0)
		return r;
	work = workload_of(&sample->prepared, element);
	work.visits = sample->visits;
	*out = (struct point){apsp_algorithm_operations(algorithm, &work, gpu),
		apsp_algorithm_steps(algorithm, &work, gpu), seconds};
	return 0;
}

int apsp_calibration_bench_algorithm(struct apsp_calibration_bench *bench,
	enum apsp_algorithm_id id, enum apsp_calibration_kind kind,
	enum apsp_element element, struct apsp_rate *out, struct apsp_err *err)
{
	const struct apsp_algorithm *algorithm = &apsp_algorithms[id];
	struct point last = {0}, now = {0};
	int size = -1, r = 0;

	while (r >= 0 && size + 1 < APSP_CALIBRATION_SIZES &&
		now.seconds < ENOUGH_S) {
		last = now;
		r = point_measure(bench, algorithm, (int)kind, ++size, element,
			&now, err);
	}
	if (r >= 0 && algorithm->steps_are_pairs) {
		last = now;
		r = point_measure(bench, algorithm,
			APSP_CALIBRATION_DENSE + (int)kind, size, element, &now,
			err);
	}
	if (r >= 0)
		*out = rate_fit(&last, &now);
	return r;
}

/* A whole solve of a graph. */
struct timed_solve {
	const struct apsp_calibration_bench *bench;
	struct apsp_prepared_graph prepared;
};

/* One solve; the seconds of what follows V. */
static int tail_run(void *what, double *out_s, struct apsp_err *err)
{
	struct timed_solve *timed = what;
	const struct apsp_calibration_bench *bench = timed->bench;
	struct apsp_progress silent = bench->silent;
	char path[APSP_UNNAMED_PATH_SIZE];
	const struct apsp_width_attempts attempts = {
		.prepared = &timed->prepared,
		.device = bench->device,
		.algorithm = apsp_distance_algorithm_find("multi-source"),
		.progress = &silent,
		.path = path,
	};
	const double *stages = silent.stages.seconds;
	APSP_AUTO(apsp_close) int fd = -1;
	int r = file_open(bench, &fd, err);
	struct apsp_run_clock clock;
	double all_s;

	if (r < 0)
		return r;
	apsp_unnamed_file_path(fd, path);
	apsp_stage_clock_init(&silent.stages);
	clock = apsp_run_clock_begin(bench->device);
	r = apsp_width_attempts_run(&attempts, err);
	*out_s = (stages[APSP_STAGE_PREDECESSOR] + stages[APSP_STAGE_DOWNLOAD] +
			 stages[APSP_STAGE_WRITE]) *
		 apsp_run_clock_end(&clock, &all_s);
	return r;
}

/* The graph of whole solves, and the least of some. */
struct tail {
	uint32_t n;
	uint32_t degree;
	enum apsp_transform transform;
	double n_pairs;
	double n_looks; /* at arcs that end paths, by all sources */
	double seconds;
};

static int tail_time(struct apsp_calibration_bench *bench, struct tail *tail,
	struct apsp_err *err)
{
	struct timed_solve timed = {.bench = bench};
	uint32_t n = tail->n;
	int runs = n == TAIL_SMALL ? RUNS : TAIL_RUNS;
	int r = sample_make(
		bench, n, tail->degree, tail->transform, &timed.prepared, err);

	if (r >= 0)
		r = apsp_fastest_run(
			tail_run, &timed, runs, &tail->seconds, err);
	tail->n_pairs = (double)n * n;
	tail->n_looks = (double)n * (double)timed.prepared.lengths.n_arcs;
	apsp_prepared_graph_done(&timed.prepared);
	return r;
}

/* One reading of a graph, in seconds. */
static int host_run(void *what, double *out_s, struct apsp_err *err)
{
	struct apsp_calibration_bench *bench = what;
	struct apsp_prepared_graph prepared = {0};
	int r = sample_make(bench, SMALLEST << HOST_SIZE, DENSE_DEGREE,
		APSP_TRANSFORM_NONE, &prepared, err);

	apsp_prepared_graph_done(&prepared);
	*out_s = bench->read_s;
	return r;
}

int apsp_calibration_bench_host(struct apsp_calibration_bench *bench,
	struct apsp_rates *rates, struct apsp_err *err)
{
	double seconds;
	int r = apsp_fastest_run(host_run, bench, RUNS, &seconds, err);

	if (r < 0)
		return r;
	rates->read_arc_s = seconds / (SMALLEST << HOST_SIZE) / DENSE_DEGREE;
	rates->start_s = bench->device->open_s;
	return 0;
}

/* Seconds that are left for what counts, and no less than a share of all. */
static double left_of(const struct tail *tail, double others_s)
{
	return fmax(tail->seconds - others_s, LEAST_SHARE * tail->seconds);
}

/* Seconds of a pair that the larger graph has more. */
static double pair_of(const struct tail *small, const struct tail *large)
{
	return left_of(large, small->seconds) /
	       (large->n_pairs - small->n_pairs);
}

int apsp_calibration_bench_tail(struct apsp_calibration_bench *bench,
	struct apsp_rates *rates, struct apsp_err *err)
{
	const enum apsp_transform hops = APSP_TRANSFORM_HOPS;
	bool gpu = bench->device->tuning->gpu;
	uint32_t most = bench->device->tuning->calibration_vertices;
	struct tail small = {TAIL_SMALL, DEGREE, hops};
	struct tail middle = {
		most > TAIL_MIDDLE ? TAIL_MIDDLE : most / 2, DEGREE, hops};
	struct tail large = {most, DEGREE, hops};
	/* beside one of the others; a CPU's are told apart by fewer pairs */
	struct tail *other = gpu ? &large : &middle;
	struct tail dense = {other->n, DENSE_DEGREE, hops};
	struct tail sums = {other->n, DEGREE, APSP_TRANSFORM_INV};
	struct tail *const all[] = {&small, &middle, &large, &dense, &sums};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		int r = tail_time(bench, all[i], err);

		if (r < 0)
			return r;
	}
	rates->arc_s = left_of(&dense, other->seconds) /
		       (dense.n_looks - other->n_looks);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		all[i]->seconds =
			left_of(all[i], rates->arc_s * all[i]->n_looks);
	rates->near_s = pair_of(&small, &middle);
	rates->pair_s = pair_of(&middle, &large);
	rates->tail_s = fmax(small.seconds - rates->near_s * small.n_pairs, 0);
	rates->sum_s = fmax(sums.seconds - other->seconds, 0) / sums.n_pairs;
	return 0;
}
