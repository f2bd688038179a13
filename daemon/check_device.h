/*
 * apspd --check: check the solver and the device, and solve a small graph on
 * the device.
 */
#ifndef APSP_DAEMON_CHECK_DEVICE_H
#define APSP_DAEMON_CHECK_DEVICE_H

#include "daemon/base/settings.h"
#include "daemon/check_report.h"

/*
 * Check the device, solve a small graph on it, and print a line about each of
 * these two steps. Without a device, no graph is solved. Files are made in a
 * new directory, which is removed afterwards. The directory is made below the
 * cache directory, or below TMPDIR if the cache directory cannot be used.
 * Blocks for some seconds, because kernels are compiled anew.
 */
void apsp_check_device(
	const struct apsp_settings *settings, struct apsp_check_report *report);

#endif
