/*
 * The time of day; see clock.h.
 */
#include "storage/clock.h"

#include <time.h>

static int64_t clock_ms(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t apsp_clock_now_ms(void)
{
	return clock_ms(CLOCK_REALTIME);
}

int64_t apsp_clock_ticks_ms(void)
{
	return clock_ms(CLOCK_MONOTONIC);
}
