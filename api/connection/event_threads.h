/*
 * Signs of life of libmicrohttpd's threads. When these threads call
 * epoll_wait(), they reach the epoll_wait() of event_threads.c, which the
 * executable exports. This epoll_wait() gives a sign of life before each wait,
 * and divides a long wait into short ones (api/connection/README.md, Event
 * threads show signs of life).
 */
#ifndef APSP_API_CONNECTION_EVENT_THREADS_H
#define APSP_API_CONNECTION_EVENT_THREADS_H

#include <stdatomic.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/pulse.h"

struct apsp_event_threads {
	struct apsp_pulse *pulses; /* a pulse for each thread of libmicrohttpd;
				      owned; NULL: no thread is watched */
	unsigned int n;
	atomic_uint n_come; /* number of threads that have called epoll_wait(),
			       and so have a pulse */
};

/*
 * Prepare pulses (daemon/base/pulse.h) for the next n threads that call
 * epoll_wait(): the threads of one server. If period_ms is 0, the threads get
 * no pulses. After this call, the caller starts the threads. No other server is
 * allowed to start until apsp_event_threads_await() has returned. When the
 * threads have ended, the caller calls apsp_event_threads_done(). APSP_ENOMEM.
 */
int apsp_event_threads_expect(struct apsp_event_threads *out, unsigned int n,
	int period_ms, struct apsp_err *err);

/* Wait until all threads have called epoll_wait(). APSP_EIO: some threads have
   not called epoll_wait() within 30 s, so they cannot be watched. The likely
   cause is a version of libmicrohttpd that waits in another function. */
int apsp_event_threads_await(
	struct apsp_event_threads *threads, struct apsp_err *err);

/* Check the pulses of all threads in `threads`. Fails as apsp_pulse_check()
   does. May be called on any thread. */
int apsp_event_threads_check(const struct apsp_event_threads *threads,
	int64_t limit_ms, struct apsp_err *err);

void apsp_event_threads_done(struct apsp_event_threads *threads);

#endif
