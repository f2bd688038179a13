/*
 * The measured rates of a device, in a file beside the compiled kernels: one
 * file for each device, driver, version of the kernels, tuning, and number of
 * processors that the solver may use.
 */
#ifndef APSP_COMPUTE_SOLVE_KEPT_RATES_H
#define APSP_COMPUTE_SOLVE_KEPT_RATES_H

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"

/*
 * Read the measured rates; without a file, the defaults of the device's kind,
 * with `measured` unset. Returns how many of the last measurements were
 * doubtful (calibration.h).
 */
unsigned int apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out);

/* APSP_EIO, APSP_ENOSPACE: the device will be measured again. */
int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, unsigned int doubts,
	struct apsp_err *err);

#endif
