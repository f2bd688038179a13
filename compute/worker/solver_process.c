/*
 * Writes the solver's command lines, and parses its answers; see
 * solver_process.h. The solver's stderr goes to the log.
 */
#include "compute/worker/solver_process.h"

#include <errno.h>
#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "compute/solver_event.h"
#include "compute/worker/child_process.h"
#include "daemon/base/auto.h"
#include "daemon/base/fields.h"
#include "daemon/base/log.h"
#include "daemon/base/settings.h"

enum {
	ARGS_MAX = 16,
	/* largest number of lines of stderr that are logged in one run, not
	   counting warnings */
	LOG_LINES_MAX = 200,
	DEVICES_MS = 60000,
	CALIBRATE_MS = 300000, /* time limit of a measurement and of the
				  compilation of its kernels together */
	/* limit of the time from sending a job to a resident solver (a process
	   that stays for the next job) until the solver begins the job */
	BEGIN_MS = 10000,
	/* largest number of jobs that one resident solver computes */
	JOBS_MAX = 50,
	/* Time from SIGTERM to SIGKILL for a launcher, which needs up to two
	   seconds to end its processes (compute/group/README.md). This time
	   must be shorter than the 4.7 seconds after which the daemon itself
	   ends (daemon/README.md). */
	LAUNCHER_TERM_MS = 4000,
};

/* The task of one run, and the solver's answers so far. */
struct run {
	/* "--devices" or "--calibrate"; NULL: compute a job */
	const char *option;
	const char *job_dir; /* NULL: the run has no job */
	uint64_t room_bytes; /* largest size of the job's table file in bytes;
				0: any size */
	const struct apsp_solver_watch *watch;
	struct apsp_solver_process *solver; /* NULL: the run has no job */
	struct apsp_job_report *report;
	/* number of lines of stderr so far that are not warnings */
	size_t n_log_lines;
	struct apsp_device_info *found;
	size_t n_found;
	size_t max_found;
	struct apsp_rates rates; /* valid only if rates.measured is true */
	bool stays;		 /* true: the solver stays for the next job */
	/* the solver is ended if it prints no event for this number of
	   milliseconds */
	int64_t silence_ms;
};

int apsp_solver_process_init(const char *path,
	const struct apsp_settings *settings, int stall_ms,
	struct apsp_pulse *pulse, struct apsp_solver_process *out,
	struct apsp_err *err)
{
	*out = (struct apsp_solver_process){.settings = settings,
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
		.stall_ms = stall_ms,
		.pulse = pulse};
	if (out->wake_fd < 0)
		return apsp_fail_errno(err, errno, "eventfd");
	return apsp_solver_command_make(
		settings->solver_command, path, &out->command, err);
}

void apsp_solver_process_done(struct apsp_solver_process *solver)
{
	apsp_solver_process_retire(solver);
	apsp_close(&solver->wake_fd);
}

/* Handle a line of stderr. Returns whether the line is logged. */
static bool run_log(void *ctx, enum apsp_log_level level, const char *line)
{
	struct run *run = ctx;

	apsp_job_report_log(run->report, line);
	/* LOG_LINES_MAX does not limit warnings: they are few, and a warning
	   that was left out might never come again */
	if (level <= APSP_LOG_WARNING)
		return true;
	run->n_log_lines++;
	if (run->n_log_lines == LOG_LINES_MAX)
		apsp_log(APSP_LOG_INFO, "solver: more lines are not shown");
	return run->n_log_lines < LOG_LINES_MAX;
}

/* Handle a line that a resident solver prints between two jobs. The line
   reports the memory that the solver holds. */
static enum apsp_child_line idle_line(void *ctx, const char *line)
{
	struct apsp_solver_process *solver = ctx;
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (apsp_solver_event_parse(line, &kind, &fields) &&
		kind == APSP_SOLVER_EVENT_HELD &&
		!apsp_held_memory_parse(fields, &solver->held))
		solver->held = (struct apsp_held_memory){0};
	return APSP_CHILD_LINE_DONE;
}

