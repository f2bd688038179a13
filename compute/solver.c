/*
 * apsp-solve as its callers see it; see solver.h. Its stderr goes to the log.
 */
#include "compute/solver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "compute/child.h"
#include "compute/event.h"
#include "compute/solver_env.h"
#include "daemon/base/auto.h"
#include "daemon/base/log.h"

enum {
	ARGS_MAX = 10,
	LOG_LINES_MAX = 200, /* of one run's stderr */
	DEVICES_MS = 60000,
	CALIBRATE_MS = 300000, /* all kernels are compiled, too */
};

/* One run being listened to. */
struct hearing {
	const struct apsp_solver_watch *watch;
	struct apsp_report *report;
	size_t n_log_lines;
	struct apsp_device_info *found;
	size_t n_found;
	size_t max_found;
	struct apsp_rates rates; /* measured is set: they were told */
};

int apsp_solver_init(const struct apsp_worker_config *config,
	struct apsp_solver *out, struct apsp_err *err)
{
	APSP_AUTO(apsp_solver_done) struct apsp_solver solver = {.wake_fd = -1};
	int r;

	solver.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (solver.wake_fd < 0)
		return apsp_fail_errno(err, errno, "eventfd");
	solver.path = strdup(config->solver);
	solver.cache_dir = strdup(config->cache_dir);
	solver.device = strdup(config->device);
	solver.device_memory = config->device_memory;
	if (!solver.path || !solver.cache_dir || !solver.device)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the solver");
	r = apsp_solver_env_new(config->cache_dir, &solver.env, err);
	if (r < 0)
		return r;
	*out = solver;
	solver = (struct apsp_solver){.wake_fd = -1};
	return 0;
}

void apsp_solver_done(struct apsp_solver *solver)
{
	apsp_close(&solver->wake_fd);
	apsp_solver_env_free(solver->env);
	free(solver->path);
	free(solver->cache_dir);
	free(solver->device);
}

static bool hearing_stop(void *ctx)
{
	const struct hearing *hearing = ctx;

	return hearing->watch->stop(hearing->watch->ctx);
}

static void hearing_log(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;

	apsp_report_quote(hearing->report, line);
	hearing->n_log_lines++;
	if (hearing->n_log_lines < LOG_LINES_MAX)
		apsp_log(APSP_LOG_INFO, "solver: %s", line);
	else if (hearing->n_log_lines == LOG_LINES_MAX)
		apsp_log(APSP_LOG_INFO, "solver: more lines are not shown");
}

static bool job_line(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	const struct apsp_solver_watch *watch = hearing->watch;
	struct apsp_report *report = hearing->report;
	bool last = apsp_report_line(report, line);

	if (report->changed && watch->progressed)
		watch->progressed(watch->ctx, &report->progress);
	report->changed = false;
	return last;
}

static bool device_line(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	struct apsp_event event;

	if (apsp_event_parse(line, &event, NULL) < 0)
		return false;
	if (event.kind == APSP_EVENT_FOUND &&
		hearing->n_found < hearing->max_found)
		hearing->found[hearing->n_found++] = event.found;
	if (event.kind == APSP_EVENT_ERROR)
		return apsp_report_line(hearing->report, line);
	return false;
}

static bool rates_line(void *ctx, const char *line)
{
	struct hearing *hearing = ctx;
	struct apsp_event event;

	if (apsp_event_parse(line, &event, NULL) < 0)
		return false;
	if (event.kind == APSP_EVENT_RATES)
		apsp_rates_scan(event.text, &hearing->rates, NULL);
	if (event.kind == APSP_EVENT_ERROR)
		return apsp_report_line(hearing->report, line);
	return false;
}

/* What apsp-solve is run for. */
struct errand {
	const char *option; /* NULL: the job in job_dir */
	const char *job_dir;
	int timeout_ms; /* 0: none */
	bool (*line)(void *ctx, const char *line);
};

/* apsp-solve [OPTION] --device D --cache-dir C [--device-memory N] [DIR] */
static int solver_run(const struct apsp_solver *solver, struct hearing *hearing,
	const struct errand *errand, struct apsp_child_end *out,
	struct apsp_err *err)
{
	const char *argv[ARGS_MAX] = {solver->path};
	struct apsp_child_config config = {
		.argv = argv,
		.env = solver->env,
		.wake_fd = solver->wake_fd,
		.timeout_ms = errand->timeout_ms,
		.ctx = hearing,
		.stop = hearing_stop,
		.line = errand->line,
		.log = hearing_log,
	};
	char memory[32];
	size_t n = 1;

