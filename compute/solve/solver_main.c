/*
 * Runs the tasks of a solver. The steps of a job are listed in solver_main.h.
 */
#include "compute/solve/solver_main.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compute/device/device.h"
#include "compute/device/kernel_cache.h"
#include "compute/device/pinned_pool.h"
#include "compute/distance/distance_algorithm.h"
#include "compute/graph/potentials.h"
#include "compute/group/group.h"
#include "compute/rows/demand_file.h"
#include "compute/solve/calibration.h"
#include "compute/solve/heap.h"
#include "compute/solve/kept_rates.h"
#include "compute/solve/opening.h"
#include "compute/solve/planner.h"
#include "compute/solve/prepared_graph.h"
#include "compute/solve/received_rows.h"
#include "compute/solve/rows_main.h"
#include "compute/solve/self_test.h"
#include "compute/solve/stop_watch.h"
#include "compute/solve/trial_process.h"
#include "compute/solve/width_attempts.h"
#include "compute/solver_event.h"
#include "daemon/base/auto.h"
#include "daemon/base/fields.h"
#include "daemon/job/graph_file.h"

enum {
	DEVICES_MAX = 64,
	PATH_SIZE = 4096,
	TRIAL_S = 100, /* time limit of a trial, in seconds of processor time;
			  compiling a kernel takes a few seconds */
	WARNED_S = 10, /* Linux sends SIGXCPU at the limit, and SIGKILL this
			  number of seconds later */
};

struct job {
	const struct apsp_solver_options *options;
	struct apsp_prepared_graph prepared;
	struct apsp_opening *opening;	  /* borrowed */
	const struct apsp_device *device; /* NULL: the host solves */
	/* algorithm for the distance matrix; NULL: the plan chooses it */
	const struct apsp_distance_algorithm *algorithm;
	/* algorithm for the closure; NULL: the default algorithm */
	const struct apsp_closure_algorithm *closure;
	struct apsp_progress progress;
	/* true: no tables are computed; the file has only the arcs, from which
	   rows are computed when they are requested (rows_main.h) */
	bool on_demand;
	uint32_t proof_seed;
	char table_path[PATH_SIZE];
	struct apsp_file_map left; /* mapping of the finished table file */
};

/* The next job, as a line of stdin describes it. */
struct next_job {
	uint64_t room_bytes; /* largest size of the job's table file in bytes */
	char dir[APSP_SOLVER_EVENT_LINE];
};

static void job_done(struct job *job)
{
	apsp_prepared_graph_done(&job->prepared);
	apsp_file_map_close(&job->left);
}

/* Whether the job proves tables that came in a bundle, instead of computing
   them. */
static bool proves(const struct job *job)
{
	return job->prepared.graph.prove != APSP_PROVE_NONE && !job->on_demand;
}

static bool device_needed(const struct job *job)
{
	return !job->on_demand && !proves(job) &&
	       (!job->algorithm ||
		       job->algorithm->entry->start != APSP_START_HOST);
}

static int job_read(struct job *job, struct apsp_err *err)
{
	char path[PATH_SIZE];
	const char *name;
	double n;
	int r;

	snprintf(path, sizeof(path), "%s/graph", job->options->job_dir);
	snprintf(job->table_path, sizeof(job->table_path), "%s/tables",
		job->options->job_dir);
	r = apsp_prepared_graph_open(path, &job->prepared, err);
	if (r < 0)
		return r;
	n = job->prepared.graph.n_vertices;
	/* The longest time without an event: 5 µs to sort each arc, plus the
	   time to write a table of 8 bytes for each pair at 50 MB/s. */
	job->progress.patience_s =
		5e-6 * (double)job->prepared.graph.n_arcs + n * n * 8 / 5e7;
	job->on_demand = job->prepared.graph.profile.tables == APSP_TABLES_NONE;
	name = job->prepared.graph.profile.algorithm;
	/* a profile names at most one algorithm; if it names an algorithm for
	   the closure, the plan chooses an algorithm for the distance matrix */
	job->closure = apsp_closure_algorithm_find(name);
	if (job->closure)
		return 0;
	job->algorithm = apsp_distance_algorithm_find(name);
	if (!job->algorithm)
		return apsp_fail(
			err, APSP_EDATA, "no algorithm is named '%s'", name);
	apsp_solver_event_field(job->options->events, APSP_SOLVER_EVENT_JOB,
		"algorithm", "%s", name);
	return 0;
}