/* Set the time limit until the solver's next event: the time that the solver
   has announced, but at least stall_ms. Called after each event. */
static void silence_allow(struct run *run)
{
	const struct apsp_job_report *report = run->report;
	double within_s = fmax(report->within_s, report->trial_s);

	run->silence_ms = run->solver->stall_ms;
	if (within_s * 1000 > (double)run->silence_ms)
		run->silence_ms = (int64_t)(within_s * 1000);
	apsp_child_process_limit(run->solver->resident, run->silence_ms);
}

static enum apsp_child_line job_line(void *ctx, const char *line)
{
	struct run *run = ctx;
	const struct apsp_solver_watch *watch = run->watch;
	struct apsp_job_report *report = run->report;
	size_t n_events = report->n_events;
	bool last;

	if (report->done)
		return idle_line(run->solver, line);
	last = apsp_job_report_line(report, line);
	if (report->n_events != n_events)
		silence_allow(run);
	if (report->changed && watch->progressed)
		watch->progressed(watch->ctx, &report->progress);
	report->changed = false;
	if (report->done && run->stays)
		return APSP_CHILD_LINE_DONE;
	return last ? APSP_CHILD_LINE_LAST : APSP_CHILD_LINE_MORE;
}

/* Handle a line of a run without a job. Like a run with a job, it ends with
   `done` or `error`. */
static enum apsp_child_line ask_line(void *ctx, const char *line)
{
	struct run *run = ctx;
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (apsp_solver_event_parse(line, &kind, &fields)) {
		if (kind == APSP_SOLVER_EVENT_FOUND &&
			run->n_found < run->max_found &&
			apsp_device_info_parse(
				fields, &run->found[run->n_found]))
			run->n_found++;
		if (kind == APSP_SOLVER_EVENT_RATES)
			apsp_rates_parse(fields, &run->rates, NULL);
	}
	return apsp_job_report_line(run->report, line) ? APSP_CHILD_LINE_LAST
						       : APSP_CHILD_LINE_MORE;
}

/* Listen to *child until the child has ended or has done its task. If the child
   has ended, *child becomes NULL; otherwise the child stays. */
static void run_listen(struct apsp_child_process **child,
	const struct apsp_child_listener *listener,
	struct apsp_child_process_end *out)
{
	if (apsp_child_process_listen(*child, listener, out))
		*child = NULL;
}

/*
 * Start a solver, and listen until it has ended or has done its task. If the
 * solver has ended, *out is NULL. The command line:
 *
 *	apsp-solve --device D --cache-dir C [OPTION] [--device-memory N]
 *	           [--room N] [--stay S] [DIR]
 *
 * For a job, the words of the setting solver-command take the place of
 * apsp-solve.
 */
static int solver_run(const struct apsp_solver_process *solver,
	const struct run *run, const struct apsp_child_listener *listener,
	struct apsp_child_process **out, struct apsp_child_process_end *out_end,
	struct apsp_err *err)
{
	const struct apsp_settings *settings = solver->settings;
	const struct apsp_solver_command *command = &solver->command;
	const char *argv[APSP_SOLVER_COMMAND_WORDS + ARGS_MAX] = {0};
	const char **arg = argv;
	const struct apsp_child_process_config config = {
		.argv = argv,
		.env = environ,
		.name = "solver",
		.wake_fd = solver->wake_fd,
		.pulse = solver->pulse,
		.term_ms =
			run->job_dir && command->n > 1 ? LAUNCHER_TERM_MS : 0,
	};
	char memory[24], room[24], stay[24];
	int r;

