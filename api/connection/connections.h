/*
 * All connections and their deadlines.
 *
 * Each connection has a slot, an element of a fixed array, from the time when
 * we accept the connection until libmicrohttpd reports that it is closed. When
 * a connection's deadline has passed, we shut its socket down. With
 * libmicrohttpd's own timeout alone, a client that sends a byte now and then
 * would stay connected for ever (api/connection/README.md, Accepting
 * connections). If a new connection would exceed a limit of
 * connections, an old connection is evicted (api/connection/README.md, Idle
 * connections are evicted). The limits are in daemon/base/limits.def.
 *
 * A socket is shut down only under the lock that apsp_connections_closed()
 * takes. That function is called before libmicrohttpd closes a descriptor, so
 * we never shut down a descriptor that has been closed and reused.
 *
 * For each connection, the functions are called in this order:
 *
 *	admit → started → (begin → end)* → closed
 */
#ifndef APSP_API_CONNECTION_CONNECTIONS_H
#define APSP_API_CONNECTION_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "api/connection/connection.h"
#include "daemon/base/err.h"
#include "daemon/base/limits.h"

struct apsp_connections_counts {
	uint32_t max_open; /* limit of connections; lower than the configured
			      limit if few descriptors are left */
	uint32_t max_peer_open; /* limit of connections of one address */
	uint32_t n_open;
	uint32_t n_busy; /* connections with a request under way */
	/* counts since the daemon started: */
	uint64_t n_taken;   /* connections passed to libmicrohttpd */
	uint64_t n_refused; /* connections refused because a limit of
			       connections was reached */
	uint64_t n_evicted; /* connections closed to make room for new ones */
	uint64_t n_late; /* connections closed because a deadline had passed */
	uint64_t n_yielded; /* connections ended because the client lost its
			       share of a budget to another client */
};

/*
 * Allocate the slots. The limits are borrowed until the caller ends *out with
 * apsp_connections_free(). APSP_ENOMEM.
 */
int apsp_connections_new(const struct apsp_limits *limits,
	struct apsp_connections **out, struct apsp_err *err);
void apsp_connections_free(struct apsp_connections *connections);

/*
 * Lower the number of slots to `most`, which includes the slots of connections
 * that are being closed. Call this function before the first connection is
 * admitted. Returns whether `most` is lower than the previous number of slots.
 */
bool apsp_connections_lower(
	struct apsp_connections *connections, uint32_t most);

/*
 * Whether a slot is free. Some slots are only for connections that are being
 * closed, so a slot may be free although the limit of connections is reached.
 */
bool apsp_connections_have_slot(struct apsp_connections *connections);

/*
 * Get a slot for an accepted socket, before libmicrohttpd gets the socket. If
 * the limit for the client's address is reached, a connection of this address
 * is evicted first. Otherwise, if the limit of all open connections is reached,
 * a connection of any address is evicted first. struct apsp_eviction says which
 * connection is chosen. The evicted connection is reset if its answer has
 * begun. Returns NULL if no slot is free, or if a limit is reached and no
 * connection can be evicted.
 *
 * If a slot already has this descriptor, that slot is reused. Such a slot is
 * stale: libmicrohttpd had no memory for the slot's connection, and closed this
 * connection without a notification.
 */
struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd,
	const struct sockaddr *address, int64_t now_ns);

/*
 * Evict one connection in order to free its descriptor, even if no limit of
 * connections is reached. Returns false if no connection can be evicted.
 */
bool apsp_connections_evict(
	struct apsp_connections *connections, int64_t now_ns);

/* Record that libmicrohttpd serves this socket from now on. Returns the
   socket's connection; NULL: no slot has this descriptor. */
struct apsp_connection *apsp_connections_started(
	struct apsp_connections *connections, int fd);

/* Free a connection's slot, because libmicrohttpd is about to close the
   connection's socket or has refused this socket. */
void apsp_connections_closed(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* Record that a request begins on a connection. */
void apsp_connections_begin(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* Record that a request on a connection has ended. */
void apsp_connections_end(struct apsp_connections *connections,
	struct apsp_connection *conn, int64_t now_ns);

/*
 * Whether a connection is allowed to have a long request: a request that has a
 * body, or waits for the pool or a job. A connection is never evicted before
 * the answer to its request has begun. Therefore, long requests could occupy
 * all connections that a peer is allowed to have. To prevent this, one in 16 of
 * these connections is reserved for short requests. For a unix socket, one in
 * 16 of all open connections is reserved.
 */
bool apsp_connections_may_last(struct apsp_connections *connections,
	const struct apsp_connection *conn);

/*
 * End the connections whose deadlines have passed, and make libmicrohttpd
 * notice clients that have closed their sending half. Returns the number of all
 * connections, including those that are being closed.
 */
uint32_t apsp_connections_sweep(
	struct apsp_connections *connections, int64_t now_ns);

/* Returns the present counts of connections. Any thread may call this
   function. */
struct apsp_connections_counts apsp_connections_count(
	struct apsp_connections *connections);

/*
 * Shut down the connections that have no request under way. Wait until all
 * requests have ended, but at most until apsp_clock_ns() reaches until_ns. Then
 * end the connections that are left.
 */
void apsp_connections_drain(
	struct apsp_connections *connections, int64_t until_ns);

#endif
