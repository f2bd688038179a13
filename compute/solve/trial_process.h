/*
 * The trial of a kernel's fast form in a process of its own: this program
 * again, with --trial (compute/device/form_trial.h).
 */
#ifndef APSP_COMPUTE_SOLVE_TRIAL_PROCESS_H
#define APSP_COMPUTE_SOLVE_TRIAL_PROCESS_H

#include "compute/device/trial_ops.h"
#include "compute/solve/solver_options.h"
#include "daemon/base/err.h"

enum {
	/* the exit status of a trial that could not open the device */
	APSP_TRIAL_UNOPENED = 3,
};

/* Trials on options->device; a stop (stop_watch.h) ends them. The options are
   borrowed. */
struct apsp_trial_ops apsp_trial_process(
	const struct apsp_solver_options *options);

#endif
