/*
 * One connection: its socket, its client, and the request that it has at
 * present. connections.c keeps them in an array; api/http reads the members.
 */
#ifndef APSP_API_CONNECTION_CONNECTION_H
#define APSP_API_CONNECTION_CONNECTION_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "api/connection/framing.h"
#include "api/connection/pace.h"
#include "daemon/base/budget.h"

#define APSP_NO_DEADLINE INT64_MAX

struct apsp_connections;
struct apsp_express;
struct apsp_refusals;

enum {
	APSP_PEER_TEXT_SIZE = INET6_ADDRSTRLEN,
};

/* A client's address without its port. The places of one peer are counted
   together. */
struct apsp_peer {
	sa_family_t family;
	uint8_t address[16]; /* the rest is 0 */
};

struct apsp_peer apsp_peer_of(const struct sockaddr *address);

/* All clients of unix sockets are one peer, because they have no address. */
bool apsp_peer_is_unix(const struct apsp_peer *peer);
bool apsp_peer_same(const struct apsp_peer *one, const struct apsp_peer *other);

/* Write the address as text; "unix" for a unix socket. */
void apsp_peer_write(
	const struct apsp_peer *peer, char out[APSP_PEER_TEXT_SIZE]);

struct apsp_connection {
	int fd; /* -1: the slot is free */
	struct apsp_peer peer;
	struct apsp_connections *connections;

	/* Only the connection's thread of libmicrohttpd uses these. */
	struct apsp_framing framing;
	const struct apsp_refusals *refusals; /* borrowed */
	const struct apsp_express *express;   /* borrowed */
	uint64_t n_begun;     /* requests whose line libmicrohttpd has read */
	uint64_t n_completed; /* requests that libmicrohttpd has completed */
	bool ended;	      /* no more bytes are passed on */
	int refused; /* the refusal that ended the present request; 0: none */
	/* the express answers, and their bytes, that were sent since the
	   kernel last reported an empty send buffer */
	unsigned int n_unasked;
	size_t unasked_bytes;

	/* Any thread. */
	struct apsp_holder holder; /* of the present request's shares */
	struct apsp_pace pace; /* how fast the client reads the answer or sends
				  the body */
	_Atomic int64_t head_since_ns; /* when the incomplete head began; 0:
					  there is none */
	_Atomic int64_t idle_since_ns; /* since when it has had no request */
	_Atomic int64_t deadline_ns;
	/* since when its answer is sent, which only a reset may cut off; 0:
	   there is no answer yet */
	_Atomic int64_t replying_since_ns;
	atomic_bool asked;   /* it has had a request */
	atomic_bool linger;  /* close by a lingering close, because the client
				may be sending */
	atomic_bool gone;    /* the client has closed its sending half */
	atomic_bool yielded; /* another client has its share of a budget */

	/* Protected by the lock of connections.c. */
	bool started; /* libmicrohttpd has it, and it may be shut down */
	bool busy;    /* a request is under way */
	bool closing; /* it was shut down, and no longer counts as a place taken
		       */
	bool late;    /* it was shut down past a deadline */
};

/*
 * Reset the connection, so that its client cannot mistake a part of an answer
 * for the whole. A unix socket is closed instead.
 */
void apsp_connection_reset(struct apsp_connection *conn);

/*
 * Where all places are taken, a connection of the lowest rank is closed for a
 * new one (api/connection/README.md, Idle connections are evicted).
 */
enum apsp_eviction_rank {
	APSP_EVICT_SILENT,  /* it has asked nothing for 10 ms */
	APSP_EVICT_RESTING, /* its last request ended a second ago */
	APSP_EVICT_SLOW,    /* its client reads less than the stated rate */
	APSP_EVICT_PAUSE,   /* it has no request */
	APSP_EVICT_READING, /* its client has been reading its answer for a
			       second */
	APSP_EVICT_NEVER,
};

struct apsp_eviction {
	enum apsp_eviction_rank rank;
	int64_t order; /* within the rank the lowest is closed first */
};

/* With the lock of connections.c held. */
struct apsp_eviction apsp_connection_eviction(
	const struct apsp_connection *conn, int64_t now_ns);

#endif
