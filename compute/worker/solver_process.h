/*
 * The uses of apsp-solve: compute a job, list the devices, measure one. This
 * file writes the command lines and interprets the answers. child_process.h
 * starts and ends the process, and job_report.h keeps a run's progress.
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
#include "daemon/base/stop.h"

struct apsp_child_process;
struct apsp_pulse;
struct apsp_settings;

struct apsp_solver_process_config {
	const char *path; /* of apsp-solve */
	const struct apsp_settings *settings;
	int stall_ms;		  /* see struct apsp_solver_process */
	struct apsp_pulse *pulse; /* of the calling thread; NULL: none */
};

/* The state that all runs share. Settings and pulse are borrowed. */
struct apsp_solver_process {
	char *path;
	const struct apsp_settings *settings;
	int wake_fd;  /* eventfd: a write makes a run check its stop again */
	int stall_ms; /* a job's solver may always be silent for so long */
	struct apsp_pulse *pulse;
	/* the solver of the last job, which stays for the next; NULL: none */
	struct apsp_child_process *resident;
	unsigned int n_jobs;	      /* that the resident has computed */
	struct apsp_held_memory held; /* by the resident between two jobs */
	bool device_open;	      /* by the resident */
};

/* Who follows the run of a job. */
struct apsp_solver_watch {
	void *ctx;
	const struct apsp_stop *stop; /* ends the run; or NULL */
	/* Called on the thread of the run when report->progress has changed;
	   or NULL. */
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
 * Compute the job in job_dir. Its table file may have room_bytes (0: any size).
 * Blocks until the solver has printed `done` or has ended. Returns 0 after
 * `done`, else the code of report->failure: the solver's `error`;
 * APSP_ECANCELLED: a stop was asked for; APSP_EBUSY: a temporary lack of
 * descriptors or processes prevented the start; APSP_ESOLVER: another reason
 * prevented it, or the solver died; APSP_ESTALLED: it was ended, because it
 * printed no event for stall_ms and for the time that it had announced.
 */
int apsp_solver_process_compute(struct apsp_solver_process *solver,
	const char *job_dir, uint64_t room_bytes,
	const struct apsp_solver_watch *watch, struct apsp_job_report *report);

/*
 * Between two jobs a resident solver may print or end. Call read when the
 * descriptor is readable (-1: never). False: the resident has ended, and the
 * eventfd may have been emptied meanwhile.
 */
int apsp_solver_process_fd(const struct apsp_solver_process *solver);
bool apsp_solver_process_read(struct apsp_solver_process *solver);

/* End the resident solver, if there is one. Blocks for 3 s at most. */
void apsp_solver_process_retire(struct apsp_solver_process *solver);

/*
 * List the devices. Returns how many are in out, at most max. APSP_EDEVICE: no
 * device can be used; APSP_ESTALLED: the list took longer than a minute;
 * APSP_EBUSY: a temporary lack of descriptors or processes prevented the start;
 * APSP_ECANCELLED: a stop was asked for.
 */
int apsp_solver_process_devices(const struct apsp_solver_process *solver,
	const struct apsp_stop *stop, struct apsp_device_info *out, size_t max,
	struct apsp_err *err);

/*
 * Measure the device. APSP_EDEVICE: it could not be measured. After the other
 * errors a later call continues: APSP_ESTALLED: the measurement took longer
 * than five minutes, perhaps because other programs kept the machine busy;
 * APSP_EBUSY, APSP_ECANCELLED: as above.
 */
int apsp_solver_process_calibrate(const struct apsp_solver_process *solver,
	const struct apsp_stop *stop, struct apsp_rates *out,
	struct apsp_err *err);

#endif
