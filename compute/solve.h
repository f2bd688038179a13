/*
 * The solver's whole run over one job directory, in order (the second half of
 * the precompute line):
 *
 *	graph file → lengths → integers → components → closure
 *	           → distances on the device → rows: V, predecessors, sums
 *	           → table file
 */
#ifndef APSP_COMPUTE_SOLVE_H
#define APSP_COMPUTE_SOLVE_H

#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_solve_options {
	const char *job_dir;	/* holds `graph`; gets `tables` */
	const char *cache_dir;	/* compiled kernels go to <cache_dir>/kernels */
	const char *device;	/* auto, cpu, gpu or a substring of its name */
	uint64_t device_memory; /* cap in bytes; 0: none */
};

/*
 * Run the job, telling stdout (compute/event.h). Returns 0 after `done`, or the
 * code of the `error` that was told. Ends early, with APSP_ECANCELLED, when
 * stdin reaches its end or SIGTERM arrives.
 */
int apsp_solve_run(
	const struct apsp_solve_options *options, struct apsp_err *err);

/*
 * Measure options->device (compute/calibration.h), keep what was found in
 * <cache_dir>/kernels, and tell it. Ends early as apsp_solve_run() does.
 */
int apsp_solve_calibrate(
	const struct apsp_solve_options *options, struct apsp_err *err);

/* Tell stdout what devices there are and which one options->device picks. */
int apsp_solve_list_devices(
	const struct apsp_solve_options *options, struct apsp_err *err);

/* The names of the algorithms, NULL-terminated: for /v1/info and options. */
extern const char *const apsp_algorithm_names[];

/* Those of them that count arcs and take no lengths: transform=hops only. */
extern const char *const apsp_algorithm_hops_only[];

#endif
