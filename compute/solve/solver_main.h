/*
 * What apsp-solve does. A job is the second half of the precompute line
 * (compute/README.md):
 *
 *	graph file → lengths → integers → components → closure
 *	           → distances on the device → rows: V, predecessors, sums
 *	           → table file
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_MAIN_H
#define APSP_COMPUTE_SOLVE_SOLVER_MAIN_H

#include "compute/solve/solver_options.h"
#include "daemon/base/err.h"

/*
 * Run the job, and tell options->events: its last event is `done`, or `error`.
 * With stay_s the device then stays open, and each line of stdin within so many
 * seconds is one job more, "ROOM_BYTES JOB_DIR". Returns 0 after `done`, or the
 * code of the `error` that was told. A stop (stop_watch.h) ends a job with
 * APSP_ECANCELLED.
 */
int apsp_solver_main_run(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Measure options->device (calibration.h) unless rates of it are kept, keep
 * them (kept_rates.h), and tell them. A stop ends the measurement.
 */
int apsp_solver_main_calibrate(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Do what options->trial says, for a parent that only asks whether it passes
 * (trial_process.h). What computes for too long is ended by the kernel.
 * Returns the process's exit status: EXIT_SUCCESS, EXIT_FAILURE or
 * APSP_TRIAL_UNOPENED.
 */
int apsp_solver_main_try(const struct apsp_solver_options *options);

/* Tell each device, and which of them options->device picks. */
int apsp_solver_main_list_devices(
	const struct apsp_solver_options *options, struct apsp_err *err);

#endif