static int job_device(struct job *job, struct apsp_err *err)
{
	int r;

	if (!device_needed(job)) {
		apsp_solver_event_field(job->options->events,
			APSP_SOLVER_EVENT_JOB, "device", "%s",
			APSP_SOLVER_EVENT_HOST);
		return 0;
	}
	/* announce the stage before the wait, so that the daemon notices if the
	   driver hangs */
	apsp_progress_stage(&job->progress, APSP_STAGE_OPEN);
	r = apsp_opening_wait(job->opening, &job->device, err);
	if (r < 0)
		return r;
	apsp_solver_event_field(job->options->events, APSP_SOLVER_EVENT_JOB,
		"device", "%s", job->device->info.name);
	return 0;
}

static void cycle_report(FILE *events, const struct apsp_graph *graph,
	const struct apsp_negative_cycle *cycle)
{
	char label[APSP_SOLVER_EVENT_LINE / 4];

	for (size_t i = 0; i < cycle->n && i < APSP_SOLVER_EVENT_CYCLE_MAX;
		i++) {
		apsp_graph_label(
			graph, cycle->vertices[i], label, sizeof(label));
		apsp_solver_event_field(
			events, APSP_SOLVER_EVENT_CYCLE, "vertex", "%s", label);
	}
}

static int job_lengths(struct job *job, struct apsp_err *err)
{
	struct apsp_prepared_graph *prepared = &job->prepared;
	struct apsp_negative_cycle cycle = {0};
	int r = apsp_progress_enter(&job->progress, APSP_STAGE_LENGTHS, err);

	if (r < 0)
		return r;
	r = job->on_demand ? apsp_prepared_graph_bare(prepared, &cycle, err)
			   : apsp_prepared_graph_lengths(prepared, &cycle, err);
	if (r == APSP_ENEGCYCLE)
		cycle_report(job->options->events, &prepared->graph, &cycle);
	apsp_negative_cycle_done(&cycle);
	return r;
}

static int job_distances(struct job *job, struct apsp_err *err)
{
	const struct apsp_width_attempts attempts = {
		.prepared = &job->prepared,
		.device = job->device,
		.algorithm = job->algorithm,
		.progress = &job->progress,
		.path = job->table_path,
		.room_bytes = job->options->room_bytes,
		.proof_seed = job->proof_seed,
		.left = &job->left,
	};

	return apsp_width_attempts_run(&attempts, err);
}

/* Do all steps before the distances are computed. In a group, each process does
   these steps for itself. */
static int job_prepare(struct job *job, struct apsp_err *err)
{
	const struct apsp_estimate *guess;
	struct apsp_plan plan;
	int r = apsp_progress_enter(&job->progress, APSP_STAGE_READ, err);

	if (r >= 0)
		r = job_read(job, err);
	if (r < 0)
		return r;
	if (device_needed(job))
		apsp_opening_start(job->opening, job->options);
	/* Estimate roughly how many seconds each phase of the job would take
	   with `multi-source`. These seconds are used only as the weights of
	   the phases in the reported progress, until there is a plan for the
	   device. */
	apsp_planner_guess(&job->prepared.graph, 0, &plan);
	guess = &plan.algorithms[APSP_ALGORITHM_MULTI_SOURCE];
	apsp_progress_cost(&job->progress, guess->cost.seconds, false);
	r = job_lengths(job, err);
	if (r >= 0)
		r = job_device(job, err);
	if (r >= 0)
		r = apsp_progress_enter(
			&job->progress, APSP_STAGE_CLOSURE, err);
	if (r < 0 || job->on_demand)
		return r;
	return apsp_prepared_graph_closure(
		&job->prepared, job->closure, job->device, &job->progress, err);
}

