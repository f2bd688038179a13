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

/*
 * Run the task that the options name, write events to options->events, and
 * return the exit status of the process: EXIT_SUCCESS or EXIT_FAILURE, and for
 * a trial also APSP_TRIAL_UNOPENED (trial_process.h).
 *
 * A job (options->job_dir) ends with the event `done` or `error`. If
 * options->stay_s is above 0, the device then stays open for stay_s seconds. A
 * line "room BYTES dir DIR" that arrives on stdin in this time describes the
 * next job. If a stop is requested (stop_watch.h), the job fails.
 *
 * options->calibrate: measure the rates of options->device (calibration.h), and
 * write them to their file (kept_rates.h). If this file already has rates,
 * nothing is measured. In both cases, write the rates as an event. A requested
 * stop ends the measurement.
 *
 * options->list_devices: write an event for each device. The event says whether
 * options->device selects the device.
 *
 * options->rows: compute rows when the worker asks for them (rows_main.h).
 *
 * options->trial: run a trial. No events are written, because the parent
 * process needs only the exit status.
 */
int apsp_solver_main_run(const struct apsp_solver_options *options);

#endif
