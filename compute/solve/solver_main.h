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

#include <stdint.h>
#include <stdio.h>

#include "daemon/base/err.h"

struct apsp_solver_options {
	const char *job_dir;	/* holds `graph`; gets `tables` */
	const char *cache_dir;	/* compiled kernels go to <cache_dir>/kernels */
	const char *device;	/* auto, cpu, gpu or a substring of its name */
	uint64_t device_memory; /* cap in bytes; 0: none */
	uint64_t room_bytes;	/* for the table file; 0: no cap */
	FILE *events; /* what is told (compute/solver_event.h); borrowed */
};

/*
 * Run the job, and tell options->events. Returns 0 after
 * `done`, or the code of the `error` that was told. A stop (stop_watch.h) ends
 * the run with APSP_ECANCELLED.
 */
int apsp_solver_main_run(
	const struct apsp_solver_options *options, struct apsp_err *err);

/*
 * Measure options->device (calibration.h) unless rates of it are kept, keep
 * them (kept_rates.h), and tell them. A stop ends the measurement.
 */
int apsp_solver_main_calibrate(
	const struct apsp_solver_options *options, struct apsp_err *err);

/* Tell each device, and which of them options->device picks. */
int apsp_solver_main_list_devices(
	const struct apsp_solver_options *options, struct apsp_err *err);

#endif
