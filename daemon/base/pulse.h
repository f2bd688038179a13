/*
 * Signs of life of one thread, for a watchdog on another one: the thread beats
 * each time that it passes its loop, and sleeps no longer than the period where
 * somebody watches. Before a call that may rightly take long (a commit on a
 * slow disk) it says how long, and counts as alive until then.
 */
#ifndef APSP_DAEMON_BASE_PULSE_H
#define APSP_DAEMON_BASE_PULSE_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_pulse {
	const char *name; /* of the thread in messages; borrowed */
	int period_ms;	  /* the longest sleep; 0: nobody watches */
	/* monotonic: the last beat, or the end of a long call in the future */
	_Atomic int64_t alive_ms;
};

/* Before the thread starts, which then counts as alive. */
void apsp_pulse_init(struct apsp_pulse *pulse, const char *name, int period_ms);

/* The thread, which calls this, moves; apsp_pulse_allow() holds no longer. */
void apsp_pulse_beat(struct apsp_pulse *pulse);

/* The thread, which calls this, may be silent for so long from now on. */
void apsp_pulse_allow(struct apsp_pulse *pulse, int64_t ms);

/* How long to sleep at a time instead of timeout_ms (-1: for ever). */
int apsp_pulse_nap_ms(const struct apsp_pulse *pulse, int timeout_ms);

/*
 * Any thread. APSP_ESTALLED: the thread has been silent for more than limit_ms
 * beyond what it said.
 */
int apsp_pulse_check(
	const struct apsp_pulse *pulse, int64_t limit_ms, struct apsp_err *err);

#endif
