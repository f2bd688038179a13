/*
 * A device's rates, measured by the algorithms themselves on small graphs, so
 * that they cannot drift from what jobs do; kept in the directory of compiled
 * kernels, for this device, driver and version.
 */
#ifndef APSP_COMPUTE_CALIBRATION_H
#define APSP_COMPUTE_CALIBRATION_H

#include <stdatomic.h>

#include "compute/device.h"
#include "compute/rates.h"
#include "daemon/base/err.h"

/*
 * Run every algorithm in every width on random graphs that double until a run
 * takes a few hundredths of a second, and one whole solve for the rest.
 * Blocks for seconds, and for as long as it takes to compile all kernels the
 * first time. What an algorithm refuses keeps the rates of devices like it.
 * Writes graphs and tables into files without names in the kernels' directory:
 * nothing is left of them, and many may measure at once, if not well.
 *
 * stop is polled between launches, not while kernels are compiled; NULL: nobody
 * stops it. What was measured by then is lost.
 * APSP_ECANCELLED, APSP_EDEVICE, APSP_ENOMEM, APSP_EIO, APSP_ENOSPACE.
 */
int apsp_calibration_run(const struct apsp_device *device, atomic_bool *stop,
	struct apsp_rates *out, struct apsp_err *err);

/* What was kept; where nothing was, the rates of devices like it. */
void apsp_calibration_load(
	const struct apsp_device *device, struct apsp_rates *out);

/* APSP_EIO, APSP_ENOSPACE: it is measured again next time. */
int apsp_calibration_save(const struct apsp_device *device,
	const struct apsp_rates *rates, struct apsp_err *err);

#endif
