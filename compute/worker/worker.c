/*
 * The worker thread; see worker.h. What other threads see of the job that it
 * runs is in running_job.h.
 */
#include "compute/worker/worker.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "compute/worker/known_devices.h"
#include "compute/worker/job_attempt.h"
#include "compute/worker/job_dir.h"
#include "compute/worker/running_job.h"
#include "compute/worker/solver_process.h"
#include "daemon/base/auto.h"
#include "daemon/base/log.h"
#include "daemon/base/pulse.h"

enum {
	PROBE_AGAIN_MS = 30000,
	BUSY_AGAIN_MS = 1000,	   /* after a job met a limit that passes, */
	BUSY_MOST_MS = 64000,	   /* twice as long after each until so long */
	CLAIM_AGAIN_MS = 5000,	   /* after the queue failed */
	CALIBRATE_AFTER_MS = 3000, /* without a job */
	CALIBRATE_LATEST_MS = 3600000,
	/* On an idle machine, kernels that are compiled for it included: 26 s
	   of processor time with PoCL 3.1 on two cores. */
	CALIBRATE_S = 25,
	STALL_MS = 60000, /* at least, and what the solver announces */
};

struct apsp_worker {
	struct apsp_solver_process solver;
	struct apsp_worker_ops ops;
	pthread_t thread;
	struct apsp_pulse pulse;
	struct apsp_known_devices devices;
	atomic_bool stop;
	atomic_uint n_wakes; /* calls of apsp_worker_wake() */
	/* The next four are the thread's own. */
	bool calibrated;	/* or failed for good */
	int calibrate_after_ms; /* without a job */
	bool busy;		/* the last job met a limit that passes */
	int busy_ms;		/* to wait after the next such job */
	struct apsp_running_job running;
};

static void devices_log(const struct apsp_device_info *devices, int n)
{
	for (int i = 0; i < n; i++)
		apsp_log(APSP_LOG_INFO,
			"device %s name=\"%s\" type=%s platform=\"%s\" "
			"version=\"%s\" memory=%" PRIu64,
			devices[i].chosen ? "chosen" : "found", devices[i].name,
			devices[i].type, devices[i].platform,
			devices[i].version, devices[i].memory_bytes);
}

/* A look for devices. */
struct look {
	struct apsp_worker *worker;
	const struct apsp_job_spec *job; /* NULL: none is claimed */
};

static bool look_stop(void *ctx)
{
	const struct look *look = ctx;
	struct apsp_worker *worker = look->worker;

	apsp_pulse_beat(&worker->pulse);
	return atomic_load(&worker->stop) ||
	       (look->job && apsp_running_job_is_cancelled(
				     &worker->running, look->job->id));
}

/* List the devices. Whatever comes of it, jobs are tried. */
static void probe(struct apsp_worker *worker, const struct apsp_job_spec *job)
{
	struct look look = {worker, job};
	const struct apsp_solver_process_watch watch = {&look, look_stop, NULL};
	struct apsp_device_info devices[APSP_DEVICES_KNOWN_MAX];
	struct apsp_err err = {0};
	int n;

	n = apsp_solver_process_devices(
		&worker->solver, &watch, devices, APSP_DEVICES_KNOWN_MAX, &err);
	if (n == APSP_ECANCELLED)
		return;
	if (n < 0)
		apsp_log(APSP_LOG_WARNING, "no device can be used: %s",
			err.message);
	devices_log(devices, n);
	apsp_known_devices_set(
		&worker->devices, devices, n < 0 ? 0 : (size_t)n, &err);
}

/* A measurement, which the next job stops. */
struct calibration {
	struct apsp_worker *worker;
	unsigned int n_wakes; /* when the queue was last seen empty */
};

static bool calibration_stop(void *ctx)
{
	const struct calibration *calibration = ctx;
	struct apsp_worker *worker = calibration->worker;

	apsp_pulse_beat(&worker->pulse);
	return atomic_load(&worker->stop) ||
	       atomic_load(&worker->n_wakes) != calibration->n_wakes;
}

/* Whether a measurement that ended so may go on later. */
static bool calibration_passes(int code)
{
	return code == APSP_ECANCELLED || code == APSP_ESTALLED ||
	       code == APSP_EBUSY;
}

/*
 * A stopped measurement loses the step under way, and the time in which the
 * device was opened: where jobs or other programs are frequent, try less often.
 */
static void calibration_put_off(
	struct apsp_worker *worker, const struct apsp_err *why)
{
	int after_ms = 2 * worker->calibrate_after_ms;

	if (after_ms > CALIBRATE_LATEST_MS)
		after_ms = CALIBRATE_LATEST_MS;
	worker->calibrate_after_ms = after_ms;
	if (atomic_load(&worker->stop))
		return;
	if (why->code == APSP_ECANCELLED)
		apsp_log(APSP_LOG_INFO,
			"a job puts off measuring the device, until there has "
			"been none for %d s",
			after_ms / 1000);
	else
		apsp_log(APSP_LOG_INFO,
			"measuring the device goes on once there has been no "
			"job for %d s: %s",
			after_ms / 1000, why->message);
}

