/*
 * The solver's device. A thread opens the device while the host reads a graph,
 * because an OpenCL runtime takes tenths of a second to start. The device stays
 * open for the solver's next jobs. All functions must be called by the same
 * thread.
 */
#ifndef APSP_COMPUTE_SOLVE_OPENING_H
#define APSP_COMPUTE_SOLVE_OPENING_H

#include <pthread.h>
#include <stdbool.h>

#include "compute/device/device.h"
#include "compute/solve/solver_options.h"
#include "daemon/base/err.h"

/* The caller first sets all bytes to 0. The thread writes to this struct, so
   the struct must not move between apsp_opening_start() and
   apsp_opening_wait(). */
struct apsp_opening {
	const struct apsp_solver_options *options; /* borrowed */
	pthread_t thread;
	bool running;
	int result;
	struct apsp_err err;
	struct apsp_device device; /* the device is open if it has a context */
};

/* Start a thread that opens options->device, unless the device is already
   open. */
void apsp_opening_start(struct apsp_opening *opening,
	const struct apsp_solver_options *options);

/*
 * Wait until the device is open. *out is borrowed until apsp_opening_done().
 * Fails with the errors of apsp_device_open().
 */
int apsp_opening_wait(struct apsp_opening *opening,
	const struct apsp_device **out, struct apsp_err *err);

/* Wait for the thread. Then find out how many processes of the group have
   opened the same device, and divide its memory among them. All processes of
   the group must call this function. */
void apsp_opening_divide(struct apsp_opening *opening);

/* Wait for the thread, and close the device. */
void apsp_opening_done(struct apsp_opening *opening);

/* Open the device in the calling thread. The caller ends *out with
   apsp_device_close(). */
int apsp_opening_open(const struct apsp_solver_options *options,
	struct apsp_device *out, struct apsp_err *err);

#endif
