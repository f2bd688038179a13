/*
 * Runs of the solver, and what its answers mean; see solver_process.h. Its
 * stderr goes to the log.
 */
#include "compute/worker/solver_process.h"

#include <errno.h>
#include <math.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "compute/solver_event.h"
#include "compute/worker/child_process.h"
#include "compute/worker/solver_command.h"
#include "compute/worker/solver_environment.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/fields.h"
#include "daemon/base/log.h"
#include "daemon/base/settings.h"

enum {
	LOG_LINES_MAX = 200, /* of one run's stderr, beside warnings */
	DEVICES_MS = 60000,
	CALIBRATE_MS = 300000, /* with the time to compile kernels */
	LINGER_MS = 3000,      /* from the solver's last line to TERM */
	TERM_MS = 2000,	       /* from TERM to KILL */
	KILL_MS = 900,	       /* from KILL to giving up */
	TAKE_MS = 10000,       /* in which a resident begins a job */
	JOBS_MAX = 50,	       /* of one resident */
};

/* What one run has told. */
struct hearing {
	const struct apsp_solver_process_watch *watch;
	struct apsp_solver_process *solver; /* of a job */
	struct apsp_job_report *report;
	size_t n_log_lines; /* that are no warnings */
	struct apsp_device_info *found;
	size_t n_found;
	size_t max_found;
	struct apsp_rates rates; /* told if rates.measured is set */
	/* Of a job: whether the solver stays after it, and when to take it for
	   stalled. */
	bool stays;
	int stall_ms; /* 0: never */
	int take_ms;  /* the same for the first event; 0: as the others */
	int64_t heard_ms;
	size_t n_heard;	 /* events until then */
	double silent_s; /* not 0: it stalled */
};

int apsp_solver_process_init(const struct apsp_solver_process_config *config,
	struct apsp_solver_process *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_solver_process_done)
	struct apsp_solver_process solver = {.wake_fd = -1};
	int r;

	solver.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (solver.wake_fd < 0)
		return apsp_fail_errno(err, errno, "eventfd");
	solver.path = strdup(config->path);
	solver.settings = config->settings;
	solver.stall_ms = config->stall_ms;
	if (!solver.path)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the solver");
	r = apsp_solver_environment_new(
		config->settings->cache_dir, &solver.env, err);
	if (r < 0)
		return r;
	*out = solver;
	solver = (struct apsp_solver_process){.wake_fd = -1};
	return 0;
}

void apsp_solver_process_done(struct apsp_solver_process *solver)
{
	apsp_solver_process_retire(solver);
	apsp_close(&solver->wake_fd);
	apsp_solver_environment_free(solver->env);
	free(solver->path);
}

/* Whether the solver of a job has told nothing for too long. */
static bool hearing_stalled(struct hearing *hearing)
{
	const struct apsp_job_report *report = hearing->report;
	int64_t now_ms = apsp_clock_ms(), limit_ms = hearing->stall_ms;
	double within_s = fmax(report->within_s, report->trial_s);
	int64_t silent_ms;

	if (report->n_events != hearing->n_heard || hearing->heard_ms == 0) {
		hearing->n_heard = report->n_events;
		hearing->heard_ms = now_ms;
	}
	silent_ms = now_ms - hearing->heard_ms;
	if (hearing->take_ms > 0 && report->n_events == 0 &&
		limit_ms > hearing->take_ms)
		limit_ms = hearing->take_ms;
	if (within_s * 1000 > (double)limit_ms)
		limit_ms = (int64_t)(within_s * 1000);
	if (hearing->stall_ms == 0 || silent_ms <= limit_ms)
		return false;
	hearing->silent_s = (double)silent_ms / 1000;
	return true;
}

static bool hearing_stop(void *ctx)
{
	struct hearing *hearing = ctx;

	return hearing->watch->stop(hearing->watch->ctx) ||
	       hearing_stalled(hearing);
}

/* The priority of a line that begins with one, "<4>", which is skipped. */
static enum apsp_log_level level_take(const char **line)
{
	const char *at = *line;

	if (at[0] != '<' || at[1] < '0' + APSP_LOG_ERROR ||
		at[1] > '0' + APSP_LOG_DEBUG || at[2] != '>')
		return APSP_LOG_INFO;
	*line += 3;
	return (enum apsp_log_level)(at[1] - '0');
}

