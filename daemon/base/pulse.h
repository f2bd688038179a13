/*
 * Signs of life of one thread, which the watchdog (daemon/service_manager.h)
 * checks. The thread calls apsp_pulse_beat() in each iteration of its loop. A
 * watched thread never sleeps longer than period_ms. Some calls may take long
 * for a good reason, such as a commit on a slow disk. Before such a call, the
 * thread states how long the call may take, and then counts as alive for that
 * time.
 */
#ifndef APSP_DAEMON_BASE_PULSE_H
#define APSP_DAEMON_BASE_PULSE_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"

struct apsp_pulse {
	const char *name; /* name of the thread, for messages; borrowed */
	/* longest sleep of the thread; 0: the thread is not watched */
	int period_ms;
	/* time of the last sign of life, or the stated end of a long call */
	_Atomic int64_t alive_ms;
};

/* Call this before the thread starts. The thread counts as alive from this call
   on. */
void apsp_pulse_init(struct apsp_pulse *pulse, const char *name, int period_ms);

/* Record that the calling thread is alive. If apsp_pulse_allow() has allowed a
   time of silence, this call ends it. */
void apsp_pulse_beat(struct apsp_pulse *pulse);

/* State that the calling thread may be silent for `ms` milliseconds from now
   on. */
void apsp_pulse_allow(struct apsp_pulse *pulse, int64_t ms);

/* Return for how many milliseconds the thread is allowed to sleep, if it wants
   to sleep for timeout_ms milliseconds. In timeout_ms and in the result, -1
   means no limit. */
int apsp_pulse_nap_ms(const struct apsp_pulse *pulse, int timeout_ms);

/*
 * Check from any thread whether the pulse's thread is alive. APSP_ESTALLED: the
 * thread has been silent for more than limit_ms since its last sign of life or
 * the end of its stated silence.
 */
int apsp_pulse_check(
	const struct apsp_pulse *pulse, int64_t limit_ms, struct apsp_err *err);

#endif
