/*
 * The solver's whole run; see solve.h for its order.
 */
#include "compute/solve.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compute/algorithm.h"
#include "compute/attempt.h"
#include "compute/calibration.h"
#include "compute/event.h"
#include "compute/problem.h"
#include "daemon/base/auto.h"
#include "daemon/base/graph_file.h"

enum {
	DEVICES_MAX = 64,
	PATH_SIZE = 4096,
	STAGES_SIZE = 512,
};

/* Set by SIGTERM and at the end of stdin; signal handlers have no argument. */
static atomic_bool stop_asked;

static void stop_on_signal(int signal)
{
	(void)signal;
	atomic_store(&stop_asked, true);
}

/* stdin is control: its end means that the daemon wants no more, or is gone. */
static void *stdin_watch(void *arg)
{
	char ignored[64];

	(void)arg;
	while (read(STDIN_FILENO, ignored, sizeof(ignored)) > 0)
		;
	atomic_store(&stop_asked, true);
	return NULL;
}

static int stop_watch_start(struct apsp_err *err)
{
	struct sigaction action = {.sa_handler = stop_on_signal};
	pthread_t thread;
	int r;

	sigaction(SIGTERM, &action, NULL);
	r = pthread_create(&thread, NULL, stdin_watch, NULL);
	if (r != 0)
		return apsp_fail_errno(err, r, "watch stdin");
	pthread_detach(thread);
	return 0;
}

/*
 * The device, opened in a thread beside the making of lengths: an OpenCL
 * runtime takes tenths of a second to begin.
 */
struct opening {
	const struct apsp_solve_options *options;
	pthread_t thread;
	bool running;
	int result;
	struct apsp_err err;
	struct apsp_device device;
};

/* One run. */
struct solve {
	const struct apsp_solve_options *options;
	struct apsp_problem problem;
	struct opening opening;
	struct apsp_device device;  /* open unless the host does it all */
	const char *algorithm_name; /* as asked for, or "" */
	const struct apsp_algorithm *algorithm; /* NULL: the plan's choice */
	const struct apsp_closure *closure;	/* NULL: none is named */
	struct apsp_monitor monitor;
	char table_path[PATH_SIZE];
};

static void opening_wait(struct opening *opening)
{
	if (opening->running)
		pthread_join(opening->thread, NULL);
	opening->running = false;
}

static void solve_done(struct solve *solve)
{
	opening_wait(&solve->opening);
	apsp_problem_done(&solve->problem);
	apsp_device_close(&solve->opening.device);
	apsp_device_close(&solve->device);
}

static bool device_needed(const struct solve *solve)
{
	return !solve->algorithm || solve->algorithm->start != APSP_START_HOST;
}

static int solve_read(struct solve *solve, struct apsp_err *err)
{
	char path[PATH_SIZE];
	int r;

	snprintf(path, sizeof(path), "%s/graph", solve->options->job_dir);
	snprintf(solve->table_path, sizeof(solve->table_path), "%s/tables",
		solve->options->job_dir);
	r = apsp_problem_open(path, &solve->problem, err);
	if (r < 0)
		return r;
	solve->algorithm_name = solve->problem.graph.profile.algorithm;
	/* a way to make the closure leaves the distances to the plan */
	solve->closure = apsp_closure_find(solve->algorithm_name);
	if (solve->closure)
		return 0;
	solve->algorithm = apsp_algorithm_find(solve->algorithm_name);
	if (!solve->algorithm)
		return apsp_fail(err, APSP_EDATA, "no algorithm is named '%s'",
			solve->algorithm_name);
	apsp_event_text(stdout, APSP_EVENT_ALGORITHM, solve->algorithm_name);
	return 0;
}

static int device_open(const struct apsp_solve_options *options,
	struct apsp_device *out, struct apsp_err *err)
{
	char kernel_dir[PATH_SIZE];
	const struct apsp_device_options wanted = {
		.device = options->device,
		.kernel_dir = kernel_dir,
		.memory_cap = options->device_memory,
	};

