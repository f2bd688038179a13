/*
 * Clocks. The UTC clock has the time of day and is used for records. The
 * monotonic clock cannot be set, so it is used for durations and deadlines.
 * This file also has apsp_pause_double(), for the pause between two tries.
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
 * Write `ms`, the milliseconds since 1970, as a time like
 * "2026-11-22T16:50:01.123Z". The year may be 1970 to 9999. May be called in a
 * signal handler, unlike gmtime_r(3) and snprintf(3).
 */
void apsp_clock_utc_write(int64_t ms, char out[APSP_CLOCK_UTC_SIZE]);

/* Each of the next three functions returns the time of CLOCK_MONOTONIC: the
   first in seconds, the second in milliseconds, the third in nanoseconds. */
double apsp_clock_s(void);
int64_t apsp_clock_ms(void);
int64_t apsp_clock_ns(void);

/* The processor time of the calling thread, in nanoseconds. */
int64_t apsp_clock_thread_ns(void);

/* The processor time of all threads of this process, in seconds. */
double apsp_clock_process_s(void);

/* Return twice the pause `ms`, but at most `most_ms`, in milliseconds. */
static inline int apsp_pause_double(int ms, int most_ms)
{
	return ms <= most_ms / 2 ? 2 * ms : most_ms;
}

#endif