static void hearing_log(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	enum apsp_log_level level = level_take(&line);

	apsp_job_report_quote(hearing->report, line);
	/* warnings always: they are few, and some are told once for ever */
	if (level > APSP_LOG_WARNING)
		hearing->n_log_lines++;
	if (level <= APSP_LOG_WARNING || hearing->n_log_lines < LOG_LINES_MAX)
		apsp_log(level, "solver: %s", line);
	else if (hearing->n_log_lines == LOG_LINES_MAX)
		apsp_log(APSP_LOG_INFO, "solver: more lines are not shown");
}

/* A resident tells how much memory the last job has left it with. */
static enum apsp_child_said idle_line(void *ctx, const char *line)
{
	struct apsp_solver_process *solver = ctx;
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (apsp_solver_event_parse(line, &kind, &fields) &&
		kind == APSP_SOLVER_EVENT_HELD &&
		!apsp_held_memory_parse(fields, &solver->held))
		solver->held = (struct apsp_held_memory){0};
	return APSP_CHILD_SAID_DONE;
}

static enum apsp_child_said job_line(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	const struct apsp_solver_process_watch *watch = hearing->watch;
	struct apsp_job_report *report = hearing->report;
	bool last;

	if (report->done)
		return idle_line(hearing->solver, line);
	last = apsp_job_report_line(report, line);
	if (report->changed && watch->progressed)
		watch->progressed(watch->ctx, &report->progress);
	report->changed = false;
	if (report->done && hearing->stays)
		return APSP_CHILD_SAID_DONE;
	return last ? APSP_CHILD_SAID_LAST : APSP_CHILD_SAID_MORE;
}

/* A run without a job ends with `done` or an error, as one with a job. */
static enum apsp_child_said ask_said(struct hearing *hearing, const char *line)
{
	return apsp_job_report_line(hearing->report, line)
		       ? APSP_CHILD_SAID_LAST
		       : APSP_CHILD_SAID_MORE;
}

static enum apsp_child_said device_line(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (apsp_solver_event_parse(line, &kind, &fields) &&
		kind == APSP_SOLVER_EVENT_FOUND &&
		hearing->n_found < hearing->max_found &&
		apsp_device_info_parse(
			fields, &hearing->found[hearing->n_found]))
		hearing->n_found++;
	return ask_said(hearing, line);
}

static enum apsp_child_said rates_line(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	enum apsp_solver_event_kind kind;
	const char *fields;

	if (apsp_solver_event_parse(line, &kind, &fields) &&
		kind == APSP_SOLVER_EVENT_RATES)
		apsp_rates_scan(fields, &hearing->rates, NULL);
	return ask_said(hearing, line);
}

/* True: the child has ended, and *child is NULL; else it stays. */
static bool hear(struct apsp_child_process **child,
	const struct apsp_child_process_ear *ear,
	struct apsp_child_process_end *out)
{
	bool ended = apsp_child_process_listen(*child, ear, out);

	if (ended)
		*child = NULL;
	return ended;
}

/*
 * Start a solver and hear it, until it has ended or stays; *out is NULL where
 * it has ended.
 */
static int solver_run(const struct apsp_solver_process *solver,
	const struct apsp_solver_errand *errand,
	const struct apsp_child_process_ear *ear,
	struct apsp_child_process **out, struct apsp_child_process_end *out_end,
	struct apsp_err *err)
{
	const struct apsp_child_process *resident = solver->resident;
	struct apsp_solver_command command;
	const struct apsp_child_process_config config = {
		.argv = command.argv,
		.env = solver->env,
		.wake_fd = solver->wake_fd,
		.timeout_ms = errand->timeout_ms,
		.linger_ms = LINGER_MS,
		.term_ms = TERM_MS,
		.kill_ms = KILL_MS,
	};
	int r;

	apsp_solver_command_write(
		solver->path, solver->settings, errand, &command);
	r = apsp_child_process_start(&config, resident, out, err);
	if (r == 0)
		hear(out, ear, out_end);
	return r;
}

/* Nobody has an errand; what the resident logs goes to the log. */
static bool nobody_stops(void *ctx)
{
	(void)ctx;
	return false;
}