static void calibrate(struct apsp_worker *worker, unsigned int n_wakes)
{
	struct calibration calibration = {worker, n_wakes};
	const struct apsp_solver_process_watch watch = {
		&calibration, calibration_stop, NULL};
	double start_s = apsp_clock_s();
	struct apsp_rates rates;
	struct apsp_err err;
	int r;

	if (calibration_stop(&calibration))
		return;
	apsp_log(APSP_LOG_INFO,
		"measuring the device unless that was done before, which "
		"takes some %d s where nothing else runs; requests go before "
		"it, and a job ends it",
		CALIBRATE_S);
	r = apsp_solver_process_calibrate(
		&worker->solver, &watch, &rates, &err);
	if (calibration_passes(r)) {
		calibration_put_off(worker, &err);
		return;
	}
	worker->calibrated = true;
	if (r < 0) {
		apsp_log(APSP_LOG_WARNING,
			"the device's rates were not measured, those of its "
			"kind are used: %s",
			err.message);
		return;
	}
	apsp_log(APSP_LOG_INFO, "device measured seconds=%.1f",
		apsp_clock_s() - start_s);
	apsp_known_devices_set_rates(&worker->devices, &rates);
}

/* What estimates need to know of the solver that waits, if there is one. */
static void solver_look(struct apsp_worker *worker)
{
	apsp_known_devices_set_waiting(&worker->devices,
		apsp_solver_process_waits(&worker->solver),
		&worker->solver.held);
}

static bool probe_failed(struct apsp_worker *worker)
{
	return apsp_known_devices_copy(&worker->devices, NULL, 0, NULL) < 0;
}

static void job_run(struct apsp_worker *worker, struct apsp_job_spec *job)
{
	struct apsp_job_attempt attempt = {
		.job = job,
		.ops = &worker->ops,
		.solver = &worker->solver,
		.pulse = &worker->pulse,
		.running = &worker->running,
		.stop = &worker->stop,
	};

	if (probe_failed(worker)) {
		probe(worker, job);
		apsp_job_stages_end(&job->stages, APSP_STAGE_OPEN);
	}
	worker->busy = !apsp_job_attempt_run(&attempt);
	if (attempt.learnt.n_told == 1)
		apsp_known_devices_learn(&worker->devices, &attempt.learnt);
	solver_look(worker);
	apsp_running_job_end(&worker->running);
}

/* As ops.claim(); from here on the job is the running one. */
static int job_claim(struct apsp_worker *worker, struct apsp_job_spec *out)
{
	struct apsp_err err = {0};
	int r;

	apsp_pulse_allow(&worker->pulse, APSP_WORKER_STEP_MS);
	apsp_running_job_claim(&worker->running);
	r = worker->ops.claim(worker->ops.ctx, out, &err);
	apsp_running_job_begin(&worker->running, r > 0 ? out : NULL);
	if (r < 0)
		apsp_log(
			APSP_LOG_ERROR, "no job can be taken: %s", err.message);
	return r;
}

/* False: the time is over and nobody has woken us. */
static bool sleep_until_woken(struct apsp_worker *worker, int timeout_ms)
{
	struct apsp_solver_process *solver = &worker->solver;
	uint64_t count;
	bool there;
	int n;

	for (;;) {
		struct pollfd fds[] = {
			{.fd = solver->wake_fd, .events = POLLIN},
			{.fd = apsp_solver_process_fd(solver),
				.events = POLLIN}};
		int nap_ms = apsp_pulse_nap_ms(&worker->pulse, timeout_ms);

		apsp_pulse_beat(&worker->pulse);
		n = poll(fds, 2, nap_ms);
		if (fds[0].revents)
			return read(solver->wake_fd, &count, sizeof(count)) > 0;
		if (fds[1].revents) {
			there = apsp_solver_process_tend(solver);
			solver_look(worker);
			if (!there)
				return true; /* a wake may be lost */
		}
		if (n != 0)
			continue;
		if (nap_ms == timeout_ms)
			return false;
		if (timeout_ms > 0)
			timeout_ms -= nap_ms;
	}
}

/* Let a limit pass, which may take long: each try writes the graph file. The
   job that was put back has woken us already. */
static void busy_wait(struct apsp_worker *worker)
{
	double until_s = apsp_clock_s() + worker->busy_ms / 1e3, left_s;

	worker->busy = false;
	if (worker->busy_ms < BUSY_MOST_MS)
		worker->busy_ms *= 2;
	while (!atomic_load(&worker->stop) &&
		(left_s = until_s - apsp_clock_s()) > 0)
		sleep_until_woken(worker, (int)(left_s * 1e3) + 1);
}

