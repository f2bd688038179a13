/*
 * The options of apsp-solve's command line, and the stream of its events.
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
	uint64_t proof_seed;	/* chooses the rows that are proved as a whole;
				   0: another seed for each job */
	unsigned int stay_s;	/* to wait for the next job; 0: end */
	const char *trial;	/* the trial (trial_process.h); NULL: a job */
	const char *forms;	/* of the trial: apsp_device.forms */
	FILE *events; /* gets the events (compute/solver_event.h); borrowed */
};

#endif
