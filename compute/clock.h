/*
 * Time that only goes on: for durations and deadlines.
 */
#ifndef APSP_COMPUTE_CLOCK_H
#define APSP_COMPUTE_CLOCK_H

#include <stdint.h>

/* Seconds or milliseconds of CLOCK_MONOTONIC. */
double apsp_clock_s(void);
int64_t apsp_clock_ms(void);

#endif
