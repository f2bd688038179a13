/*
 * Tries a fast form of a kernel in a separate process, which runs this program
 * with the option --trial (compute/device/kernel_form.h).
 */
#ifndef APSP_COMPUTE_SOLVE_TRIAL_PROCESS_H
#define APSP_COMPUTE_SOLVE_TRIAL_PROCESS_H

#include "compute/device/trial_ops.h"
#include "compute/solve/solver_options.h"

enum {
	/* exit status of a trial that could not open the device */
	APSP_TRIAL_UNOPENED = 3,
};

/* Return the function that runs a trial on options->device. A requested stop
   (stop_watch.h) ends the trial. The options are borrowed. */
struct apsp_trial_ops apsp_trial_process(
	const struct apsp_solver_options *options);

#endif
