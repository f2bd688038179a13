/*
 * The time of day, as rows and snapshots note it.
 */
#ifndef APSP_STORAGE_CLOCK_H
#define APSP_STORAGE_CLOCK_H

#include <stdint.h>

/* Milliseconds since 1970, UTC. */
int64_t apsp_clock_now_ms(void);

#endif