static void idle_log(void *ctx, const char *line)
{
	enum apsp_log_level level = level_take(&line);

	(void)ctx;
	apsp_log(level, "solver: %s", line);
}

static struct apsp_child_process_ear idle_ear(
	struct apsp_solver_process *solver)
{
	return (struct apsp_child_process_ear){
		solver, nobody_stops, idle_line, idle_log};
}

void apsp_solver_process_retire(struct apsp_solver_process *solver)
{
	const struct apsp_child_process_ear ear = idle_ear(solver);

	apsp_child_process_end(APSP_TAKE(solver->resident), &ear);
	solver->held = (struct apsp_held_memory){0};
}

bool apsp_solver_process_waits(const struct apsp_solver_process *solver)
{
	return solver->resident && solver->device_open;
}

int apsp_solver_process_fd(const struct apsp_solver_process *solver)
{
	return solver->resident ? apsp_child_process_fd(solver->resident) : -1;
}

bool apsp_solver_process_tend(struct apsp_solver_process *solver)
{
	const struct apsp_child_process_ear ear = idle_ear(solver);

	if (!solver->resident ||
		apsp_child_process_tend(solver->resident, &ear))
		return true;
	apsp_solver_process_retire(solver);
	return false;
}

/*
 * Hand the job to the resident. False: there is none that takes it, or it has
 * had enough of them, and it is gone.
 */
static bool resident_take(struct apsp_solver_process *solver,
	const struct apsp_solver_errand *errand)
{
	char line[PIPE_BUF] = "";

	if (apsp_solver_process_tend(solver) && solver->resident &&
		solver->n_jobs < JOBS_MAX &&
		apsp_fields_add(line, sizeof(line) - 1, "room", "%" PRIu64,
			errand->room_bytes) &&
		apsp_fields_add(
			line, sizeof(line) - 1, "dir", "%s", errand->job_dir) &&
		apsp_child_process_tell(solver->resident, strcat(line, "\n")))
		return true;
	apsp_solver_process_retire(solver);
	return false;
}

/*
 * Have a solver compute the job, the resident or a new one. A resident that
 * ends before it has begun does not count: it may have been killed since its
 * last job.
 */
static int job_run(struct apsp_solver_process *solver, struct hearing *hearing,
	const struct apsp_solver_errand *errand,
	struct apsp_child_process_end *out, struct apsp_err *err)
{
	const struct apsp_child_process_ear ear = {
		hearing, hearing_stop, job_line, hearing_log};
	bool taken = resident_take(solver, errand), ended;
	const char *device;
	int r;

	if (taken) {
		hearing->take_ms = TAKE_MS;
		ended = hear(&solver->resident, &ear, out);
		hearing->take_ms = 0;
		taken = !ended || hearing->report->n_events > 0 ||
			hearing->watch->stop(hearing->watch->ctx);
	}
	if (!taken) {
		hearing->heard_ms = 0;
		hearing->silent_s = 0;
		solver->n_jobs = 0;
		solver->held = (struct apsp_held_memory){0};
		solver->device_open = false;
		r = solver_run(
			solver, errand, &ear, &solver->resident, out, err);
		if (r < 0)
			return r;
	}
	solver->n_jobs++;
	device = hearing->report->progress.device;
	if (device[0] && strcmp(device, APSP_SOLVER_EVENT_HOST) != 0)
		solver->device_open = true;
	return 0;
}

int apsp_solver_process_compute(struct apsp_solver_process *solver,
	const char *job_dir, uint64_t room_bytes,
	const struct apsp_solver_process_watch *watch,
	struct apsp_job_report *report)
{
	const struct apsp_solver_errand errand = {.job_dir = job_dir,
		.room_bytes = room_bytes,
		.stays = solver->settings->solver_idle > 0};
	struct hearing hearing = {.watch = watch,
		.solver = solver,
		.report = report,
		.stays = errand.stays,
		.stall_ms = solver->stall_ms};
	struct apsp_err *err = &report->failure.err;
	struct apsp_child_process_end end = {0};
	char how[128];
	int r;

