/*
 * The measurement of a device's rates, by the algorithms themselves on small
 * graphs, so that the rates are always those of jobs.
 */
#ifndef APSP_COMPUTE_SOLVE_CALIBRATION_H
#define APSP_COMPUTE_SOLVE_CALIBRATION_H

#include <stdbool.h>

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/*
 * Run blocked-fw and multi-source in every width on random graphs that double
 * until a run takes a few hundredths of a second, then two whole solves. The
 * ratios of measured and expected seconds are multiplied with the default
 * rates. A width that an algorithm refuses keeps its default.
 *
 * Blocks for seconds; the first time until all measured kernels are compiled.
 * Graphs and tables are unnamed files in the kernels' directory and leave
 * nothing behind. Several processes may measure at once, but each then measures
 * the others' load, too.
 *
 * stop is checked between launches, not while kernels are compiled.
 * The rates are kept (kept_rates.h). Rates that are far from the defaults are
 * in doubt, since the load of other programs may have been measured. They are
 * used, and the next call measures again and keeps the faster of both.
 * APSP_ECANCELLED, APSP_EDEVICE, APSP_ENOMEM, APSP_EIO, APSP_ENOSPACE.
 */
int apsp_calibration_run(const struct apsp_device *device,
	const struct apsp_stop *stop, struct apsp_rates *out,
	struct apsp_err *err);

/*
 * Whether the device's rates have not been measured, or are in doubt. After
 * three measurements far from the defaults they are considered certain.
 */
bool apsp_calibration_needed(const struct apsp_device *device);

#endif
