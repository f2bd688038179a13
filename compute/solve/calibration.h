/*
 * Measures a device's rates. The algorithms run on small graphs as they do in a
 * job, so the rates include all costs of a job.
 */
#ifndef APSP_COMPUTE_SOLVE_CALIBRATION_H
#define APSP_COMPUTE_SOLVE_CALIBRATION_H

#include "compute/device/device.h"
#include "compute/plan/rates.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/*
 * Measure the device's rates, and keep them in a file (kept_rates.h). The
 * algorithms `blocked-fw` and `multi-source` run with each element type of the
 * distance matrix, on random graphs that double in size until a run takes a few
 * hundredths of a second. Then two graphs are solved completely, as in a job.
 * Each measured time is divided by the time that the default rates predict. The
 * measured rate is the default rate times this quotient. If an algorithm
 * refuses an element type, its rate for this type keeps the default.
 *
 * Blocks for seconds, and longer if kernels must be compiled. Graphs and tables
 * are unnamed files in the directory of compiled kernels, so no file is left
 * behind. Several processes may measure at the same time. Then they slow each
 * other down, and the measured rates include the delays. A requested stop is
 * noticed between launches, not while kernels are compiled.
 *
 * APSP_ECANCELLED: a stop was requested. APSP_EDEVICE: the device fails, or
 * computes wrongly. APSP_EIO, APSP_ENOSPACE: a graph or tables could not be
 * written. APSP_ENOMEM.
 */
int apsp_calibration_run(const struct apsp_device *device,
	const struct apsp_stop *stop, struct apsp_rates *out,
	struct apsp_err *err);

#endif
