/*
 * The command line of one run of apsp-solve (daemon/apsp_solve.c reads it).
 */
#ifndef APSP_COMPUTE_WORKER_SOLVER_COMMAND_H
#define APSP_COMPUTE_WORKER_SOLVER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/settings.h"

enum {
	APSP_SOLVER_ARGS_MAX = 16,
};

/* The purpose of a run. All is borrowed. */
struct apsp_solver_errand {
	const char *option; /* "--devices", "--calibrate"; NULL: a job */
	const char *job_dir;
	uint64_t room_bytes; /* for the job's table file; 0: any size */
	int timeout_ms;	     /* then the run is ended; 0: never */
	bool stays;	     /* for another job */
};

/* argv is NULL-terminated and points into texts, and to what was borrowed. */
struct apsp_solver_command {
	const char *argv[APSP_SOLVER_ARGS_MAX];
	char memory[24];
	char room[24];
	char stay[24];
};

/* path is of apsp-solve; it and the settings are borrowed. */
void apsp_solver_command_write(const char *path,
	const struct apsp_settings *settings,
	const struct apsp_solver_errand *errand,
	struct apsp_solver_command *out);

#endif
