/*
 * The worker thread decides when to run a job, list the devices, or measure a
 * device; see worker.h.
 */
#include "compute/worker/worker.h"

#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "compute/worker/job_dir.h"
#include "compute/worker/job_try.h"
#include "compute/worker/known_devices.h"
#include "compute/worker/solver_process.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/pulse.h"
#include "daemon/base/stop.h"

enum {
	PROBE_AGAIN_MS = 30000,
	/* duration of the first wait if there are no free descriptors or
	   processes */
	BUSY_AGAIN_MS = 1000,
	/* duration of the longest wait if descriptors or processes are lacking;
	   each wait takes twice the time of the wait before it */
	BUSY_MOST_MS = 64000,
	/* time from a failed claim of a job to the next claim */
	CLAIM_AGAIN_MS = 5000,
	/* time without a job before the first measurement */
	CALIBRATE_AFTER_MS = 3000,
	CALIBRATE_LATEST_MS = 3600000,
	/* About how many seconds a measurement takes on an idle machine, with
	   the compilation of kernels. With PoCL 3.1 on two cores, it took 26 s
	   of processor time. */
	CALIBRATE_S = 25,
	/* a solver is ended if it prints no event for this time, unless it has
	   announced a longer time */
	STALL_MS = 60000,
};

struct apsp_worker {
	struct apsp_solver_process solver;
	struct apsp_worker_ops ops;
	pthread_t thread;
	struct apsp_pulse pulse;
	/* protects `devices`, which only the worker's thread changes */
	pthread_mutex_t devices_mutex;
	struct apsp_known_devices devices;
	struct apsp_stop stop; /* stop token of the worker's thread */
	/* stop token of a measurement; a wake stops the measurement with
	   APSP_STOP_YIELD, because there may be a job to run */
	struct apsp_stop measure;
	struct apsp_job_try try;
	/* Only the worker's thread uses calibrated, calibrate_after_ms and
	   busy_ms. */
	bool calibrated; /* true: the device has been measured, or cannot be
			    measured */
	/* time without a job before the next measurement */
	int calibrate_after_ms;
	/* duration of the next wait if there are no free descriptors or
	   processes */
	int busy_ms;
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

/* List the devices. Jobs are tried even if the devices cannot be listed. */
static void probe(struct apsp_worker *worker, const struct apsp_stop *stop)
{
	struct apsp_device_info devices[APSP_DEVICES_KNOWN_MAX];
	struct apsp_err err = {0};
	int n;

	n = apsp_solver_process_devices(
		&worker->solver, stop, devices, APSP_DEVICES_KNOWN_MAX, &err);
	if (n == APSP_ECANCELLED)
		return;
	if (n < 0)
		apsp_log(APSP_LOG_WARNING, "no device can be used: %s",
			err.message);
	devices_log(devices, n);
	pthread_mutex_lock(&worker->devices_mutex);
	worker->devices.n = n < 0 ? 0 : (size_t)n;
	memcpy(worker->devices.list, devices,
		worker->devices.n * sizeof(*devices));
	worker->devices.err = err;
	pthread_mutex_unlock(&worker->devices_mutex);
}

/* Double the wait before the next measurement. So measurements become rare if
   jobs or other programs often stop them: each stopped measurement loses its
   unfinished step and the time for opening the device. */
static void calibration_put_off(
	struct apsp_worker *worker, const struct apsp_err *why)
{
	int after_ms = 2 * worker->calibrate_after_ms;