	r = job_run(solver, &hearing, &errand, &end, err);
	if (r < 0)
		return r;
	/* a driver may crash at exit, when the tables are complete */
	if (report->done)
		return 0;
	if (err->code && err->code != APSP_ECANCELLED)
		return err->code;
	if (watch->stop(watch->ctx))
		return apsp_fail(err, APSP_ECANCELLED, "ended on request");
	if (hearing.silent_s > 0)
		return apsp_job_report_stalled(report, hearing.silent_s);
	if (err->code)
		return apsp_job_report_died(
			report, "was stopped by someone else");
	apsp_child_process_end_describe(&end, how, sizeof(how));
	return apsp_job_report_died(report, how);
}

static int devices_check(const struct apsp_solver_process *solver,
	const struct hearing *hearing, struct apsp_err *err)
{
	char there[APSP_MESSAGE_SIZE / 2] = "";
	size_t used = 0;

	for (size_t i = 0; i < hearing->n_found; i++)
		if (hearing->found[i].chosen)
			return (int)hearing->n_found;
	if (hearing->n_found == 0)
		return apsp_fail(
			err, APSP_EDEVICE, "there is no OpenCL device");
	for (size_t i = 0; i < hearing->n_found && used < sizeof(there); i++)
		used += (size_t)snprintf(there + used, sizeof(there) - used,
			"%s'%s'", i > 0 ? ", " : "", hearing->found[i].name);
	return apsp_fail(err, APSP_EDEVICE,
		"no OpenCL device fits '%s'; there is %s",
		solver->settings->device, there);
}

/*
 * A run without a job. APSP_ECANCELLED, APSP_ESTALLED, APSP_EBUSY: the solver
 * could not be started now, APSP_EDEVICE.
 */
static int solver_ask(const struct apsp_solver_process *solver,
	struct hearing *hearing, const struct apsp_solver_errand *errand,
	enum apsp_child_said (*line)(void *ctx, const char *line),
	struct apsp_err *err)
{
	const struct apsp_solver_process_watch *watch = hearing->watch;
	APSP_AUTO(apsp_job_report_done) struct apsp_job_report report;
	const struct apsp_child_process_ear ear = {
		hearing, hearing_stop, line, hearing_log};
	struct apsp_child_process *child = NULL;
	struct apsp_child_process_end end = {0};
	enum apsp_code code = APSP_EDEVICE;
	char how[128];
	int r;

	apsp_job_report_init(&report);
	hearing->report = &report;
	/* no line of such a run says that the solver stays */
	r = solver_run(solver, errand, &ear, &child, &end, &report.failure.err);
	hearing->report = NULL;
	/* a driver may crash or hang at exit, when all is told */
	if (report.done)
		return 0;
	if (watch->stop(watch->ctx))
		return apsp_fail(err, APSP_ECANCELLED, "ended on request");
	/* a solver that is ended calls itself cancelled */
	if (r == 0 && (end.timed_out || report.failure.err.code == 0)) {
		apsp_child_process_end_describe(&end, how, sizeof(how));
		apsp_job_report_died(&report, how);
	}
	/* one that cannot be killed holds the device still */
	if (end.timed_out && !end.lost)
		code = APSP_ESTALLED;
	else if (r == APSP_EBUSY)
		code = APSP_EBUSY;
	return apsp_fail(err, code, "%s", report.failure.err.message);
}

int apsp_solver_process_devices(const struct apsp_solver_process *solver,
	const struct apsp_solver_process_watch *watch,
	struct apsp_device_info *out, size_t max, struct apsp_err *err)
{
	static const struct apsp_solver_errand errand = {
		.option = "--devices", .timeout_ms = DEVICES_MS};
	struct hearing hearing = {
		.watch = watch,
		.found = out,
		.max_found = max,
	};
	int r = solver_ask(solver, &hearing, &errand, device_line, err);

	return r < 0 ? r : devices_check(solver, &hearing, err);
}

int apsp_solver_process_calibrate(const struct apsp_solver_process *solver,
	const struct apsp_solver_process_watch *watch, struct apsp_rates *out,
	struct apsp_err *err)
{
	static const struct apsp_solver_errand errand = {
		.option = "--calibrate", .timeout_ms = CALIBRATE_MS};
	struct hearing hearing = {.watch = watch};
	int r = solver_ask(solver, &hearing, &errand, rates_line, err);

	if (r < 0)
		return r;
	if (!hearing.rates.measured)
		return apsp_fail(err, APSP_EDEVICE, "the solver told no rates");
	*out = hearing.rates;
	return 0;
}
