/*
 * Measuring a device; see calibration.h.
 */
#include "compute/calibration.h"

#include <errno.h>
#include <time.h>

#include "compute/attempt.h"
#include "compute/reference.h"
#include "compute/sweeps.h"
#include "daemon/base/auto.h"
#include "daemon/base/unnamed_file.h"

enum {
	SMALLEST = 256,	   /* vertices of the first graph */
	N_SIZES = 6,	   /* each twice the one before */
	DEGREE = 8,	   /* arcs a vertex; it reaches all, and all tiles */
	DENSE_DEGREE = 64, /* where rates of arcs are told apart */
	/* the graph of the whole solves: 1024 vertices; 8192 on a GPU, beside
	   whose rows its staging counts little */
	TAIL_SIZE = 2,
	TAIL_SIZE_GPU = 5,
	REFERENCE_ROWS = 32,
	RUNS = 5, /* the fastest counts */
};

/* Long enough to be measured: no larger graph is tried then. */
#define ENOUGH_S 0.02

/* Of the larger graph's time, to what grows fastest. */
#define LEAST_SHARE 0.25

/* What arcs' lengths are. */
enum kind {
	KIND_WEIGHTS, /* 1 to 100 */
	KIND_HOPS,
	KIND_DENSE, /* the same from here on with DENSE_DEGREE */
	N_KINDS = 2 * KIND_DENSE,
};

struct sample {
	struct apsp_problem problem;
	bool made;
	double visits; /* compute/sweeps.h */
};

struct bench {
	const struct apsp_device *device;
	struct apsp_monitor silent; /* but for stop */
	struct sample samples[N_KINDS][N_SIZES];
};

