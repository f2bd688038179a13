/*
 * The options of apsp-solve's command line, and the stream of its events.
 */
#ifndef APSP_COMPUTE_SOLVE_SOLVER_OPTIONS_H
#define APSP_COMPUTE_SOLVE_SOLVER_OPTIONS_H

#include <stdbool.h>
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
	/* the file from which the process computes rows when the worker asks
	   for them (rows_main.h); NULL: run a job */
	const char *rows;
	bool list_devices; /* list the devices, and run no job */
	bool calibrate;	   /* measure the device's rates, and run no job */
	const char *trial; /* text that describes a trial (trial_process.h);
			      NULL: run a job */
	/* used in a trial: the member `turn` of struct apsp_device_options, so
	   that the trial opens the same device as the process that started the
	   trial */
	uint64_t turn;
	/* used in a trial: the member `forms` of struct apsp_device, which says
	   which kernels may use their fast forms */
	const char *forms;
	FILE *events; /* stream for the events (compute/solver_event.h);
			 borrowed */
};

#endif