/* Write a file with the arcs, from which other processes compute rows later
   (rows_main.h). */
static int job_arcs(struct job *job, struct apsp_err *err)
{
	const struct apsp_prepared_graph *prepared = &job->prepared;
	const struct apsp_demand_file file = {.path = job->table_path,
		.lengths = &prepared->lengths,
		.integers = &prepared->integers,
		.components = &prepared->components,
		.on_cycle = &prepared->on_cycle,
		.precision = prepared->graph.profile.precision,
		.room_bytes = job->options->room_bytes};
	struct apsp_plan plan;
	int r;

	apsp_planner_guess(&prepared->graph, job->options->room_bytes, &plan);
	apsp_progress_plan(&job->progress, "rows", plan.text);
	r = apsp_plan_check(&plan, err);
	if (r >= 0)
		r = apsp_progress_enter(&job->progress, APSP_STAGE_WRITE, err);
	return r < 0 ? r : apsp_demand_file_write(&file, err);
}

/* Prove the tables that came in a bundle. */
static int job_received(struct job *job, struct apsp_err *err)
{
	static const char *const plans[APSP_N_PROVES] = {
		[APSP_PROVE_ALL] = "tables of a bundle; every row is proved "
				   "against all arcs",
		[APSP_PROVE_SEED] = "tables of a bundle; every cell is proved "
				    "by its predecessor, and rows that the "
				    "seed draws against all arcs"};
	const struct apsp_graph *graph = &job->prepared.graph;
	const struct apsp_received_rows received = {.prepared = &job->prepared,
		.progress = &job->progress,
		.path = job->table_path,
		.proof_seed = job->proof_seed};
	int r = apsp_progress_enter(&job->progress, APSP_STAGE_DISTANCE, err);

	apsp_progress_plan(&job->progress, "prove", plans[graph->prove]);
	return r < 0 ? r : apsp_received_rows_prove(&received, err);
}

/* Check that all processes of the group have made the same arcs. Each process
   proves its rows against its own arcs, so no other proof would find a process
   with other arcs. `r` is the result of this process so far. All processes of
   the group must call this function. */
static int lengths_compare(const struct job *job, int r, struct apsp_err *err)
{
	enum apsp_transform transform = job->prepared.graph.profile.transform;
	uint64_t checksum = job->prepared.lengths.checksum, first = checksum;

	apsp_group_share(0, &first, sizeof(first), 1);
	if (r < 0 || first == 0 || first == checksum)
		return r;
	return apsp_fail(err, APSP_EPROOF,
		"the arcs of this process differ from those of rank 0%s",
		transform == APSP_TRANSFORM_LOG ||
				transform == APSP_TRANSFORM_LOGNORM
			? "; hosts with different processors or C libraries "
			  "can have different logarithms: let "
			  "--solver-command use hosts of one kind"
			: "");
}

static int job_steps(struct job *job, struct apsp_err *err)
{
	int r = job_prepare(job, err);

	r = lengths_compare(job, r, err);
	apsp_opening_divide(job->opening);
	if (apsp_group_rank() == 0)
		apsp_planner_group(job->options->events, job->device);
	/* Begin the present stage again, because each beginning announces to
	   the daemon how long the solver may be silent. This process now waits
	   for the other processes, which may still compile kernels. */
	apsp_progress_stage(&job->progress, job->progress.stage);
	r = apsp_group_agree(r, err);
	if (r < 0 || (!job->on_demand && !proves(job)))
		return r < 0 ? r : job_distances(job, err);
	if (apsp_group_rank() == 0)
		r = proves(job) ? job_received(job, err) : job_arcs(job, err);
	return apsp_group_agree(r, err);
}

/*
 * Report the error as the last event. If a stop was requested, report the stop
 * instead, because it may have caused the error. PoCL's compiler, for example,
 * removes its own files at SIGTERM, and then fails because they are missing.
 */
static int failure_report(FILE *events, int r, struct apsp_err *err)
{
	int stopped = apsp_stop_check(apsp_stop_watch_token(), err);

	apsp_solver_event_error(events, err);
	return stopped < 0 ? stopped : r;
}

