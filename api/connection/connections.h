/*
 * Who is connected, and until when: one slot a connection, from accept to the
 * closed-notification. libmicrohttpd's own timeout is for silence only, and a
 * client that sends a byte now and then would stay for ever; we shut its socket
 * down when its deadline has passed (api/connection/README.md, We accept,
 * libmicrohttpd serves). Where all places are taken, a connection without a
 * request makes room (api/connection/README.md, Idle connections make room).
 * How many there may be is in server_limits.c.
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

#include "api/connection/inflow.h"
#include "api/connection/pace.h"
#include "api/connection/peer.h"
#include "api/connection/server_limits.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"

#define APSP_NO_DEADLINE INT64_MAX

struct apsp_connections;
struct apsp_connection;

struct apsp_connections_counts {
	uint32_t max_open; /* fewer than the limit where descriptors are few */
	uint32_t n_open;
	uint32_t n_busy; /* of these: a request is under way */
	/* since the start: */
	uint64_t n_taken;   /* that libmicrohttpd got */
	uint64_t n_refused; /* for want of a place */
	uint64_t n_evicted; /* closed to make room */
	uint64_t n_late;    /* closed past a deadline */
	uint64_t n_yielded; /* ended for what they held (apsp_holder) */
};

/*
 * limits is borrowed until apsp_connections_free(), which the caller ends it
 * with. APSP_ENOMEM.
 */
int apsp_connections_new(const struct apsp_server_limits *limits,
	struct apsp_connections **out, struct apsp_err *err);
void apsp_connections_free(struct apsp_connections *connections);

/*
 * Have at most so many connections, those that are being closed included,
 * before the first is admitted. Returns whether these are fewer than were
 * allowed.
 */
bool apsp_connections_lower(
	struct apsp_connections *connections, uint32_t most);

/*
 * Whether a slot is free. There are more slots than connections may be, for
 * those that are being closed; false means that they are all still closing.
 */
bool apsp_connections_have_slot(struct apsp_connections *connections);

/*
 * A slot for an accepted socket, before libmicrohttpd has it; the client's
 * address says whose places count. Past the limit of all connections, or of the
 * address', another one is closed first, as spare.h ranks them, or reset, if it
 * has a part of its answer. NULL: none can go, or there is no slot.
 *
 * A slot that still holds this descriptor is stale, because libmicrohttpd had
 * no memory and closed it without a notification; the slot is taken over.
 */
struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd,
	const struct sockaddr *address, int64_t now_ns);

/*
 * Close the connection that goes first, as spare.h ranks them, whatever the
 * limits are: no descriptor is left. False: none can go.
 */
bool apsp_connections_make_room(
	struct apsp_connections *connections, int64_t now_ns);

/* libmicrohttpd has taken the socket. NULL: it is not one of ours. */
struct apsp_connection *apsp_connections_started(
	struct apsp_connections *connections, int fd);

/* Free the slot: libmicrohttpd has done with the socket, or did not take it. */
void apsp_connections_closed(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* A request begins, a request ends, on the connection. */
void apsp_connections_begin(
	struct apsp_connections *connections, struct apsp_connection *conn);
void apsp_connections_end(struct apsp_connections *connections,
	struct apsp_connection *conn, int64_t now_ns);

/*
 * Whether the request that has begun on a connection may take its time: bring a
 * body, or wait for the pool. False: seven in eight of its peer's places hold
 * requests without an answer so far, which make no room, and the rest is for
 * short questions.
 */
bool apsp_connections_may_last(struct apsp_connections *connections,
	const struct apsp_connection *conn);

/*
 * Instead of these two, for a request that began and ended in one call on the
 * connection's thread. Takes no lock: for other threads the connection was idle
 * all the time.
 */
void apsp_connection_served(
	struct apsp_connection *conn, int64_t now_ns, int64_t deadline_ns);

/* Any thread; takes no lock. */
void apsp_connection_set_deadline(
	struct apsp_connection *conn, int64_t deadline_ns);
bool apsp_connection_is_unix(const struct apsp_connection *conn);
/* The client's address, borrowed. */
const struct apsp_peer *apsp_connection_peer(
	const struct apsp_connection *conn);
int apsp_connection_fd(const struct apsp_connection *conn);

/* The request's answer begins to be sent. It is cut off only by a reset. */
void apsp_connection_set_replying(struct apsp_connection *conn, int64_t now_ns);

/*
 * Reset the connection, so that its client cannot take what it has got for the
 * whole answer. On the connection's thread. A unix socket ends as if closed.
 */
void apsp_connection_reset(struct apsp_connection *conn);

/* Whether the client has closed its sending half. Any thread. */
bool apsp_connection_is_gone(const struct apsp_connection *conn);

/* How fast its client takes the present answer or sends the present body. */
struct apsp_pace *apsp_connection_pace(struct apsp_connection *conn);

/*
 * The connection as the holder of shares, from the begin to the end of its
 * request: slow below limits.yield_rate. One that yields is reset if its answer
 * has begun; else its client is answered 503.
 */
struct apsp_holder *apsp_connection_holder(struct apsp_connection *conn);

/* Whether it has yielded, so that the present request has its answer. */
bool apsp_connection_has_yielded(const struct apsp_connection *conn);

/* What comes in on it; lives as long as the connection. */
struct apsp_inflow *apsp_connection_inflow(struct apsp_connection *conn);
struct apsp_connection *apsp_connection_of(struct apsp_inflow *inflow);

/*
 * Whether the connection is closed in two steps, because its client may still
 * be sending (api/connection/accept.h).
 */
void apsp_connection_set_linger(struct apsp_connection *conn);
bool apsp_connection_linger(const struct apsp_connection *conn);

/*
 * End the connections past their deadline, and make libmicrohttpd notice the
 * clients that have gone. Returns the number of connections.
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