	for (size_t i = run->job_dir ? 0 : command->n - 1; i < command->n; i++)
		*arg++ = command->words[i];
	*arg++ = "--device";
	*arg++ = settings->device;
	*arg++ = "--cache-dir";
	*arg++ = settings->cache_dir;
	if (run->option)
		*arg++ = run->option;
	if (settings->device_memory > 0) {
		snprintf(memory, sizeof(memory), "%" PRIu64,
			settings->device_memory);
		*arg++ = "--device-memory";
		*arg++ = memory;
	}
	if (run->room_bytes > 0) {
		snprintf(room, sizeof(room), "%" PRIu64, run->room_bytes);
		*arg++ = "--room";
		*arg++ = room;
	}
	if (run->stays) {
		snprintf(stay, sizeof(stay), "%u", settings->solver_idle);
		*arg++ = "--stay";
		*arg++ = stay;
	}
	*arg = run->job_dir;
	r = apsp_child_process_start(&config, out, err);
	if (r < 0)
		return r;
	apsp_child_process_limit(*out, run->silence_ms);
	run_listen(out, listener, out_end);
	return 0;
}

/* Return the listener for the time between two jobs. The listener has no stop
   token, and the resident solver's whole stderr goes to the log. */
static struct apsp_child_listener idle_listener(
	struct apsp_solver_process *solver)
{
	return (struct apsp_child_listener){solver, NULL, idle_line, NULL};
}

void apsp_solver_process_retire(struct apsp_solver_process *solver)
{
	const struct apsp_child_listener listener = idle_listener(solver);

	apsp_child_process_end(APSP_TAKE(solver->resident), &listener);
	solver->held = (struct apsp_held_memory){0};
	solver->device_open = false;
	solver->n_jobs = 0;
}

int apsp_solver_process_fd(const struct apsp_solver_process *solver)
{
	return solver->resident ? apsp_child_process_fd(solver->resident) : -1;
}

bool apsp_solver_process_read(struct apsp_solver_process *solver)
{
	const struct apsp_child_listener listener = idle_listener(solver);

	if (!solver->resident ||
		apsp_child_process_read(solver->resident, &listener))
		return true;
	apsp_solver_process_retire(solver);
	return false;
}

/* Send the job to the resident solver. False: there is no resident solver, the
   job cannot be written to its stdin, or it has computed JOBS_MAX jobs. */
static bool resident_send(
	struct apsp_solver_process *solver, const struct run *run)
{
	char line[PIPE_BUF] = "";

	return apsp_solver_process_read(solver) && solver->resident &&
	       solver->n_jobs < JOBS_MAX &&
	       apsp_fields_add(line, sizeof(line) - 1, "room", "%" PRIu64,
		       run->room_bytes) &&
	       apsp_fields_add(
		       line, sizeof(line) - 1, "dir", "%s", run->job_dir) &&
	       apsp_child_process_send(solver->resident, strcat(line, "\n"));
}

/* Run the job in the resident solver or in a new one. The resident solver may
   have been killed while it waited. So if the resident solver ends before it
   begins the job, a new solver gets the job. */
static int job_run(struct apsp_solver_process *solver, struct run *run,
	struct apsp_child_process_end *out, struct apsp_err *err)
{
	const struct apsp_stop *stop = run->watch->stop;
	const struct apsp_child_listener listener = {
		run, stop, job_line, run_log};
	bool begun = resident_send(solver, run);
	const char *device;
	int r;

	if (begun) {
		apsp_child_process_limit(solver->resident,
			solver->stall_ms < BEGIN_MS ? solver->stall_ms
						    : BEGIN_MS);
		run_listen(&solver->resident, &listener, out);
		begun = solver->resident || run->report->n_events > 0 ||
			apsp_stop_reason(stop);
	}
	if (!begun) {
		apsp_solver_process_retire(solver);
		r = solver_run(
			solver, run, &listener, &solver->resident, out, err);
		if (r < 0)
			return r;
	}
	solver->n_jobs++;
	device = run->report->progress.device;
	if (device[0] && strcmp(device, APSP_SOLVER_EVENT_HOST) != 0)
		solver->device_open = true;
	return 0;
}

