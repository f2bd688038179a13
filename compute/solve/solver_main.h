/*
 * The main functions of apsp-solve. A job is the second half of the way from an
 * upload to its tables (compute/README.md):
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
 * Run the job, and write events to options->events; the last one is `done` or
 * `error`. With stay_s the device then stays open, and each line that arrives
 * on stdin within so many seconds is another job, "room BYTES dir DIR". Returns
 * 0 after `done`, or the code of the `error`. A stop (stop_watch.h) ends a job
 * with APSP_ECANCELLED.
 */
int apsp_solver_main_run(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Measure options->device (calibration.h) unless its rates are kept already,
 * keep them (kept_rates.h), and write them as an event. A stop ends the
 * measurement.
 */
int apsp_solver_main_calibrate(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Run the trial options->trial for a parent that needs only its exit status
 * (trial_process.h). Linux ends a process that computes for too long. Returns
 * the process's exit status: EXIT_SUCCESS, EXIT_FAILURE or APSP_TRIAL_UNOPENED.
 */
int apsp_solver_main_try(const struct apsp_solver_options *options);

/* Write an event for each device, with the one that options->device selects. */
int apsp_solver_main_list_devices(
	const struct apsp_solver_options *options, struct apsp_err *err);

#endif
