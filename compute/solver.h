/*
 * apsp-solve as its callers see it: run it over a job's directory, ask it for
 * the devices, or how fast one is. The process itself is compute/child.h's,
 * what it said is compute/report.h's.
 */
#ifndef APSP_COMPUTE_SOLVER_H
#define APSP_COMPUTE_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/rates.h"
#include "compute/report.h"
#include "compute/worker.h"
#include "daemon/base/err.h"

/* What every run has in common. Everything is owned. */
struct apsp_solver {
	char *path;
	char *cache_dir;
	char *device;
	uint64_t device_memory; /* cap in bytes; 0: none */
	char **env;
	int wake_fd; /* eventfd: write to it and `stop` is asked again */
};

/* Called on the thread that runs the solver. */
struct apsp_solver_watch {
	void *ctx;
	bool (*stop)(void *ctx); /* true: end it now */
	/* May be NULL; progress is that of the report. */
	void (*progressed)(void *ctx, const struct apsp_job_progress *progress);
};

/*
 * The strings of config are copied; the rest of it is not looked at. The caller
 * ends *out with apsp_solver_done(). APSP_ENOMEM, APSP_EIO.
 */
int apsp_solver_init(const struct apsp_worker_config *config,
	struct apsp_solver *out, struct apsp_err *err);
void apsp_solver_done(struct apsp_solver *solver);

/*
 * Compute the job in job_dir. Blocks until the solver has ended. Returns 0 when
 * it has told `done`; else the code that report->failure then has: what the
 * solver told, APSP_ECANCELLED because of `stop`, or APSP_ESOLVER if it could
 * not be started or died.
 */
int apsp_solver_compute(const struct apsp_solver *solver, const char *job_dir,
	const struct apsp_solver_watch *watch, struct apsp_report *report);

/*
 * Ask for the devices. Returns how many of at most max are in out.
 * APSP_EDEVICE: there is none that can be used; APSP_ECANCELLED: `stop`.
 */
int apsp_solver_devices(const struct apsp_solver *solver,
	const struct apsp_solver_watch *watch, struct apsp_device_info *out,
	size_t max, struct apsp_err *err);

/*
 * Ask how fast the device is. APSP_EDEVICE: it could not be measured;
 * APSP_ECANCELLED: `stop`.
 */
int apsp_solver_calibrate(const struct apsp_solver *solver,
	const struct apsp_solver_watch *watch, struct apsp_rates *out,
	struct apsp_err *err);

#endif
