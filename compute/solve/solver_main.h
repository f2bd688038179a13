/*
 * The main functions of apsp-solve. A job covers the second half of the way
 * from an upload to its tables (compute/README.md):
 *
 *	graph file → lengths → integers → components → closure
 *	           → distances on the device
 *	           → rows: distances, predecessors, path sums → table file
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_MAIN_H
#define APSP_COMPUTE_SOLVE_SOLVER_MAIN_H

#include "compute/solve/solver_options.h"
#include "daemon/base/err.h"

/*
 * Run the job in options->job_dir, and write events to options->events. The
 * job's last event is `done` or `error`. If options->stay_s is above 0, the
 * device then stays open for stay_s seconds. A line "room BYTES dir DIR" that
 * arrives on stdin in this time describes the next job. Returns 0 after `done`,
 * or the code of the `error`. A stop (stop_watch.h) ends a job with
 * APSP_ECANCELLED.
 */
int apsp_solver_main_run(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Measure the rates of options->device (calibration.h), and write them to their
 * file (kept_rates.h). If this file already has rates, nothing is measured. In
 * both cases, write the rates as an event. A requested stop ends the
 * measurement.
 */
int apsp_solver_main_calibrate(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Run the trial that options->trial describes, for a parent process that needs
 * only the exit status (trial_process.h). Linux ends the process if it uses too
 * much processor time. Returns the exit status: EXIT_SUCCESS, EXIT_FAILURE or
 * APSP_TRIAL_UNOPENED.
 */
int apsp_solver_main_try(const struct apsp_solver_options *options);

/* Write an event for each device. The event says whether options->device
   selects the device. */
int apsp_solver_main_list_devices(
	const struct apsp_solver_options *options, struct apsp_err *err);

#endif