	if (errand->option)
		argv[n++] = errand->option;
	argv[n++] = "--device";
	argv[n++] = solver->device;
	argv[n++] = "--cache-dir";
	argv[n++] = solver->cache_dir;
	if (solver->device_memory > 0) {
		snprintf(memory, sizeof(memory), "%" PRIu64,
			solver->device_memory);
		argv[n++] = "--device-memory";
		argv[n++] = memory;
	}
	if (errand->job_dir)
		argv[n++] = errand->job_dir;
	return apsp_child_run(&config, out, err);
}

int apsp_solver_compute(const struct apsp_solver *solver, const char *job_dir,
	const struct apsp_solver_watch *watch, struct apsp_report *report)
{
	const struct errand errand = {.job_dir = job_dir, .line = job_line};
	struct hearing hearing = {.watch = watch, .report = report};
	struct apsp_err *err = &report->failure.err;
	struct apsp_child_end end;
	char how[128];
	int r;

	r = solver_run(solver, &hearing, &errand, &end, err);
	if (r < 0)
		return r;
	/* drivers crash on their way out too: the tables are complete by then
	 */
	if (report->done)
		return 0;
	if (err->code && err->code != APSP_ECANCELLED)
		return err->code;
	if (watch->stop(watch->ctx))
		return apsp_fail(err, APSP_ECANCELLED, "ended on request");
	if (err->code)
		return apsp_report_died(report, "was stopped by someone else");
	apsp_child_end_describe(&end, how, sizeof(how));
	return apsp_report_died(report, how);
}

static int devices_check(const struct apsp_solver *solver,
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
		"no OpenCL device fits '%s'; there is %s", solver->device,
		there);
}

/* Run a question to its good end, or APSP_ECANCELLED, APSP_EDEVICE. */
static int solver_ask(const struct apsp_solver *solver, struct hearing *hearing,
	const struct errand *errand, struct apsp_err *err)
{
	const struct apsp_solver_watch *watch = hearing->watch;
	APSP_AUTO(apsp_report_done) struct apsp_report report;
	struct apsp_child_end end;
	char how[128];
	int r;

	apsp_report_init(&report);
	hearing->report = &report;
	r = solver_run(solver, hearing, errand, &end, &report.failure.err);
	hearing->report = NULL;
	if (watch->stop(watch->ctx))
		return apsp_fail(err, APSP_ECANCELLED, "ended on request");
	if (r == 0 && report.failure.err.code == 0) {
		if (end.status == 0 && !end.timed_out && !end.lost)
			return 0;
		apsp_child_end_describe(&end, how, sizeof(how));
		apsp_report_died(&report, how);
	}
	return apsp_fail(err, APSP_EDEVICE, "%s", report.failure.err.message);
}

int apsp_solver_devices(const struct apsp_solver *solver,
	const struct apsp_solver_watch *watch, struct apsp_device_info *out,
	size_t max, struct apsp_err *err)
{
	static const struct errand errand = {.option = "--devices",
		.timeout_ms = DEVICES_MS,
		.line = device_line};
	struct hearing hearing = {
		.watch = watch,
		.found = out,
		.max_found = max,
	};
	int r = solver_ask(solver, &hearing, &errand, err);

	return r < 0 ? r : devices_check(solver, &hearing, err);
}

int apsp_solver_calibrate(const struct apsp_solver *solver,
	const struct apsp_solver_watch *watch, struct apsp_rates *out,
	struct apsp_err *err)
{
	static const struct errand errand = {.option = "--calibrate",
		.timeout_ms = CALIBRATE_MS,
		.line = rates_line};
	struct hearing hearing = {.watch = watch};
	int r = solver_ask(solver, &hearing, &errand, err);

	if (r < 0)
		return r;
	if (!hearing.rates.measured)
		return apsp_fail(err, APSP_EDEVICE, "the solver told no rates");
	*out = hearing.rates;
	return 0;
}
