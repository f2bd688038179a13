/*
 * The time of day, as rows and snapshots note it, and the time that passes.
 */
#ifndef APSP_STORAGE_CLOCK_H
#define APSP_STORAGE_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, UTC. */
int64_t apsp_clock_now_ms(void);

/* Milliseconds of a clock that nobody sets: for waits. */
int64_t apsp_clock_ticks_ms(void);

#endif
