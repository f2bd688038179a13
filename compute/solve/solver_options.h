/*
 * The options of apsp-solve's command line, and the stream of its events.
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_OPTIONS_H
#define APSP_COMPUTE_SOLVE_SOLVER_OPTIONS_H

#include <stdint.h>
#include <stdio.h>

struct apsp_solver_options {
	const char *job_dir;	/* directory with the file `graph`; the solver
				   writes the file `tables` into this
				   directory */
	const char *cache_dir;	/* compiled kernels go to <cache_dir>/kernels */
	const char *device;	/* "auto", "cpu", "gpu" or a part of a device's
				   name */
	uint64_t device_memory; /* largest number of bytes of the device's
				   memory that may be used; 0: no limit */
	uint64_t room_bytes; /* largest size of the table file in bytes; 0: no
				limit */
	uint64_t proof_seed; /* selects the rows in which every path is proved;
				0: each job chooses its own seed */
	unsigned int stay_s; /* seconds to wait for the next job; 0: end after
				one job */
	const char *rows; /* the table file whose rows the process computes when
			     they are asked for (rows_main.h); NULL: run a
			     job */
	const char *trial;   /* text that describes a trial (trial_process.h);
				NULL: run a job */
	uint64_t turn; /* apsp_device_options.turn of the process that starts
			  the trial */
	const char *forms; /* the forms of kernels in the trial (member `forms`
			      of struct apsp_device) */
	FILE *events;	   /* stream for the events (compute/solver_event.h);
			      borrowed */
};

#endif
