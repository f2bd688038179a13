/*
 * The epoll_wait() that libmicrohttpd calls; see event_threads.h.
 */
#include "api/connection/event_threads.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>

enum {
	COME_MS = 30000, /* longest wait until all threads have called
			    epoll_wait() */
};

/*
 * The event threads of the server that is starting; NULL: no server is
 * starting. This variable is global, because no argument of epoll_wait() leads
 * to the server: libmicrohttpd does not report which epoll descriptors it uses.
 */
static _Atomic(struct apsp_event_threads *) expected;

/* The pulse (daemon/base/pulse.h) of the calling thread. It is set when the
   thread first calls epoll_wait(). NULL: the thread has no pulse. */
static _Thread_local struct apsp_pulse *own_pulse;
static _Thread_local bool has_asked;

int apsp_event_threads_expect(struct apsp_event_threads *out, unsigned int n,
	int period_ms, struct apsp_err *err)
{
	*out = (struct apsp_event_threads){.n = n};
	if (period_ms == 0)
		return 0;
	out->pulses = calloc(n, sizeof(*out->pulses));
	if (!out->pulses)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	for (unsigned int i = 0; i < n; i++)
		apsp_pulse_init(&out->pulses[i], "HTTP thread", period_ms);
	atomic_store(&expected, out);
	return 0;
}

int apsp_event_threads_await(
	struct apsp_event_threads *threads, struct apsp_err *err)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	if (!threads->pulses)
		return 0;
	for (int i = 0;
		i < COME_MS && atomic_load(&threads->n_come) < threads->n; i++)
		nanosleep(&nap, NULL);
	atomic_store(&expected, NULL);
	if (atomic_load(&threads->n_come) < threads->n)
		return apsp_fail(err, APSP_EIO,
			"the HTTP threads cannot be watched: this "
			"libmicrohttpd does not call epoll_wait()");
	return 0;
}

int apsp_event_threads_check(const struct apsp_event_threads *threads,
	int64_t limit_ms, struct apsp_err *err)
{
	int r = 0;

	for (unsigned int i = 0; threads->pulses && i < threads->n && r == 0;
		i++)
		r = apsp_pulse_check(&threads->pulses[i], limit_ms, err);
	return r;
}

void apsp_event_threads_done(struct apsp_event_threads *threads)
{
	struct apsp_event_threads *self = threads;

	atomic_compare_exchange_strong(&expected, &self, NULL);
	free(threads->pulses);
	threads->pulses = NULL;
}

static struct apsp_pulse *pulse_of_thread(void)
{
	struct apsp_event_threads *threads;
	unsigned int i;

	if (has_asked)
		return own_pulse;
	has_asked = true;
	threads = atomic_load(&expected);
	if (!threads)
		return NULL;
	i = atomic_fetch_add(&threads->n_come, 1);
	own_pulse = i < threads->n ? &threads->pulses[i] : NULL;
	return own_pulse;
}

/* Replaces libc's epoll_wait(): gives a sign of life before each wait, and
   divides a long wait into short ones. */
int epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms)
{
	struct apsp_pulse *pulse = pulse_of_thread();

	while (pulse) {
		int nap_ms = apsp_pulse_nap_ms(pulse, timeout_ms), n;

		apsp_pulse_beat(pulse);
		if (nap_ms == timeout_ms)
			break;
		n = epoll_pwait(fd, events, max, nap_ms, NULL);
		if (n != 0)
			return n;
		if (timeout_ms > 0)
			timeout_ms -= nap_ms;
	}
	return epoll_pwait(fd, events, max, timeout_ms, NULL);
}