/* Report the seconds of each stage to the log and to the job's record. */
static void stages_report(struct job *job)
{
	struct apsp_job_stages *stages = &job->progress.stages;
	char text[APSP_JOB_STAGES_TEXT_SIZE];

	apsp_job_stages_end(stages, job->progress.stage);
	apsp_job_stages_format(stages, text);
	if (apsp_group_size() > 1)
		fprintf(stderr, "rank %u: %s\n", apsp_group_rank(), text);
	else
		fprintf(stderr, "%s\n", text);
	apsp_solver_event_write(
		job->options->events, APSP_SOLVER_EVENT_STAGES, text);
}

/* Choose the seed that selects which rows are proved, and report it for the
   job's record. */
static void seed_choose(struct job *job)
{
	job->proof_seed = (uint32_t)job->options->proof_seed;
	if (job->proof_seed == 0 &&
		getrandom(&job->proof_seed, sizeof(job->proof_seed),
			GRND_NONBLOCK) < 0)
		job->proof_seed = (uint32_t)getpid();
	job->proof_seed += job->proof_seed == 0;
	apsp_group_share(0, &job->proof_seed, sizeof(job->proof_seed), 1);
	apsp_solver_event_field(job->options->events, APSP_SOLVER_EVENT_JOB,
		"seed", "%" PRIu32, job->proof_seed);
}

/* Run one job, from its first event to its last event. */
static int job_run(
	const struct apsp_solver_options *options, struct apsp_opening *opening)
{
	APSP_AUTO(job_done)
	struct job job = {.options = options, .opening = opening};
	struct apsp_err err = {0};
	int r;

	apsp_progress_init(
		&job.progress, options->events, apsp_stop_watch_token());
	apsp_group_progress_begin(&job.progress);
	seed_choose(&job);
	r = job_steps(&job, &err);
	apsp_group_progress_end();
	stages_report(&job);
	if (r < 0)
		return failure_report(options->events, r, &err);
	apsp_solver_event_write(options->events, APSP_SOLVER_EVENT_DONE, "");
	return 0;
}

/* Give freed memory back to Linux (heap.h), and wait for a line that describes
   the next job. In a group, only the process of rank 0 reads the line, and
   shares the next job with all other processes. Store this job in *options;
   options->job_dir then points into *own. False: there is no next job. */
static bool job_next(const struct apsp_opening *opening, struct next_job *own,
	struct apsp_solver_options *options)
{
	static const struct apsp_member fields[] = {
		APSP_MEMBER(struct next_job, room_bytes, "room", U64),
		APSP_MEMBER(struct next_job, dir, "dir", TEXT),
	};
	char text[APSP_HELD_MEMORY_TEXT_SIZE], line[APSP_SOLVER_EVENT_LINE];
	struct apsp_held_memory held;

	apsp_heap_trim();
	apsp_pinned_pool_held(opening->device.pinned, &held);
	apsp_held_memory_format(&held, text);
	apsp_solver_event_write(options->events, APSP_SOLVER_EVENT_HELD, text);
	if (apsp_group_rank() == 0 &&
		(!apsp_stop_watch_line((int64_t)options->stay_s * 1000, line) ||
			apsp_fields_read(line, fields, 2, own) != 2))
		own->dir[0] = '\0';
	apsp_group_share(0, own, sizeof(*own), 1);
	if (!own->dir[0])
		return false;
	options->room_bytes = own->room_bytes;
	options->job_dir = own->dir;
	return true;
}

static int jobs_run(const struct apsp_solver_options *options)
{
	APSP_AUTO(apsp_opening_done) struct apsp_opening opening = {0};
	struct apsp_solver_options own = *options;
	struct next_job next = {0};
	struct apsp_err err = {0};
	int r = apsp_group_agree(apsp_stop_watch_start(&err), &err);

	if (r < 0)
		return failure_report(options->events, r, &err);
	/* a failed job ends the loop, because it may have left a driver
	   broken */
	do
		r = job_run(&own, &opening);
	while (r == 0 && own.stay_s > 0 && job_next(&opening, &next, &own));
	return r;
}