	if (after_ms > CALIBRATE_LATEST_MS)
		after_ms = CALIBRATE_LATEST_MS;
	worker->calibrate_after_ms = after_ms;
	if (apsp_stop_reason(&worker->stop))
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

static void calibrate(struct apsp_worker *worker)
{
	double start_s = apsp_clock_s();
	struct apsp_rates rates;
	struct apsp_err err;
	int r;

	if (apsp_stop_reason(&worker->measure))
		return;
	apsp_log(APSP_LOG_INFO,
		"measuring the device unless that was done before; this takes "
		"about %d s if nothing else runs; requests have precedence, "
		"and a job stops the measurement",
		CALIBRATE_S);
	r = apsp_solver_process_calibrate(
		&worker->solver, &worker->measure, &rates, &err);
	if (r == APSP_ECANCELLED || r == APSP_ESTALLED || r == APSP_EBUSY) {
		calibration_put_off(worker, &err);
		return;
	}
	worker->calibrated = true;
	if (r < 0) {
		apsp_log(APSP_LOG_WARNING,
			"the device's rates were not measured, so the defaults "
			"of its kind are used: %s",
			err.message);
		return;
	}
	apsp_log(APSP_LOG_INFO, "device measured seconds=%.1f",
		apsp_clock_s() - start_s);
	pthread_mutex_lock(&worker->devices_mutex);
	worker->devices.rates = rates;
	/* forget the corrections, because they come from jobs that were planned
	   with other rates */
	worker->devices.pace = (struct apsp_job_pace){.n = 0};
	pthread_mutex_unlock(&worker->devices_mutex);
}

/* For later estimates, store whether a solver waits with the device open, and
   the memory that this solver holds. */
static void solver_look(struct apsp_worker *worker)
{
	const struct apsp_solver_process *solver = &worker->solver;

	pthread_mutex_lock(&worker->devices_mutex);
	worker->devices.solver_waits = solver->resident && solver->device_open;
	worker->devices.held = solver->held;
	pthread_mutex_unlock(&worker->devices_mutex);
}

/* Run the claimed job. False: the job was put back because there are no free
   descriptors or processes at present. */
static bool job_run(struct apsp_worker *worker)
{
	struct apsp_job_try *try = &worker->try;
	bool ended;

	if (worker->devices.err.code < 0) {
		probe(worker, &try->stop);
		apsp_job_stages_end(&try->job.stages, APSP_STAGE_OPEN);
	}
	ended = apsp_job_try_run(try);
	pthread_mutex_lock(&worker->devices_mutex);
	if (try->learnt.n_told == 1)
		apsp_job_pace_add(&worker->devices.pace, &try->learnt);
	if (try->report.group.processes > 0)
		worker->devices.group = try->report.group;
	pthread_mutex_unlock(&worker->devices_mutex);
	solver_look(worker);
	return ended;
}

/* Sleep until something is written to wake_fd (a wake), but at most timeout_ms
   (-1: without limit). True: there was a wake, or there may have been one. */
static bool sleep_until_woken(struct apsp_worker *worker, int timeout_ms)
{
	struct apsp_solver_process *solver = &worker->solver;
	eventfd_t count;
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
			return eventfd_read(solver->wake_fd, &count) == 0;
		if (fds[1].revents) {
			there = apsp_solver_process_read(solver);
			solver_look(worker);
			if (!there)
				return true; /* true, because
						apsp_solver_process_read() may
						have consumed a wake */
		}
		if (n != 0)
			continue;
		if (nap_ms == timeout_ms)
			return false;
		if (timeout_ms > 0)
			timeout_ms -= nap_ms;
	}
}

/* A job could not run, because descriptors or processes were lacking. Wait
   before the next try, because each try writes the graph file. A wake does not
   end the wait: putting the job back in the queue wakes the thread, and would
   end the wait at once. */
static void busy_wait(struct apsp_worker *worker)
{
	double until_s = apsp_clock_s() + worker->busy_ms / 1e3, left_s;

	if (worker->busy_ms < BUSY_MOST_MS)
		worker->busy_ms *= 2;
	while (!apsp_stop_reason(&worker->stop) &&
		(left_s = until_s - apsp_clock_s()) > 0)
		sleep_until_woken(worker, (int)(left_s * 1e3) + 1);
}

static void *worker_main(void *arg)
{
	struct apsp_worker *worker = arg;
	struct apsp_err err;

	probe(worker, &worker->stop);
	while (!apsp_stop_reason(&worker->stop)) {
		int r;

		/* Reset the token before the claim. If a job arrives during the
		   claim or later, its wake stops the measurement that may
		   follow. */
		apsp_stop_reset(&worker->measure);
		r = apsp_job_try_claim(&worker->try, &err);
		if (r > 0) {
			if (job_run(worker))
				worker->busy_ms = BUSY_AGAIN_MS;
			else
				busy_wait(worker);
		} else if (r < 0) {
			apsp_log(APSP_LOG_ERROR, "no job can be claimed: %s",
				err.message);
			sleep_until_woken(worker, CLAIM_AGAIN_MS);
		} else if (worker->devices.err.code < 0) {
			if (!sleep_until_woken(worker, PROBE_AGAIN_MS))
				probe(worker, &worker->stop);
		} else if (worker->calibrated) {
			sleep_until_woken(worker, -1);
		} else if (!sleep_until_woken(
				   worker, worker->calibrate_after_ms)) {
			calibrate(worker);
		}
	}
	/* ask the resident solver to end; otherwise Linux would kill it when
	   this thread ends (PR_SET_PDEATHSIG) */
	apsp_solver_process_retire(&worker->solver);
	return NULL;
}

static void worker_free(struct apsp_worker *worker)
{
	if (!worker)
		return;
	apsp_solver_process_done(&worker->solver);
	pthread_mutex_destroy(&worker->try.mutex);
	pthread_mutex_destroy(&worker->devices_mutex);
	free(worker);
}

APSP_AUTO_DEFINE(worker_end, struct apsp_worker, worker_free);

int apsp_worker_start(const struct apsp_worker_config *config,
	struct apsp_worker **out, struct apsp_err *err)
{
	APSP_AUTO(worker_end) struct apsp_worker *worker = NULL;
	int r;

