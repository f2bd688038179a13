/*
 * apspd --check: the solver, the device, and a small graph solved on it.
 */
#ifndef APSP_DAEMON_CHECK_DEVICE_H
#define APSP_DAEMON_CHECK_DEVICE_H

#include "daemon/base/settings.h"
#include "daemon/check_report.h"

/*
 * Print a line for the device, and one for the graph if there is a device. All
 * that is made for it lies in a new directory in the cache directory, or in
 * TMPDIR where that cannot be used, and is removed. Blocks for some seconds,
 * since kernels are compiled there anew.
 */
void apsp_check_device(
	const struct apsp_settings *settings, struct apsp_check_report *report);

#endif
