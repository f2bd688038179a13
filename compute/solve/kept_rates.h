/*
 * The rates of a device that were measured, in a file beside the compiled
 * kernels: one file for each device, driver, version of the kernels that are
 * measured, tuning, and set of processors that the solver may run on.
 */
#ifndef APSP_COMPUTE_SOLVE_KEPT_RATES_H
#define APSP_COMPUTE_SOLVE_KEPT_RATES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"

/* Rates on their way: a measurement may be stopped and go on later. */
struct apsp_kept_rates {
	struct apsp_rates rates; /* measured, or still the defaults */
	uint64_t steps; /* of this measurement that are done; all ones: all */
	bool whole;	/* all rates were measured, now or before */
	unsigned int doubts; /* measurements that strayed from the defaults */
};

/* What is kept, whole or not; where nothing is, the defaults and no steps. */
void apsp_kept_rates_read(
	const struct apsp_device *device, struct apsp_kept_rates *out);

/* APSP_EIO, APSP_ENOSPACE. */
int apsp_kept_rates_write(const struct apsp_device *device,
	const struct apsp_kept_rates *kept, struct apsp_err *err);

/* The whole rates; where there are none, the defaults of the device's kind. */
void apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out);

/* Keep whole rates beyond doubt. APSP_EIO, APSP_ENOSPACE: the device will be
   measured again. */
int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err);

#endif
