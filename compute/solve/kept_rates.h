/*
 * The file with the measured rates of a device, in the directory of compiled
 * kernels. There is a separate file for each combination of device, driver,
 * version of the kernels, tuning row, and number of processors that the solver
 * may use.
 */
#ifndef APSP_COMPUTE_SOLVE_KEPT_RATES_H
#define APSP_COMPUTE_SOLVE_KEPT_RATES_H

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"

/*
 * Read the measured rates. If there is no file, *out gets the defaults of the
 * device's kind, and out->measured is false.
 */
void apsp_kept_rates_load(
	const struct apsp_device *device, struct apsp_rates *out);

/*
 * Write the rates to the file. APSP_EIO, APSP_ENOSPACE: the file was not
 * written, so the device will be measured again.
 */
int apsp_kept_rates_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err);

#endif
