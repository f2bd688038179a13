/*
 * What the service manager hears of our life: WATCHDOG=1 while all threads that
 * are watched show signs of life, and nothing once one does not
 * (daemon/README.md, The watchdog asks every loop).
 */
#ifndef APSP_DAEMON_WATCHDOG_H
#define APSP_DAEMON_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

/* All times are 0 where the manager does not want to hear from us. */
struct apsp_watchdog {
	int beat_ms;	  /* how often threads show signs of life */
	int tick_ms;	  /* how often to call apsp_watchdog_tick() */
	int64_t limit_ms; /* the longest silence of a living thread */
	bool silent;	  /* at the last tick */
};

/* From WATCHDOG_USEC (notify.h). */
void apsp_watchdog_init(struct apsp_watchdog *watchdog);

/*
 * alive(ctx, limit_ms, err) is 0 where all threads live. Tell the manager, or
 * tell it nothing; log a warning at the first silence and a notice at its end.
 */
void apsp_watchdog_tick(struct apsp_watchdog *watchdog,
	int (*alive)(void *ctx, int64_t limit_ms, struct apsp_err *err),
	void *ctx);

#endif