static void *worker_main(void *arg)
{
	struct apsp_worker *worker = arg;
	struct apsp_job_spec job;

	probe(worker, NULL);
	while (!atomic_load(&worker->stop)) {
		/* read before the claim, so that a later wake is seen */
		unsigned int n_wakes = atomic_load(&worker->n_wakes);
		int r = job_claim(worker, &job);

		if (r > 0)
			job_run(worker, &job);
		if (worker->busy)
			busy_wait(worker);
		else if (r > 0)
			worker->busy_ms = BUSY_AGAIN_MS;
		else if (r < 0)
			sleep_until_woken(worker, CLAIM_AGAIN_MS);
		else if (probe_failed(worker)) {
			if (!sleep_until_woken(worker, PROBE_AGAIN_MS))
				probe(worker, NULL);
		} else if (worker->calibrated) {
			sleep_until_woken(worker, -1);
		} else if (!sleep_until_woken(
				   worker, worker->calibrate_after_ms)) {
			calibrate(worker, n_wakes);
		}
	}
	/* the kernel kills it with this thread anyway (PR_SET_PDEATHSIG) */
	apsp_solver_process_retire(&worker->solver);
	return NULL;
}

static void worker_free(struct apsp_worker *worker)
{
	if (!worker)
		return;
	apsp_solver_process_done(&worker->solver);
	apsp_running_job_done(&worker->running);
	apsp_known_devices_done(&worker->devices);
	free(worker);
}

APSP_AUTO_DEFINE(worker_end, struct apsp_worker, worker_free);

int apsp_worker_start(const struct apsp_worker_config *config,
	struct apsp_worker **out, struct apsp_err *err)
{
	APSP_AUTO(worker_end) struct apsp_worker *worker = NULL;
	const struct apsp_solver_process_config solver = {config->solver,
		config->settings,
		config->stall_ms > 0 ? config->stall_ms : STALL_MS};
	int r;

	worker = calloc(1, sizeof(*worker));
	if (!worker)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the worker");
	worker->solver.wake_fd = -1;
	apsp_running_job_init(&worker->running);
	atomic_init(&worker->stop, false);
	atomic_init(&worker->n_wakes, 0);
	worker->busy_ms = BUSY_AGAIN_MS;
	worker->calibrate_after_ms = CALIBRATE_AFTER_MS;
	worker->ops = config->ops;
	apsp_pulse_init(&worker->pulse, "worker", config->beat_ms);
	apsp_known_devices_init(&worker->devices);
	r = apsp_solver_process_init(&solver, &worker->solver, err);
	if (r < 0)
		return r;
	r = apsp_job_dir_prepare(config->settings->cache_dir, err);
	if (r < 0)
		return r;
	r = pthread_create(&worker->thread, NULL, worker_main, worker);
	if (r != 0)
		return apsp_fail_errno(err, r, "start the worker's thread");
	pthread_setname_np(worker->thread, "worker");
	*out = APSP_TAKE(worker);
	return 0;
}

int apsp_worker_alive(const struct apsp_worker *worker, int64_t limit_ms,
	struct apsp_err *err)
{
	return apsp_pulse_check(&worker->pulse, limit_ms, err);
}

void apsp_worker_wake(struct apsp_worker *worker)
{
	const uint64_t one = 1;

	atomic_fetch_add(&worker->n_wakes, 1);
	if (write(worker->solver.wake_fd, &one, sizeof(one)) < 0)
		return; /* full: it is awake already */
}

void apsp_worker_ask_stop(struct apsp_worker *worker)
{
	atomic_store(&worker->stop, true);
	apsp_worker_wake(worker);
}

void apsp_worker_stop(struct apsp_worker *worker)
{
	apsp_worker_ask_stop(worker);
	pthread_join(worker->thread, NULL);
	worker_free(worker);
}

void apsp_worker_cancel(struct apsp_worker *worker, uint64_t id)
{
	if (apsp_running_job_cancel(&worker->running, id))
		apsp_worker_wake(worker);
}

void apsp_worker_present(
	struct apsp_worker *worker, struct apsp_job_present *out)
{
	apsp_running_job_present(&worker->running, out);
}

uint64_t apsp_worker_disk(struct apsp_worker *worker, uint64_t id)
{
	struct apsp_job_present present;

	apsp_worker_present(worker, &present);
	if (id == 0 || present.id != id)
		return 0;
	return apsp_job_dir_bytes(worker->solver.settings->cache_dir, id);
}

int apsp_worker_devices(struct apsp_worker *worker,
	struct apsp_device_info *out, size_t n, struct apsp_err *err)
{
	return apsp_known_devices_copy(&worker->devices, out, n, err);
}

bool apsp_worker_rates(struct apsp_worker *worker, struct apsp_rates *out)
{
	return apsp_known_devices_copy_rates(&worker->devices, out);
}

int apsp_worker_estimate(struct apsp_worker *worker,
	const struct apsp_workload *work, uint64_t disk_bytes,
	const char *algorithm, struct apsp_worker_estimate *out,
	struct apsp_err *err)
{
	return apsp_known_devices_plan(&worker->devices,
		worker->solver.settings->device_memory, work, disk_bytes,
		algorithm, &out->device, &out->measured, &out->plan, err);
}
