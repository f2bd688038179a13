/*
 * apsp-solve as the worker uses it: compute a job, list the devices, measure
 * one. child_process.h runs the process, job_report.h keeps what a job's run
 * told.
 */
#ifndef APSP_COMPUTE_WORKER_SOLVER_PROCESS_H
#define APSP_COMPUTE_WORKER_SOLVER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/plan/device_info.h"
#include "compute/plan/held_memory.h"
#include "compute/plan/rates.h"
#include "compute/worker/job_report.h"
#include "daemon/base/err.h"

struct apsp_child_process;

struct apsp_solver_process_config {
	const char *path; /* of apsp-solve */
	const struct apsp_settings *settings;
	int stall_ms; /* see struct apsp_solver_process */
};

/* What all runs have in common. All but the settings is owned. */
struct apsp_solver_process {
	char *path;
	const struct apsp_settings *settings;
	char **env;
	int wake_fd;  /* eventfd: a write makes a run ask `stop` again */
	int stall_ms; /* a job's solver may always be silent for so long */
	/* the solver of the last job, which stays for the next; NULL: none */
	struct apsp_child_process *resident;
	unsigned int n_jobs;	      /* that it has had */
	struct apsp_held_memory held; /* between two jobs, as it told */
	bool device_open;	      /* one of them took the device */
};

/* Called on the thread that runs the solver. */
struct apsp_solver_process_watch {
	void *ctx;
	bool (*stop)(void *ctx); /* true: end the run now */
	/* Called with report->progress when that has changed; or NULL. */
	void (*progressed)(void *ctx, const struct apsp_job_progress *progress);
};

/*
 * The path is copied, the settings are borrowed. The caller ends *out with
 * apsp_solver_process_done(). APSP_ENOMEM, APSP_EIO.
 */
int apsp_solver_process_init(const struct apsp_solver_process_config *config,
	struct apsp_solver_process *out, struct apsp_err *err);
void apsp_solver_process_done(struct apsp_solver_process *solver);

/*
 * Compute the job in job_dir, whose table file may be of room_bytes (0: any
 * size). Blocks until the solver has told `done`, or has ended. Returns 0 if
 * the solver told `done`, else the code of report->failure: the one that the
 * solver told, APSP_ECANCELLED because of `stop`, APSP_EBUSY where a limit that
 * passes kept the solver from being started, APSP_ESOLVER where it could not be
 * started otherwise or died, or APSP_ESTALLED where it was ended because no
 * event came within the time that it had announced (`within`) and stall_ms.
 */
int apsp_solver_process_compute(struct apsp_solver_process *solver,
	const char *job_dir, uint64_t room_bytes,
	const struct apsp_solver_process_watch *watch,
	struct apsp_job_report *report);

/*
 * Between two jobs: a resident solver may end, or print. Call tend when the
 * descriptor is readable (-1: never). False: the resident has ended, and the
 * eventfd may have been emptied meanwhile.
 */
int apsp_solver_process_fd(const struct apsp_solver_process *solver);
bool apsp_solver_process_tend(struct apsp_solver_process *solver);

/* Whether a resident solver has the device open for the next job. */
bool apsp_solver_process_waits(const struct apsp_solver_process *solver);

/* End the resident solver, if there is one. Blocks for 3 s at most. */
void apsp_solver_process_retire(struct apsp_solver_process *solver);

/*
 * List the devices. Returns how many are in out, at most max. APSP_EDEVICE: no
 * device can be used; APSP_ESTALLED: the list took longer than a minute;
 * APSP_EBUSY: a limit that passes kept the solver from being started;
 * APSP_ECANCELLED: `stop`.
 */
int apsp_solver_process_devices(const struct apsp_solver_process *solver,
	const struct apsp_solver_process_watch *watch,
	struct apsp_device_info *out, size_t max, struct apsp_err *err);

/*
 * Measure the device. APSP_EDEVICE: it could not be measured. After the other
 * errors a later call goes on: APSP_ESTALLED: it took longer than five minutes,
 * perhaps because other programs kept the machine busy; APSP_EBUSY: as above;
 * APSP_ECANCELLED: `stop`.
 */
int apsp_solver_process_calibrate(const struct apsp_solver_process *solver,
	const struct apsp_solver_process_watch *watch, struct apsp_rates *out,
	struct apsp_err *err);

#endif
