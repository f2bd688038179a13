/*
 * The time: of day, as rows note it, and the time that passes, which nobody
 * sets, for durations and deadlines.
 */
#ifndef APSP_DAEMON_BASE_CLOCK_H
#define APSP_DAEMON_BASE_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, UTC. */
int64_t apsp_clock_utc_ms(void);

/* CLOCK_MONOTONIC in seconds, milliseconds, nanoseconds. */
double apsp_clock_s(void);
int64_t apsp_clock_ms(void);
int64_t apsp_clock_ns(void);

#endif
