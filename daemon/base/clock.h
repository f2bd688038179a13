/*
 * Clocks: the time of day, for records, and a monotonic clock, which nobody can
 * set, for durations and deadlines.
 */
#ifndef APSP_DAEMON_BASE_CLOCK_H
#define APSP_DAEMON_BASE_CLOCK_H

#include <stdint.h>

enum {
	APSP_CLOCK_UTC_SIZE = 32, /* bytes of a time as text, with its NUL */
};

/* Milliseconds since 1970, UTC. */
int64_t apsp_clock_utc_ms(void);

/*
 * Write a time from 1970 to 9999 as "2026-11-22T16:50:01.123Z". May be called
 * in a signal handler, unlike gmtime_r(3) and snprintf(3).
 */
void apsp_clock_utc_write(int64_t ms, char out[APSP_CLOCK_UTC_SIZE]);

/* The time of CLOCK_MONOTONIC: in seconds, in milliseconds, and in
   nanoseconds. */
double apsp_clock_s(void);
int64_t apsp_clock_ms(void);
int64_t apsp_clock_ns(void);

/* The processor time of the calling thread, in nanoseconds. */
int64_t apsp_clock_thread_ns(void);

/* The processor time of all threads of this process, in seconds. */
double apsp_clock_process_s(void);

#endif