	snprintf(kernel_dir, sizeof(kernel_dir), "%s/kernels",
		options->cache_dir);
	return apsp_device_open(&wanted, out, err);
}

static void *opening_run(void *arg)
{
	struct opening *opening = arg;

	opening->result =
		device_open(opening->options, &opening->device, &opening->err);
	return NULL;
}

static void solve_device_start(struct solve *solve)
{
	struct opening *opening = &solve->opening;

	if (!device_needed(solve))
		return;
	opening->options = solve->options;
	opening->running = pthread_create(&opening->thread, NULL, opening_run,
				   opening) == 0;
	if (!opening->running)
		opening_run(opening);
}

static int solve_device(struct solve *solve, struct apsp_err *err)
{
	struct opening *opening = &solve->opening;

	if (!device_needed(solve)) {
		apsp_event_text(stdout, APSP_EVENT_DEVICE, "host");
		return 0;
	}
	opening_wait(opening);
	if (opening->result < 0) {
		*err = opening->err;
		return opening->result;
	}
	solve->device = APSP_TAKE(opening->device);
	apsp_event_text(stdout, APSP_EVENT_DEVICE, solve->device.info.name);
	return 0;
}

static void cycle_tell(
	const struct apsp_graph *graph, const struct apsp_cycle *cycle)
{
	char label[APSP_EVENT_LINE / 4];

	for (size_t i = 0; i < cycle->n && i < APSP_EVENT_CYCLE_MAX; i++) {
		apsp_graph_label(
			graph, cycle->vertices[i], label, sizeof(label));
		apsp_event_text(stdout, APSP_EVENT_CYCLE, label);
	}
}

static int solve_lengths(struct solve *solve, struct apsp_err *err)
{
	struct apsp_problem *problem = &solve->problem;
	struct apsp_cycle cycle = {0};
	int r = apsp_monitor_enter(&solve->monitor, APSP_PHASE_LENGTHS, err);

	if (r < 0)
		return r;
	r = apsp_problem_lengths(problem, &cycle, err);
	if (r == APSP_ENEGCYCLE)
		cycle_tell(&problem->graph, &cycle);
	apsp_cycle_done(&cycle);
	return r;
}

static int solve_closure(struct solve *solve, struct apsp_err *err)
{
	int r = apsp_monitor_enter(&solve->monitor, APSP_PHASE_CLOSURE, err);

	if (r < 0)
		return r;
	return apsp_problem_closure(&solve->problem, solve->closure,
		solve->device.context ? &solve->device : NULL, &solve->monitor,
		err);
}

static int solve_distances(struct solve *solve, struct apsp_err *err)
{
	const struct apsp_attempt attempt = {
		.problem = &solve->problem,
		.device = device_needed(solve) ? &solve->device : NULL,
		.algorithm = solve->algorithm,
		.algorithm_name =
			solve->algorithm_name[0] ? solve->algorithm_name : NULL,
		.monitor = &solve->monitor,
		.path = solve->table_path,
	};

	return apsp_attempt_run(&attempt, err);
}

/* Seconds that the phases will take, roughly: only their ratio matters. */
static void solve_weigh(struct solve *solve)
{
	const struct apsp_graph *graph = &solve->problem.graph;
	double n = graph->n_vertices, m = (double)graph->n_arcs;
	bool gpu = solve->device.tuning && solve->device.tuning->gpu;
	double *weights = solve->monitor.weights;

	weights[APSP_PHASE_LENGTHS] = 0.01 + m * 1e-7;
	weights[APSP_PHASE_CLOSURE] = 0.01 + n * n * 1e-10;
	weights[APSP_PHASE_DISTANCE] = 0.3 + n * n * n / (gpu ? 1e13 : 3e10);
	weights[APSP_PHASE_PREDECESSOR] =
		0.1 + n * n * 4e-9 + n * m / (gpu ? 3e11 : 1e9);
}