static void bench_done(struct bench *bench)
{
	for (int k = 0; k < N_KINDS; k++)
		for (int s = 0; s < N_SIZES; s++)
			apsp_problem_done(&bench->samples[k][s].problem);
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int file_open(
	const struct bench *bench, int *out_fd, struct apsp_err *err)
{
	const char *dir = bench->device->kernel_dir;

	*out_fd = apsp_unnamed_file_open(dir);
	if (*out_fd < 0)
		return apsp_fail_errno(
			err, errno, "make a file to calibrate in '%s'", dir);
	return 0;
}

/* A random graph of n vertices, as a job finds it. */
static int sample_make(struct bench *bench, uint32_t n, uint32_t degree,
	enum apsp_transform transform, struct apsp_problem *out,
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
	struct apsp_cycle none = {0};
	char path[APSP_UNNAMED_PATH_SIZE];
	APSP_AUTO(apsp_close) int fd = -1;
	uint64_t state = 1;
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
	if (r >= 0)
		r = apsp_problem_open(path, out, err); /* it stays mapped */
	if (r >= 0)
		r = apsp_problem_lengths(out, &none, err);
	apsp_cycle_done(&none);
	if (r >= 0)
		r = apsp_problem_closure(out, NULL, NULL, &bench->silent, err);
	return r;
}

/* One run of the algorithm over a problem, in seconds; a negative code. */
static int algorithm_time(const struct bench *bench,
	const struct apsp_algorithm *algorithm, enum apsp_element element,
	const struct apsp_problem *problem, double *out_s, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	const struct apsp_device *device = bench->device;
	struct apsp_monitor silent = bench->silent;
	const struct apsp_task task = {
		&problem->lengths, &problem->integers, &problem->order, &arcs};
	double start;
	int r;

	r = apsp_device_arcs_load(device, &problem->lengths, &problem->integers,
		&problem->order, element, &arcs, err);
	if (r >= 0)
		r = apsp_algorithm_panels(algorithm, device, &task, element,
			problem->order.n_vertices, &panels, err);
	if (r < 0)
		return r;
	clFinish(device->queue);
	start = now_s();
	r = algorithm->run(&task, &panels, &silent, err);
	if (r >= 0)
		r = apsp_device_check(
			clFinish(device->queue), "calibrate the device", err);
	*out_s = now_s() - start;
	return r;
}

static struct apsp_workload workload_of(
	const struct apsp_problem *problem, enum apsp_element element)
{
	return (struct apsp_workload){
		.n_vertices = problem->lengths.n_vertices,
		.n_arcs = problem->lengths.n_arcs,
		.element = element,
		.distance = element,
		.unit_lengths = problem->integers.kind == APSP_DISTANCE_HOPS,
		.hops = problem->hops,
		.reachable = 1,
	};
}

/* One graph's: what it counts, and how long it took. */
struct point {
	double operations;
	double steps;
	double seconds;
};

/*
 * The rate that explains two points. Somebody else's load shows in single
 * points; so no more is believed of the steps than what leaves a share of the
 * time to the work.
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

static int sample_get(struct bench *bench, int kind, int size,
	struct sample **out, struct apsp_err *err)
{
	struct sample *sample = &bench->samples[kind][size];
	struct apsp_problem *problem = &sample->problem;
	int r;

	*out = sample;
	if (sample->made)
		return 0;
	r = sample_make(bench, SMALLEST << size,
		kind < KIND_DENSE ? DEGREE : DENSE_DEGREE,
		kind % KIND_DENSE == KIND_HOPS ? APSP_TRANSFORM_HOPS
					       : APSP_TRANSFORM_NONE,
		problem, err);
	if (r >= 0)
		r = apsp_sweeps_count(&problem->lengths, &problem->integers,
			&problem->order, &sample->visits, err);
	sample->made = r >= 0;
	return r;
}

/* The least of some runs, in seconds. */
static int sample_time(struct bench *bench, struct sample *sample,
	const struct apsp_algorithm *algorithm, enum apsp_element element,
	double *out_s, struct apsp_err *err)
{
	struct apsp_problem *problem = &sample->problem;
	const struct apsp_width *width = problem->widths;
	double best = -1;
	int r;

	while (width->element != element &&
		width < problem->widths + problem->n_widths - 1)
		width++;
	r = apsp_problem_scale(problem, width, err);
	for (int i = 0; r >= 0 && i < RUNS; i++) {
		double seconds;

		r = algorithm_time(
			bench, algorithm, element, problem, &seconds, err);
		if (r >= 0 && (best < 0 || seconds < best))
			best = seconds;
	}
	*out_s = best;
	return r;
}

/* APSP_ELIMIT, APSP_EDATA: it is not for this device or graph. */
static int point_measure(struct bench *bench, const struct apsp_cost *cost,
	int kind, int size, enum apsp_element element, struct point *out,
	struct apsp_err *err)
{
	struct apsp_workload work;
	struct sample *sample;
	double seconds;
	int r = sample_get(bench, kind, size, &sample, err);

	if (r >= 0)
		r = sample_time(bench, sample, apsp_algorithm_find(cost->name),
			element, &seconds, err);
	if (r < 0)
		return r;
	work = workload_of(&sample->problem, element);
	work.visits = sample->visits;
	*out = (struct point){cost->operations(&work),
		apsp_cost_steps(cost, &work, bench->device->tuning->gpu),
		seconds};
	return 0;
}

static int algorithm_measure(struct bench *bench, enum apsp_cost_id id,
	enum kind kind, enum apsp_element element, struct apsp_rate *out,
	struct apsp_err *err)
{
	const struct apsp_cost *cost = &apsp_costs[id];
	struct point last = {0}, now = {0};
	int size = -1, r = 0;

	while (r >= 0 && size + 1 < N_SIZES && now.seconds < ENOUGH_S) {
		last = now;
		r = point_measure(
			bench, cost, (int)kind, ++size, element, &now, err);
	}
	if (r >= 0 && cost->steps_are_pairs) {
		last = now;
		r = point_measure(bench, cost, KIND_DENSE + (int)kind, size,
			element, &now, err);
	}
	if (r >= 0)
		*out = rate_fit(&last, &now);
	return r;
}

/* Dijkstra is the same whatever the element. */
static int reference_measure(
	struct bench *bench, struct apsp_rates *rates, struct apsp_err *err)
{
	const struct apsp_problem *sample =
		&bench->samples[KIND_WEIGHTS][0].problem;
	struct apsp_workload work = workload_of(sample, APSP_ELEMENT_I32);
	uint32_t tails[SMALLEST];
	int64_t v[SMALLEST];
	struct apsp_reference *reference;
	double start, seconds;
	int r = apsp_reference_new(
		&sample->lengths, &sample->integers, &reference, err);

	if (r < 0)
		return r;
	start = now_s();
	for (uint32_t i = 0; i < REFERENCE_ROWS; i++)
		apsp_reference_row(reference, i, v, tails);
	seconds = (now_s() - start) * SMALLEST / REFERENCE_ROWS;
	apsp_reference_free(reference);
	for (int e = 0; e < APSP_RATE_ELEMENTS; e++)
		rates->algorithms[APSP_COST_REFERENCE][e].operation_s =
			seconds /
			apsp_costs[APSP_COST_REFERENCE].operations(&work);
	return 0;
}

/* A whole solve; what follows V, in seconds. */
static int tail_run(const struct bench *bench, struct apsp_problem *problem,
	double *out_s, struct apsp_err *err)
{
	struct apsp_monitor silent = bench->silent;
	char path[APSP_UNNAMED_PATH_SIZE];
	const struct apsp_attempt attempt = {
		.problem = problem,
		.device = bench->device,
		.algorithm = apsp_algorithm_find("blocked-fw"),
		.monitor = &silent,
		.path = path,
	};
	const double *stages = silent.stages.seconds;
	APSP_AUTO(apsp_close) int fd = -1;
	int r = file_open(bench, &fd, err);

	if (r < 0)
		return r;
	apsp_unnamed_file_path(fd, path);
	apsp_stages_init(&silent.stages);
	r = apsp_attempt_run(&attempt, err);
	*out_s = stages[APSP_STAGE_PREDECESSOR] + stages[APSP_STAGE_DOWNLOAD] +
		 stages[APSP_STAGE_WRITE];
	return r;
}

static uint32_t tail_vertices(const struct bench *bench)
{
	return SMALLEST << (bench->device->tuning->gpu ? TAIL_SIZE_GPU
						       : TAIL_SIZE);
}

/* The least of some runs. */
static int tail_time(struct bench *bench, uint32_t degree, uint64_t *out_arcs,
	double *out_s, struct apsp_err *err)
{
	struct apsp_problem problem = {0};
	int r = sample_make(bench, tail_vertices(bench), degree,
		APSP_TRANSFORM_HOPS, &problem, err);

	/* the first time its kernels are built */
	for (int i = -1; r >= 0 && i < RUNS; i++) {
		double seconds;

		r = tail_run(bench, &problem, &seconds, err);
		if (r >= 0 && (i <= 0 || seconds < *out_s))
			*out_s = seconds;
	}
	*out_arcs = problem.lengths.n_arcs;
	apsp_problem_done(&problem);
	return r;
}

static int tail_measure(
	struct bench *bench, struct apsp_rates *rates, struct apsp_err *err)
{
	double n = tail_vertices(bench), sparse_s, dense_s, least;
	uint64_t sparse, dense;
	int r = tail_time(bench, DEGREE, &sparse, &sparse_s, err);

	if (r >= 0)
		r = tail_time(bench, DENSE_DEGREE, &dense, &dense_s, err);
	if (r < 0)
		return r;
	rates->arc_s = (dense_s - sparse_s) / (n * (double)(dense - sparse));
	least = LEAST_SHARE * dense_s / (n * (double)dense);
	if (rates->arc_s < least)
		rates->arc_s = least;
	rates->pair_s =
		(sparse_s - rates->arc_s * n * (double)sparse) / (n * n);
	least = LEAST_SHARE * sparse_s / (n * n);
	if (rates->pair_s < least)
		rates->pair_s = least;
	return 0;
}

static int all_measure(
	struct bench *bench, struct apsp_rates *rates, struct apsp_err *err)
{
	static const enum apsp_element elements[APSP_RATE_ELEMENTS] = {
		APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F64};
	int n_elements = APSP_RATE_ELEMENTS - !bench->device->info.has_double;

	for (int i = 0; i <= APSP_COST_IDS; i++) {
		bool bits = i == APSP_COST_IDS;
		enum apsp_cost_id id =
			bits ? APSP_COST_MULTI_SOURCE : (enum apsp_cost_id)i;

		if (apsp_costs[id].home == APSP_COST_ON_HOST)
			continue;
		for (int e = 0; e < n_elements; e++) {
			int r = algorithm_measure(bench, id,
				bits ? KIND_HOPS : KIND_WEIGHTS, elements[e],
				bits ? &rates->bits[e]
				     : &rates->algorithms[i][e],
				err);

			if (r < 0 && r != APSP_ELIMIT && r != APSP_EDATA)
				return r;
		}
	}
	return 0;
}

int apsp_calibration_run(const struct apsp_device *device, atomic_bool *stop,
	struct apsp_rates *out, struct apsp_err *err)
{
	APSP_AUTO(bench_done) struct bench bench = {.device = device};
	struct apsp_rates rates;
	int r;

	apsp_monitor_init(&bench.silent, NULL, stop);
	apsp_rates_default(device->tuning->gpu, &rates);
	r = all_measure(&bench, &rates, err);
	if (r >= 0)
		r = reference_measure(&bench, &rates, err);
	if (r >= 0)
		r = tail_measure(&bench, &rates, err);
	if (r < 0)
		return r;
	rates.measured = true;
	*out = rates;
	return 0;
}