/* Read the device's rates from their file. If there is no file, measure the
   rates. *out gets the rates even if they cannot be written to the file. */
static int rates_find(const struct apsp_solver_options *options,
	struct apsp_rates *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	int r = apsp_stop_watch_start(err);

	if (r >= 0)
		r = apsp_opening_open(options, &device, err);
	if (r < 0)
		return r;
	apsp_kept_rates_load(&device, out);
	return out->measured ? 0
			     : apsp_calibration_run(&device,
				       apsp_stop_watch_token(), out, err);
}

static int calibrate(const struct apsp_solver_options *options)
{
	char text[APSP_RATES_TEXT_SIZE];
	struct apsp_rates rates;
	struct apsp_err err = {0};
	int r = rates_find(options, &rates, &err);

	if (r < 0)
		return failure_report(options->events, r, &err);
	apsp_rates_format(&rates, text);
	apsp_solver_event_write(options->events, APSP_SOLVER_EVENT_RATES, text);
	apsp_solver_event_write(options->events, APSP_SOLVER_EVENT_DONE, "");
	return 0;
}

/* A kernel that a trial compiles (kernel_form.h). */
struct build {
	char source[64];
	uint32_t element;
	char options[APSP_TRIAL_SIZE];
};

static int form_build(const struct apsp_device *device, const char *what,
	struct apsp_err *err)
{
	static const struct apsp_member fields[] = {
		APSP_MEMBER(struct build, source, "build", TEXT),
		APSP_MEMBER(struct build, element, "element", U32),
		APSP_MEMBER(struct build, options, "options", TEXT),
	};
	struct build build;

	if (apsp_fields_read(what, fields, 3, &build) != 3)
		return apsp_fail(err, APSP_EBUG, "no trial is '%s'", what);
	return apsp_kernel_cache_build(device, build.source,
		(enum apsp_element)build.element, build.options, NULL, 0, err);
}

/* Run a trial, and return its exit status. Linux ends the process if it uses
   too much processor time. */
static int trial_run(const struct apsp_solver_options *options)
{
	static const struct rlimit most = {TRIAL_S, TRIAL_S + WARNED_S};
	APSP_AUTO(apsp_device_close) struct apsp_device device = {0};
	char test[APSP_ALGORITHM_SIZE];
	struct apsp_err err;
	int r;

	/* without this call, the process would be named "exe" */
	prctl(PR_SET_NAME, "apsp-solve");
	setrlimit(RLIMIT_CPU, &most);
	if (apsp_opening_open(options, &device, &err) < 0)
		return APSP_TRIAL_UNOPENED;
	r = apsp_fields_get(options->trial, "test", test, sizeof(test))
		    ? apsp_self_test_named(&device, options->trial, &err)
		    : form_build(&device, options->trial, &err);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int devices_list(const struct apsp_solver_options *options)
{
	struct apsp_device_info found[DEVICES_MAX];
	struct apsp_err err;
	int n = apsp_device_list(options->device, found, DEVICES_MAX, &err);

	if (n < 0) {
		apsp_solver_event_error(options->events, &err);
		return n;
	}
	for (int i = 0; i < n && i < DEVICES_MAX; i++) {
		char text[APSP_DEVICE_INFO_TEXT_SIZE];

		apsp_device_info_format(&found[i], text);
		apsp_solver_event_write(
			options->events, APSP_SOLVER_EVENT_FOUND, text);
	}
	apsp_solver_event_write(options->events, APSP_SOLVER_EVENT_DONE, "");
	return 0;
}

int apsp_solver_main_run(const struct apsp_solver_options *options)
{
	int r;

	if (options->trial)
		return trial_run(options);
	if (options->list_devices)
		r = devices_list(options);
	else if (options->calibrate)
		r = calibrate(options);
	else if (options->rows)
		r = apsp_rows_main_run(options);
	else
		r = jobs_run(options);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