static int solve_steps(struct solve *solve, struct apsp_err *err)
{
	int r = stop_watch_start(err);

	if (r >= 0)
		r = apsp_monitor_enter(&solve->monitor, APSP_PHASE_READ, err);
	if (r >= 0)
		r = solve_read(solve, err);
	if (r < 0)
		return r;
	solve_device_start(solve);
	solve_weigh(solve);
	r = solve_lengths(solve, err);
	if (r >= 0)
		r = solve_device(solve, err);
	if (r < 0)
		return r;
	solve_weigh(solve); /* again, now that the device is known */
	r = solve_closure(solve, err);
	if (r >= 0)
		r = solve_distances(solve, err);
	return r;
}

/*
 * Tell how it failed. After a request to end all failures come of it: PoCL's
 * compiler, for one, removes its own files at SIGTERM and then misses them.
 */
static int failure_tell(int r, struct apsp_err *own, struct apsp_err *err)
{
	if (atomic_load(&stop_asked))
		r = apsp_fail(
			own, APSP_ECANCELLED, "the computation was cancelled");
	apsp_event_error(stdout, own);
	if (err)
		*err = *own;
	return r;
}

int apsp_solve_run(
	const struct apsp_solve_options *options, struct apsp_err *err)
{
	APSP_AUTO(solve_done) struct solve solve = {.options = options};
	struct apsp_err own = {0};
	char stages[STAGES_SIZE];
	int r;

	apsp_monitor_init(&solve.monitor, stdout, &stop_asked);
	r = solve_steps(&solve, &own);
	if (r < 0)
		return failure_tell(r, &own, err);
	apsp_stages_describe(&solve.monitor.stages, stages, sizeof(stages));
	fprintf(stderr, "%s\n", stages);
	apsp_event_write(stdout, &(struct apsp_event){.kind = APSP_EVENT_DONE});
	return 0;
}

/* Measured once for all; it counts even where it cannot be kept. */
static int calibrate(const struct apsp_solve_options *options,
	struct apsp_rates *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	struct apsp_err unkept;
	int r = stop_watch_start(err);

	if (r >= 0)
		r = device_open(options, &device, err);
	if (r < 0)
		return r;
	apsp_calibration_load(&device, out);
	if (out->measured)
		return 0;
	r = apsp_calibration_run(&device, &stop_asked, out, err);
	if (r >= 0 && apsp_calibration_save(&device, out, &unkept) < 0)
		fprintf(stderr, "%s\n", unkept.message);
	return r;
}

int apsp_solve_calibrate(
	const struct apsp_solve_options *options, struct apsp_err *err)
{
	char text[APSP_RATES_TEXT_SIZE];
	struct apsp_rates rates;
	struct apsp_err own = {0};
	int r = calibrate(options, &rates, &own);

	if (r < 0)
		return failure_tell(r, &own, err);
	apsp_rates_format(&rates, text);
	apsp_event_text(stdout, APSP_EVENT_RATES, text);
	apsp_event_write(stdout, &(struct apsp_event){.kind = APSP_EVENT_DONE});
	return 0;
}

int apsp_solve_list_devices(
	const struct apsp_solve_options *options, struct apsp_err *err)
{
	const struct apsp_device_options device = {.device = options->device};
	struct apsp_device_info found[DEVICES_MAX];
	int n = apsp_device_list(&device, found, DEVICES_MAX, err);

	if (n < 0) {
		apsp_event_error(stdout, err);
		return n;
	}
	for (int i = 0; i < n && i < DEVICES_MAX; i++) {
		struct apsp_event event = {
			.kind = APSP_EVENT_FOUND, .found = found[i]};

		apsp_event_write(stdout, &event);
	}
	apsp_event_write(stdout, &(struct apsp_event){.kind = APSP_EVENT_DONE});
	return 0;
}
