/*
 * The rates of a device that were measured, in a file beside the compiled
 * kernels: one file for each device, driver and version of the kernels that are
 * measured.
 */
#ifndef APSP_COMPUTE_SOLVE_KEPT_RATES_H
#define APSP_COMPUTE_SOLVE_KEPT_RATES_H

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"

/* What was kept; where nothing was, the defaults of the device's kind. */
void apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out);

/* APSP_EIO, APSP_ENOSPACE: the device will be measured again. */
int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err);

#endif
