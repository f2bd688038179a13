/*
 * Seconds of each stage by itself: at the end of a stage of a solve, wait for
 * the device. Nothing overlaps then. Programs with this file are linked with
 * --wrap=apsp_job_stages_end.
 */
#ifndef APSP_TESTS_BENCH_SETTLE_H
#define APSP_TESTS_BENCH_SETTLE_H

#include "compute/device/device.h"

/* Wait for this device from now on; NULL: for none, as at first. */
void bench_settle(const struct apsp_device *device);

#endif