int apsp_solver_process_compute(struct apsp_solver_process *solver,
	const char *job_dir, uint64_t room_bytes,
	const struct apsp_solver_watch *watch, struct apsp_job_report *report)
{
	struct run run = {.job_dir = job_dir,
		.room_bytes = room_bytes,
		.watch = watch,
		.solver = solver,
		.report = report,
		.stays = solver->settings->solver_idle > 0,
		.silence_ms = solver->stall_ms};
	struct apsp_err *err = &report->failure.err;
	const char *phase = report->progress.phase;
	struct apsp_child_process_end end = {0};
	int r;

	r = job_run(solver, &run, &end, err);
	if (r < 0)
		return r;
	/* how the process ends does not matter now, because the tables are
	   complete; a driver may even crash when the process exits */
	if (report->done)
		return 0;
	if (err->code && err->code != APSP_ECANCELLED)
		return err->code;
	r = apsp_stop_check(watch->stop, err);
	if (r < 0)
		return r;
	if (end.timed_out)
		return apsp_fail(err, APSP_ESTALLED,
			"the solver reported nothing for %.0f s in phase "
			"'%s', as if the device's driver hung, and was ended",
			(double)run.silence_ms / 1000, *phase ? phase : "read");
	if (err->code)
		return apsp_job_report_died(
			report, "was stopped by another process");
	return apsp_job_report_died(report, end.how);
}

/*
 * Run the solver without a job. APSP_ECANCELLED: a stop was asked for;
 * APSP_ESTALLED: the solver took too long; APSP_EBUSY: the solver cannot be
 * started at present; APSP_EDEVICE: every other failure.
 */
static int solver_ask(const struct apsp_solver_process *solver, struct run *run,
	const struct apsp_stop *stop, struct apsp_err *err)
{
	APSP_AUTO(apsp_job_report_done) struct apsp_job_report report;
	const struct apsp_child_listener listener = {
		run, stop, ask_line, run_log};
	struct apsp_child_process *child = NULL;
	struct apsp_child_process_end end = {0};
	enum apsp_code code = APSP_EDEVICE;
	int started, r;

	apsp_job_report_init(&report);
	run->report = &report;
	/* the solver never stays after a run without a job, so it has ended
	   when this call returns */
	started = solver_run(
		solver, run, &listener, &child, &end, &report.failure.err);
	run->report = NULL;
	/* how the process ends does not matter now, because the answer is
	   complete; a driver may even crash or hang when the process exits */
	if (report.done)
		return 0;
	r = apsp_stop_check(stop, err);
	if (r < 0)
		return r;
	/* Report how the process ended. The solver's own error does not help
	   after a time limit: the solver got SIGTERM, and its error says only
	   that it was cancelled. */
	if (started == 0 && (end.timed_out || report.failure.err.code == 0))
		apsp_job_report_died(&report, end.how);
	/* If the process cannot be killed (end.lost), it still holds the
	   device. Then the code stays APSP_EDEVICE, so that the caller does not
	   try again. */
	if (end.timed_out && !end.lost)
		code = APSP_ESTALLED;
	else if (started == APSP_EBUSY)
		code = APSP_EBUSY;
	return apsp_fail(err, code, "%s", report.failure.err.message);
}

int apsp_solver_process_devices(const struct apsp_solver_process *solver,
	const struct apsp_stop *stop, struct apsp_device_info *out, size_t max,
	struct apsp_err *err)
{
	struct run run = {
		.option = "--devices",
		.silence_ms = DEVICES_MS,
		.found = out,
		.max_found = max,
	};
	int r = solver_ask(solver, &run, stop, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < run.n_found; i++)
		if (out[i].chosen)
			return (int)run.n_found;
	return apsp_device_info_refuse(
		solver->settings->device, out, run.n_found, err);
}

int apsp_solver_process_calibrate(const struct apsp_solver_process *solver,
	const struct apsp_stop *stop, struct apsp_rates *out,
	struct apsp_err *err)
{
	struct run run = {.option = "--calibrate", .silence_ms = CALIBRATE_MS};
	int r = solver_ask(solver, &run, stop, err);

	if (r < 0)
		return r;
	if (!run.rates.measured)
		return apsp_fail(
			err, APSP_EDEVICE, "the solver reported no rates");
	*out = run.rates;
	return 0;
}
