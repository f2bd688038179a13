/*
 * One connection: its socket, its client and its present request. connections.c
 * keeps the connections in an array; api/http reads the members.
 */
#ifndef APSP_API_CONNECTION_CONNECTION_H
#define APSP_API_CONNECTION_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "api/connection/framing.h"
#include "api/connection/pace.h"
#include "daemon/base/budget.h"

#define APSP_NO_DEADLINE INT64_MAX

struct MHD_Connection;
struct apsp_connections;
struct apsp_request;
struct apsp_upward;

/* A client's address without its port. The number of open connections of one
   peer is limited. Clients of unix sockets have no addresses, so they all count
   as one peer. Only this peer has no limit of its own. */
struct apsp_peer {
	sa_family_t family;  /* AF_INET, AF_INET6 or AF_UNIX */
	uint8_t address[16]; /* unused bytes are 0, such as the last 12 bytes of
				an IPv4 address */
};

struct apsp_connection {
	int fd; /* the socket; -1: this element of the array is free */
	struct apsp_peer peer;
	struct apsp_connections *connections;
	struct MHD_Connection *connection; /* libmicrohttpd's connection */

	/* Whether the daemon itself made this connection, for its child
	   process. Requests of such a connection need no token. They are
	   allowed to change graphs even if this daemon follows another daemon.
	   The value never changes. */
	bool trusted;

	/* Only the thread of libmicrohttpd that serves the connection uses the
	   following members. */
	struct apsp_framing framing;
	const struct apsp_upward *upward; /* borrowed */
	/* a request that api/http has begun and that libmicrohttpd's callbacks
	   will continue; owned by api/http; NULL: there is no such request */
	struct apsp_request *offered;
	uint64_t n_begun; /* number of requests whose request line libmicrohttpd
			     has read */
	uint64_t n_completed; /* number of requests that libmicrohttpd has
				 completed */
	bool ended; /* libmicrohttpd gets no further bytes, because a byte was
		       refused or the stream has ended */
	/* the id of the present request, in the request's memory; NULL:
	   libmicrohttpd has begun no request */
	const char *request_id;
	struct apsp_err refusal; /* the refusal that ended the present request;
				    code 0: no refusal */
	/*
	 * number of answers that were sent without libmicrohttpd since the
	 * kernel last reported an empty send buffer. After an answer by
	 * libmicrohttpd, this is UNASKED_MAX, so that the kernel is asked
	 * before the next answer without libmicrohttpd (api/http/reply.c)
	 */
	unsigned int n_unasked;
	size_t unasked_bytes; /* total size, in bytes, of the answers that
				 n_unasked counts */

	/* Any thread may use the following members. */
	struct apsp_holder holder; /* the owner of the present request's shares
				      of budgets (daemon/base/budget.h) */
	struct apsp_pace pace; /* speed at which the client reads the answer or
				  sends the body */
	/* time at which we began to wait for a request's head; 0: we do not
	   wait for a head. We wait for the first head from the time when the
	   connection is accepted. We wait for a later head from its first byte
	   on, but not before the previous request has ended */
	_Atomic int64_t head_since_ns;
	/* time at which the previous request ended or, if no request has ended
	   yet, at which the connection was accepted */
	_Atomic int64_t idle_since_ns;
	_Atomic int64_t deadline_ns;
	/* time at which the present answer began; 0: there is no answer yet. If
	   the connection must be ended while this answer is being sent, the
	   connection is reset */
	_Atomic int64_t replying_since_ns;
	atomic_bool asked;   /* the connection has had a request */
	atomic_bool linger;  /* close the socket only after a while, because the
				client may still be sending */
	atomic_bool gone;    /* the client has closed its sending half */
	atomic_bool yielded; /* another client got this client's share of a
				budget (daemon/base/budget.h) before the answer
				to this client's request began */

	/* The lock of connections.c protects the following members. */
	bool started; /* libmicrohttpd has the socket, so we may shut the socket
			 down */
	bool busy;    /* a request is under way */
	bool closing; /* the socket was shut down, so the connection does not
			 count as open */
	bool late; /* the socket was shut down because a deadline had passed */
};

/*
 * Reset the connection, so that its client cannot mistake a part of an answer
 * for the whole. A unix socket is shut down instead.
 */
void apsp_connection_reset(struct apsp_connection *conn);

/*
 * The rank of a connection for eviction. If a new connection would exceed the
 * limit of connections, an old connection of the lowest rank is closed
 * (api/connection/README.md, Idle connections are evicted).
 */
enum apsp_eviction_rank {
	APSP_EVICT_SILENT,  /* the connection was accepted at least 10 ms ago,
			       and has had no request */
	APSP_EVICT_RESTING, /* no request was under way in the last second */
	APSP_EVICT_SLOW,    /* the client reads its answer more slowly than
			       pace.stated_rate */
	APSP_EVICT_PAUSE,   /* no request is under way */
	APSP_EVICT_READING, /* the client has been reading the present answer
			       for at least a second */
	APSP_EVICT_NEVER,
};

struct apsp_eviction {
	enum apsp_eviction_rank rank;
	int64_t order; /* of two connections of the same rank, the one with the
			  lower order is closed first */
};

/*
 * Returns the connection's rank and order for eviction. The caller holds the
 * lock of connections.c.
 */
struct apsp_eviction apsp_connection_eviction(
	const struct apsp_connection *conn, int64_t now_ns);

#endif
