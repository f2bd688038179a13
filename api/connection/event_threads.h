/*
 * Signs of life of libmicrohttpd's threads. Their calls of epoll_wait() reach
 * the epoll_wait() of event_threads.c, which the executable exports: it beats
 * before each wait, and divides long waits (api/connection/README.md, Event
 * threads show signs of life).
 */
#ifndef APSP_API_CONNECTION_EVENT_THREADS_H
#define APSP_API_CONNECTION_EVENT_THREADS_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/pulse.h"

struct apsp_event_threads {
	struct apsp_pulse *pulses; /* owned; NULL: nobody watches */
	unsigned int n;
	atomic_uint n_come; /* threads that have called epoll_wait() and so have
			       a pulse */
};

/*
 * Give a pulse to each of the next n threads that wait for events; to none if
 * period_ms is 0. The caller then starts the threads, while no other server
 * starts, and calls apsp_event_threads_done() when they have ended.
 * APSP_ENOMEM.
 */
int apsp_event_threads_expect(struct apsp_event_threads *out, unsigned int n,
	int period_ms, struct apsp_err *err);

/*
 * Wait until all threads have waited for events. APSP_EIO: they do not, because
 * this libmicrohttpd waits by another call; so they cannot be watched.
 */
int apsp_event_threads_await(
	struct apsp_event_threads *threads, struct apsp_err *err);

/* Check the pulse of every thread, as apsp_pulse_check() does. Any thread. */
int apsp_event_threads_check(const struct apsp_event_threads *threads,
	int64_t limit_ms, struct apsp_err *err);

void apsp_event_threads_done(struct apsp_event_threads *threads);

#endif