	worker = calloc(1, sizeof(*worker));
	if (!worker)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the worker");
	worker->measure.parent = &worker->stop;
	worker->try.ops = &worker->ops;
	worker->try.solver = &worker->solver;
	worker->try.pulse = &worker->pulse;
	worker->try.stop.parent = &worker->stop;
	pthread_mutex_init(&worker->try.mutex, NULL);
	worker->busy_ms = BUSY_AGAIN_MS;
	worker->calibrate_after_ms = CALIBRATE_AFTER_MS;
	worker->ops = config->ops;
	apsp_pulse_init(&worker->pulse, "worker", config->beat_ms);
	pthread_mutex_init(&worker->devices_mutex, NULL);
	apsp_fail(&worker->devices.err, APSP_ENOTREADY,
		"the devices are being looked for");
	r = apsp_solver_process_init(config->solver, config->settings,
		config->stall_ms > 0 ? config->stall_ms : STALL_MS,
		&worker->pulse, &worker->solver, err);
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
	apsp_stop_ask(&worker->measure, APSP_STOP_YIELD);
	/* this fails if the eventfd is full; then an earlier write wakes the
	   thread */
	(void)eventfd_write(worker->solver.wake_fd, 1);
}

void apsp_worker_ask_stop(struct apsp_worker *worker)
{
	apsp_stop_ask(&worker->stop, APSP_STOP_END);
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
	apsp_job_try_cancel(&worker->try, id);
	apsp_worker_wake(worker);
}

void apsp_worker_present(
	struct apsp_worker *worker, struct apsp_job_present *out)
{
	apsp_job_try_present(&worker->try, out);
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
	const struct apsp_known_devices *devices = &worker->devices;
	int r;

	pthread_mutex_lock(&worker->devices_mutex);
	r = devices->err.code < 0 ? devices->err.code : (int)devices->n;
	if (r < 0 && err)
		*err = devices->err;
	for (size_t i = 0; i < devices->n && i < n; i++)
		out[i] = devices->list[i];
	pthread_mutex_unlock(&worker->devices_mutex);
	return r;
}

bool apsp_worker_rates(struct apsp_worker *worker, struct apsp_rates *out)
{
	pthread_mutex_lock(&worker->devices_mutex);
	*out = worker->devices.rates;
	pthread_mutex_unlock(&worker->devices_mutex);
	return out->measured;
}

int apsp_worker_estimate(struct apsp_worker *worker,
	const struct apsp_workload *work, uint64_t disk_bytes,
	const char *algorithm, struct apsp_worker_estimate *out,
	struct apsp_err *err)
{
	const struct apsp_settings *settings = worker->solver.settings;
	struct apsp_known_devices devices;

	pthread_mutex_lock(&worker->devices_mutex);
	devices = worker->devices;
	pthread_mutex_unlock(&worker->devices_mutex);
	out->group_unknown =
		settings->solver_command && devices.group.processes == 0;
	return apsp_known_devices_plan(&devices, settings->device_memory, work,
		disk_bytes, algorithm, out, err);
}
