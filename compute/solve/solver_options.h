/*
 * What apsp-solve is told on its command line, and where it tells what.
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_OPTIONS_H
#define APSP_COMPUTE_SOLVE_SOLVER_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

struct apsp_solver_options {
	const char *job_dir;	/* holds `graph`; gets `tables` */
	const char *cache_dir;	/* compiled kernels go to <cache_dir>/kernels */
	const char *device;	/* auto, cpu, gpu or a substring of its name */
	uint64_t device_memory; /* cap in bytes; 0: none */
	uint64_t room_bytes;	/* for the table file; 0: no cap */
	uint64_t proof_seed;	/* decides which rows are walked; 0: another one
				   for each job */
	unsigned int stay_s;	/* for the next job; 0: there is none */
	const char *trial;	/* what to try (trial_process.h); NULL: a job */
	const char *forms;	/* for it: apsp_device.forms */
	FILE *events; /* what is told (compute/solver_event.h); borrowed */
};

#endif
