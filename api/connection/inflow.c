/*
 * The recv() that libmicrohttpd calls, and what it decides.
 *
 * Exactly one answer for each request: where whole requests come before a bad
 * byte, they are handed on, the last one's answer says "Connection: close", and
 * what is behind it gets none. Else the refusal is sent here, unless the
 * request has its answer already, and libmicrohttpd sees the end of the stream.
 */
#include "api/connection/inflow.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "api/connection/refusal.h"
#include "daemon/base/clock.h"

enum {
	/* far less than any socket takes: asking costs 3 % of a short answer */
	UNASKED_MAX = 8,
	UNASKED_BYTES = 8192,
};

/*
 * The inflow of each descriptor. A mutable global, because recv() is told no
 * more than the descriptor. Written before libmicrohttpd has a socket and
 * before it closes one.
 */
static _Atomic(struct apsp_inflow *) inflows[APSP_INFLOW_FDS];

bool apsp_inflow_start(struct apsp_inflow *inflow,
	const struct apsp_refusals *refusals,
	const struct apsp_express *express, int fd)
{
	if (fd < 0 || fd >= APSP_INFLOW_FDS)
		return false;
	apsp_framing_init(&inflow->framing);
	inflow->refusals = refusals;
	inflow->express = *express;
	inflow->n_begun = 0;
	inflow->n_completed = 0;
	inflow->replied = false;
	inflow->ended = false;
	inflow->refused = 0;
	inflow->n_unasked = 0;
	inflow->unasked_bytes = 0;
	atomic_store(&inflow->head_since_ns, apsp_clock_ns());
	atomic_store(&inflows[fd], inflow);
	return true;
}

void apsp_inflow_stop(int fd)
{
	if (fd >= 0 && fd < APSP_INFLOW_FDS)
		atomic_store(&inflows[fd], NULL);
}

void apsp_inflow_begin(struct apsp_inflow *inflow)
{
	inflow->n_begun++;
	inflow->replied = false;
	inflow->n_unasked = UNASKED_MAX; /* its answer may be of any size */
}

void apsp_inflow_replied(struct apsp_inflow *inflow)
{
	inflow->replied = true;
}

void apsp_inflow_complete(struct apsp_inflow *inflow)
{
	inflow->n_completed++;
	inflow->replied = false;
	/* a head that came behind this request had to wait for us */
	if (apsp_inflow_head_since(inflow) != 0)
		atomic_store_explicit(&inflow->head_since_ns, apsp_clock_ns(),
			memory_order_relaxed);
}

bool apsp_inflow_is_judged(const struct apsp_inflow *inflow)
{
	return inflow->n_begun <= inflow->framing.n_heads;
}

bool apsp_inflow_is_last(const struct apsp_inflow *inflow)
{
	return inflow->ended && inflow->n_begun == inflow->framing.n_requests;
}

int apsp_inflow_refused(const struct apsp_inflow *inflow)
{
	return inflow->refused;
}

bool apsp_inflow_takes(struct apsp_inflow *inflow, int fd, size_t size)
{
	int n_unsent;

	if (inflow->n_unasked >= UNASKED_MAX ||
		inflow->unasked_bytes + size > UNASKED_BYTES) {
		if (ioctl(fd, SIOCOUTQ, &n_unsent) < 0 || n_unsent > 0)
			return false;
		inflow->n_unasked = 0;
		inflow->unasked_bytes = 0;
	}
	inflow->n_unasked++;
	inflow->unasked_bytes += size;
	return true;
}

int64_t apsp_inflow_head_since(const struct apsp_inflow *inflow)
{
	return atomic_load_explicit(
		&inflow->head_since_ns, memory_order_relaxed);
}

/* Keep the time of the first byte of a head, until its last one has come. */
static void keep_time(struct apsp_inflow *inflow)
{
	int64_t since_ns = apsp_inflow_head_since(inflow);
	bool in_head = !inflow->ended && apsp_framing_in_head(&inflow->framing);

	if (in_head && since_ns == 0)
		since_ns = apsp_clock_ns();
	else if (!in_head && since_ns != 0)
		since_ns = 0;
	else
		return;
	atomic_store_explicit(
		&inflow->head_since_ns, since_ns, memory_order_relaxed);
}

/*
 * No byte will come. libmicrohttpd closes a connection at the end of its
 * stream, even while a thread of ours works on the last body: so the end is
 * told when every whole request has its answer.
 */
static ssize_t end_of_stream(const struct apsp_inflow *inflow)
{
	if (inflow->replied ||
		inflow->n_completed == inflow->framing.n_requests)
		return 0;
	errno = EAGAIN;
	return -1;
}

/* Between two requests, of which the first has its answer. */
static bool rests(const struct apsp_inflow *inflow)
{
	const struct apsp_framing *framing = &inflow->framing;

	return framing->n_started == inflow->n_completed &&
	       framing->n_requests == inflow->n_completed;
}

/* Have a request that came alone and whole answered past libmicrohttpd. */
static bool answer(struct apsp_inflow *inflow, const char *bytes, size_t size)
{
	const struct apsp_express *express = &inflow->express;

	if (inflow->framing.n_requests != inflow->n_completed + 1 ||
		!express->answer ||
		!express->answer(express->ctx, inflow, bytes, size))
		return false;
	inflow->n_begun++;
	inflow->n_completed++;
	return true;
}

/* A request that libmicrohttpd has begun is counted when it ends. */
static void refuse(
	struct apsp_inflow *inflow, int fd, const struct apsp_err *err)
{
	const struct apsp_refusals *refusals = inflow->refusals;
	int code = apsp_refusal_send(refusals, fd, err);

	if (inflow->n_begun > inflow->n_completed)
		inflow->refused = code;
	else
		refusals->count(refusals->ctx, code);
}

/*
 * Returns what recv() does for libmicrohttpd. filled: the bytes fill its
 * buffer, so there may be more.
 */
static ssize_t judge(struct apsp_inflow *inflow, int fd, const char *bytes,
	size_t size, bool filled)
{
	bool alone = rests(inflow) && !filled;
	struct apsp_err err;
	size_t whole;
	int r;

	r = apsp_framing_read(&inflow->framing, bytes, size, &whole, &err);
	inflow->ended = r < 0;
	keep_time(inflow);
	if (r == 0 && alone && whole == size && answer(inflow, bytes, size)) {
		/* after a short read the next bytes make a new edge */
		errno = EAGAIN;
		return -1;
	}
	if (r == 0)
		return (ssize_t)size;
	if (whole > 0)
		return (ssize_t)whole;
	if (!inflow->replied &&
		inflow->n_completed == inflow->framing.n_requests)
		refuse(inflow, fd, &err);
	return end_of_stream(inflow);
}

/* Takes the place of libc's; other descriptors than ours are passed through. */
ssize_t recv(int fd, void *buffer, size_t size, int flags)
{
	struct apsp_inflow *inflow = NULL;
	ssize_t n;

	if (fd >= 0 && fd < APSP_INFLOW_FDS)
		inflow = atomic_load_explicit(
			&inflows[fd], memory_order_acquire);
	if (inflow && inflow->ended)
		return end_of_stream(inflow);
	n = recvfrom(fd, buffer, size, flags, NULL, NULL);
	if (inflow && n == 0) {
		inflow->ended = true;
		keep_time(inflow);
		return end_of_stream(inflow);
	}
	if (!inflow || n < 0)
		return n;
	return judge(inflow, fd, buffer, (size_t)n, (size_t)n == size);
}
