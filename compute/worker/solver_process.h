/*
 * Runs apsp-solve for one of three tasks: to compute a job, to list the
 * devices, or to measure a device. This file writes the command lines and
 * parses the answers. child_process.h starts and ends the process, and
 * job_report.h collects the progress of a run.
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
#include "compute/worker/solver_command.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

struct apsp_child_process;
struct apsp_pulse;
struct apsp_settings;

/* The state that all runs of the solver share. `settings` and `pulse` are
   borrowed. */
struct apsp_solver_process {
	struct apsp_solver_command command;
	const struct apsp_settings *settings;
	/* an eventfd; after a write to it, a run checks its stop token again */
	int wake_fd;
	/* a job's solver is ended if it prints no event for this number of
	   milliseconds, unless it has announced a longer time */
	int stall_ms;
	/* records signs of life of the thread that runs the solver
	   (daemon/base/pulse.h); NULL: nothing is recorded */
	struct apsp_pulse *pulse;
	/* the solver that stays for the next job; NULL: none */
	struct apsp_child_process *resident;
	unsigned int n_jobs; /* number of jobs that the resident solver has
				computed */
	/* memory that the resident solver holds between two jobs */
	struct apsp_held_memory held;
	bool device_open; /* true: the resident solver has the device open */
};

/* Two things that a caller can attach to a job's run: a function that gets the
   progress, and a token by which the caller stops the run. */
struct apsp_solver_watch {
	void *ctx;
	/* Borrowed. A stop request ends the run. NULL: nothing stops the
	   run. */
	const struct apsp_stop *stop;
	/* Called after report->progress has changed, on the thread that called
	   apsp_solver_process_compute(). May be NULL. */
	void (*progressed)(void *ctx, const struct apsp_job_progress *progress);
};

/*
 * Set up *out. `path` is the path of apsp-solve. The path and the setting
 * solver-command are copied. `settings` and `pulse` are borrowed; `pulse` may
 * be NULL. *out must not be copied (solver_command.h). The caller ends *out
 * with apsp_solver_process_done(), even after a failure. APSP_EBUSY, APSP_EIO:
 * the eventfd cannot be made; APSP_EMALFORMED: the setting solver-command is
 * wrong (solver_command.h).
 */
int apsp_solver_process_init(const char *path,
	const struct apsp_settings *settings, int stall_ms,
	struct apsp_pulse *pulse, struct apsp_solver_process *out,
	struct apsp_err *err);
void apsp_solver_process_done(struct apsp_solver_process *solver);

/*
 * Compute the job in job_dir. room_bytes is the largest size of its table file;
 * 0: any size. Blocks until the solver has printed `done` or has ended. Returns
 * 0 after `done`; otherwise the code of report->failure:
 *
 *	APSP_ECANCELLED  a stop was asked for
 *	APSP_EBUSY       descriptors or processes are lacking at present
 *	APSP_ESOLVER     the solver could not be started, or died
 *	APSP_ESTALLED    the solver was ended, because it printed no event for
 *	                 longer than stall_ms and longer than it announced
 *	other codes      from the solver's event `error`
 */
int apsp_solver_process_compute(struct apsp_solver_process *solver,
	const char *job_dir, uint64_t room_bytes,
	const struct apsp_solver_watch *watch, struct apsp_job_report *report);

/* Between two jobs: return a descriptor that becomes readable when the resident
   solver prints a line or ends; -1: there is no such descriptor. */
int apsp_solver_process_fd(const struct apsp_solver_process *solver);

/* Between two jobs: handle the lines of the resident solver. Call this when
   apsp_solver_process_fd() is readable. False: the resident solver has ended,
   and wake_fd may have been emptied. */
bool apsp_solver_process_read(struct apsp_solver_process *solver);

/* End the resident solver, if there is one. Blocks for at most 3 s. */
void apsp_solver_process_retire(struct apsp_solver_process *solver);

/*
 * List the devices. Store at most `max` devices in `out`, and return the number
 * of stored devices. APSP_EDEVICE: no device can be used; APSP_ESTALLED: the
 * list took longer than a minute; APSP_EBUSY: descriptors or processes are
 * lacking at present; APSP_ECANCELLED: a stop was asked for.
 */
int apsp_solver_process_devices(const struct apsp_solver_process *solver,
	const struct apsp_stop *stop, struct apsp_device_info *out, size_t max,
	struct apsp_err *err);

/*
 * Measure the device. APSP_EDEVICE: the device cannot be measured.
 * APSP_ESTALLED: the measurement took longer than five minutes, perhaps because
 * other programs kept the machine busy. APSP_EBUSY, APSP_ECANCELLED: as for
 * apsp_solver_process_devices(). After APSP_ESTALLED, APSP_EBUSY or
 * APSP_ECANCELLED, the next call continues the measurement.
 */
int apsp_solver_process_calibrate(const struct apsp_solver_process *solver,
	const struct apsp_stop *stop, struct apsp_rates *out,
	struct apsp_err *err);

#endif
