/*
 * What comes in on a connection, judged before libmicrohttpd reads it. Its
 * calls of recv() reach the recv() of inflow.c, which the executable exports:
 * that reads from the socket, lets the framing read along, and hands on no byte
 * from the first bad one (api/connection/README.md, Bytes are judged first).
 *
 * An inflow belongs to its connection's thread of libmicrohttpd. Only
 * apsp_inflow_start(), which comes before, and apsp_inflow_head_since() are for
 * other threads.
 */
#ifndef APSP_API_CONNECTION_INFLOW_H
#define APSP_API_CONNECTION_INFLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/connection/framing.h"

struct apsp_refusals;

enum {
	/* descriptors from here on get no inflow, and so no connection */
	APSP_INFLOW_FDS = 1 << 16,
};

struct apsp_inflow;

/*
 * Who may answer a request before libmicrohttpd sees it. answer() gets one that
 * came alone and whole, while no other of its connection is under way. True: it
 * has its answer, and libmicrohttpd gets none of its bytes. False: nothing was
 * sent, and libmicrohttpd gets them.
 */
struct apsp_express {
	bool (*answer)(void *ctx, struct apsp_inflow *inflow, const char *bytes,
		size_t size);
	void *ctx;
};

struct apsp_inflow {
	struct apsp_framing framing;
	const struct apsp_refusals *refusals; /* borrowed */
	struct apsp_express express;	      /* answer may be NULL */
	uint64_t n_begun;     /* requests whose line libmicrohttpd has read */
	uint64_t n_completed; /* requests that it has done with */
	bool replied;	      /* to the present request */
	bool ended;	      /* no more bytes are handed on */
	/* what the present request got from us for bad bytes; 0: nothing */
	int refused;
	/* answers past libmicrohttpd, and their bytes, since the kernel said
	   that the client had taken all */
	unsigned int n_unasked;
	size_t unasked_bytes;
	/* when a head that has not ended began; 0: none has */
	_Atomic int64_t head_since_ns;
};

/*
 * Begin to judge what comes in on fd, whose first head counts from now. False:
 * the descriptor's number is too large.
 */
bool apsp_inflow_start(struct apsp_inflow *inflow,
	const struct apsp_refusals *refusals,
	const struct apsp_express *express, int fd);

/* The descriptor will be closed: its number may soon mean another file. */
void apsp_inflow_stop(int fd);

/*
 * The life of a request, as libmicrohttpd tells it: its line was read, a reply
 * is queued, it is completed.
 */
void apsp_inflow_begin(struct apsp_inflow *inflow);
void apsp_inflow_replied(struct apsp_inflow *inflow);
void apsp_inflow_complete(struct apsp_inflow *inflow);

/*
 * Whether the head of the request that has begun was judged and is good. False
 * means that libmicrohttpd sees other requests than we, or reads past recv().
 */
bool apsp_inflow_is_judged(const struct apsp_inflow *inflow);

/*
 * Whether bytes behind the present request were refused, so that its answer is
 * the connection's last.
 */
bool apsp_inflow_is_last(const struct apsp_inflow *inflow);

/* The code of the refusal that ended the present request; 0: none has. */
int apsp_inflow_refused(const struct apsp_inflow *inflow);

/*
 * Whether the socket takes an answer of so many bytes at once, which the caller
 * then sends. The kernel is asked only after a few small ones.
 */
bool apsp_inflow_takes(struct apsp_inflow *inflow, int fd, size_t size);

/* When a head that has not ended began; 0: none has. Any thread. */
int64_t apsp_inflow_head_since(const struct apsp_inflow *inflow);

#endif
