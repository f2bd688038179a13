/*
 * The clock of deadlines.
 */
#ifndef APSP_API_HTTP_CLOCK_H
#define APSP_API_HTTP_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t apsp_clock_now_ns(void);

#endif
