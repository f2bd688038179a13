/*
 * All connections and their deadlines. Each has a slot from accept until
 * libmicrohttpd reports that it is closed. libmicrohttpd's own timeout counts
 * silence only, so a client that sends a byte now and then would stay for ever.
 * So we shut a socket down when its deadline has passed
 * (api/connection/README.md, We accept, libmicrohttpd serves). Where all places
 * are taken, a connection without a request is evicted
 * (api/connection/README.md, Idle connections are evicted). The limits are in
 * daemon/base/limits.def.
 *
 * A descriptor is shut down only under the lock that apsp_connections_closed()
 * takes. libmicrohttpd notifies before it closes a descriptor, so we never shut
 * down one that has been closed and reused.
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
	uint32_t max_open; /* lower than the limit where descriptors are few */
	uint32_t max_peer_open; /* of one address */
	uint32_t n_open;
	uint32_t n_busy; /* open connections with a request under way */
	/* since the start: */
	uint64_t n_taken;   /* passed to libmicrohttpd */
	uint64_t n_refused; /* because no place was free */
	uint64_t n_evicted; /* closed for new ones */
	uint64_t n_late;    /* closed past a deadline */
	uint64_t n_yielded; /* ended because others needed their shares (struct
			       apsp_holder) */
};

/*
 * Allocate the slots. limits is borrowed until apsp_connections_free(), which
 * the caller must call. APSP_ENOMEM.
 */
int apsp_connections_new(const struct apsp_limits *limits,
	struct apsp_connections **out, struct apsp_err *err);
void apsp_connections_free(struct apsp_connections *connections);

/*
 * Have at most so many connections, including those that are being closed. Call
 * it before the first is admitted. Returns whether that is fewer than the
 * limits allow.
 */
bool apsp_connections_lower(
	struct apsp_connections *connections, uint32_t most);

/*
 * Whether a slot is free. There are more slots than places, for connections
 * that are being closed; false means that all slots are taken.
 */
bool apsp_connections_have_slot(struct apsp_connections *connections);

/*
 * Get a slot for an accepted socket, before libmicrohttpd has it. If the limit
 * of all connections, or of the client's address, is reached, another
 * connection is first evicted, by its struct apsp_eviction; it is reset if a
 * part of its answer was sent. NULL: none can be evicted, or there is no slot.
 *
 * A slot that still holds this descriptor is stale, because libmicrohttpd had
 * no memory and closed it without a notification; the slot is used again.
 */
struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd,
	const struct sockaddr *address, int64_t now_ns);

/*
 * Evict one connection whatever the limits are, because no descriptor is left.
 * False: none can be evicted.
 */
bool apsp_connections_evict(
	struct apsp_connections *connections, int64_t now_ns);

/* Mark the connection of a socket that libmicrohttpd has accepted. NULL:
   there is no such connection. */
struct apsp_connection *apsp_connections_started(
	struct apsp_connections *connections, int fd);

/* Free the slot: libmicrohttpd has closed the socket, or did not accept it. */
void apsp_connections_closed(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* Note that a request begins or ends on the connection. */
void apsp_connections_begin(
	struct apsp_connections *connections, struct apsp_connection *conn);
void apsp_connections_end(struct apsp_connections *connections,
	struct apsp_connection *conn, int64_t now_ns);

/*
 * Whether the request that has begun on a connection may last: bring a body, or
 * wait for the pool. False: seven in eight of its peer's places hold requests
 * without an answer, which are never evicted; the other places are for short
 * questions.
 */
bool apsp_connections_may_last(struct apsp_connections *connections,
	const struct apsp_connection *conn);

/*
 * End the connections past their deadline, and make libmicrohttpd notice
 * clients that have closed their sending half. Returns the number of
 * connections.
 */
uint32_t apsp_connections_sweep(
	struct apsp_connections *connections, int64_t now_ns);

/* Any thread. */
struct apsp_connections_counts apsp_connections_count(
	struct apsp_connections *connections);

/*
 * Shut down the connections without a request, wait until the others' requests
 * have ended or until_ns has come, end the rest.
 */
void apsp_connections_drain(
	struct apsp_connections *connections, int64_t until_ns);

#endif
