/*
 * The time of each stage by itself: at the end of each stage of a solve, wait
 * for the device, so that stages do not overlap. Programs with this file are
 * linked with --wrap=apsp_job_stages_end.
 */
#ifndef APSP_TESTS_BENCH_SETTLE_H
#define APSP_TESTS_BENCH_SETTLE_H

#include "compute/device/device.h"

/* Wait for this device from now on; NULL: do not wait, as at first. */
void bench_settle(const struct apsp_device *device);

#endif
