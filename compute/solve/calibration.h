/*
 * A device's rates, measured by the algorithms themselves on small graphs, so
 * that rates cannot drift from what jobs do.
 */
#ifndef APSP_COMPUTE_SOLVE_CALIBRATION_H
#define APSP_COMPUTE_SOLVE_CALIBRATION_H

#include <stdatomic.h>
#include <stdbool.h>

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"

/*
 * Run every algorithm that competes, in every width, on random graphs that
 * double until a run takes a few hundredths of a second; then one whole solve
 * for what follows V. All other rates keep their defaults, and so does a width
 * that an algorithm refuses.
 *
 * Blocks for seconds, and the first time until all kernels that are measured
 * are compiled. Graphs and tables are files without names in the kernels'
 * directory: nothing is left of them. Several processes may measure at once,
 * but each then measures the others' load.
 *
 * stop is polled between launches, not while kernels are compiled; NULL: never.
 * Each algorithm and width is kept as it is done (kept_rates.h), and a stopped
 * measurement goes on where it was stopped. Rates that are far from the
 * defaults of the device's kind are in doubt: somebody else's load may have
 * been measured. They count, and the next call measures again and keeps the
 * faster of both. APSP_ECANCELLED, APSP_EDEVICE, APSP_ENOMEM, APSP_EIO,
 * APSP_ENOSPACE.
 */
int apsp_calibration_run(const struct apsp_device *device, atomic_bool *stop,
	struct apsp_rates *out, struct apsp_err *err);

/*
 * Whether the device's rates are not all measured, or in doubt. After three
 * measurements that stray they are taken for the device's nature.
 */
bool apsp_calibration_needed(const struct apsp_device *device);

#endif
