/*
 * Signs of life of one thread, which the watchdog (daemon/service_manager.h)
 * checks. The thread calls apsp_pulse_beat() in each turn of its loop, and
 * sleeps no longer than the period if it is watched. Before a call that may
 * take long for a good reason (a commit on a slow disk), it states how long,
 * and counts as alive until then.
 */
#ifndef APSP_DAEMON_BASE_PULSE_H
#define APSP_DAEMON_BASE_PULSE_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_pulse {
	const char *name; /* of the thread, for messages; borrowed */
	int period_ms;	  /* the longest sleep; 0: it is not watched */
	/* time of the last beat, or the stated end of a long call */
	_Atomic int64_t alive_ms;
};

/* Call it before the thread starts, which counts as alive from then on. */
void apsp_pulse_init(struct apsp_pulse *pulse, const char *name, int period_ms);

/* The calling thread shows that it lives; ends a time of apsp_pulse_allow(). */
void apsp_pulse_beat(struct apsp_pulse *pulse);

/* The calling thread may be silent for ms from now on. */
void apsp_pulse_allow(struct apsp_pulse *pulse, int64_t ms);

/*
 * How long the thread may sleep if it wants to sleep timeout_ms (-1: for ever).
 */
int apsp_pulse_nap_ms(const struct apsp_pulse *pulse, int timeout_ms);

/*
 * Any thread. APSP_ESTALLED: the thread has been silent for more than limit_ms
 * after its last beat or stated time.
 */
int apsp_pulse_check(
	const struct apsp_pulse *pulse, int64_t limit_ms, struct apsp_err *err);

#endif
