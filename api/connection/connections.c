/*
 * All connections are in a fixed array of slots, so no memory is allocated for
 * a connection while the daemon serves. A scan of the array takes a few
 * microseconds.
 */
#include "api/connection/connections.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/connection/inflow.h"
#include "daemon/base/clock.h"

enum {
	LOOK_MS = 100,	 /* milliseconds between two searches for clients that
			    have closed their sending half */
	N_CLOSING = 64,	 /* number of additional slots for connections that are
			    being closed */
	SHORT_PART = 16, /* one in SHORT_PART of a peer's connections is
			    reserved for requests that have no body and do not
			    wait for the pool */
	/* if few descriptors are left, one in CLOSING_PART slots is for
	   connections that are being closed */
	CLOSING_PART = 4,
	/* shortest total wait for a client after which the client can lose its
	   share of a budget (daemon/base/budget.h) */
	PACE_LEAST_NS = 1000000000,
	LEAST = 4, /* smallest number of slots, even if fewer descriptors are
		      left */
};

struct apsp_connections {
	const struct apsp_limits *limits;
	pthread_mutex_t lock; /* protects all members except the atomic members
				 of the slots */
	pthread_cond_t ended;
	uint32_t n_slots;
	uint32_t max_used; /* at most this many slots are used at a time */
	uint32_t max_open; /* limit of open connections; connections that are
			      being closed do not count */
	uint32_t n_used;
	uint32_t n_busy;
	/* counts since the daemon started */
	uint64_t n_taken, n_refused, n_evicted, n_late, n_yielded;
	int64_t look_ns; /* time of the next search for clients that have closed
			    their sending half */
	struct pollfd *polls; /* scratch array of n_slots elements */
	struct apsp_connection slots[];
};

static struct apsp_peer peer_of(const struct sockaddr *address)
{
	struct apsp_peer peer = {.family = address->sa_family};

	if (peer.family == AF_INET) {
		struct sockaddr_in v4;

		memcpy(&v4, address, sizeof(v4));
		memcpy(peer.address, &v4.sin_addr, sizeof(v4.sin_addr));
	} else if (peer.family == AF_INET6) {
		struct sockaddr_in6 v6;

		memcpy(&v6, address, sizeof(v6));
		memcpy(peer.address, &v6.sin6_addr, sizeof(v6.sin6_addr));
	}
	return peer;
}

int apsp_connections_new(const struct apsp_limits *limits,
	struct apsp_connections **out, struct apsp_err *err)
{
	size_t n_slots = (size_t)limits->max_connections + N_CLOSING;
	pthread_condattr_t attr;
	struct apsp_connections *connections;

	connections =
		calloc(1, sizeof(*connections) +
				  n_slots * sizeof(struct apsp_connection));
	if (connections)
		connections->polls =
			calloc(n_slots, sizeof(*connections->polls));
	if (!connections || !connections->polls) {
		free(connections);
		return apsp_fail(err, APSP_ENOMEM, "no memory for connections");
	}
	connections->limits = limits;
	connections->n_slots = connections->max_used = (uint32_t)n_slots;
	connections->max_open = limits->max_connections;
	for (uint32_t i = 0; i < n_slots; i++)
		connections->slots[i].fd = -1;
	pthread_mutex_init(&connections->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&connections->ended, &attr);
	pthread_condattr_destroy(&attr);
	*out = connections;
	return 0;
}

void apsp_connections_free(struct apsp_connections *connections)
{
	if (!connections)
		return;
	/* call apsp_inflow_stop() for each connection that libmicrohttpd got
	   shortly before it stopped, because it does not report the end of such
	   a connection */
	for (uint32_t i = 0; i < connections->n_slots; i++)
		if (connections->slots[i].fd >= 0)
			apsp_inflow_stop(connections->slots[i].fd);
	pthread_cond_destroy(&connections->ended);
	pthread_mutex_destroy(&connections->lock);
	free(connections->polls);
	free(connections);
}

static struct apsp_connection *find(
	struct apsp_connections *connections, int fd)
{
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		if (connections->slots[i].fd == fd)
			return &connections->slots[i];
	}
	return NULL;
}

/* Reset a connection if its answer has begun, else shut down its socket.
   libmicrohttpd then sees an error or the end of the stream, and closes the
   socket. The caller holds the lock. */
static void end(struct apsp_connection *conn)
{
	if (atomic_load(&conn->replying_since_ns) != 0)
		apsp_connection_reset(conn);
	else
		shutdown(conn->fd, SHUT_RDWR);
	conn->deadline_ns = APSP_NO_DEADLINE;
}

bool apsp_connections_lower(struct apsp_connections *connections, uint32_t most)
{
	if (most >= connections->max_used)
		return false;
	if (most < LEAST)
		most = LEAST;
	connections->max_used = most;
	connections->max_open = most - most / CLOSING_PART;
	return true;
}

bool apsp_connections_have_slot(struct apsp_connections *connections)
{
	bool have;

	pthread_mutex_lock(&connections->lock);
	have = connections->n_used < connections->max_used;
	pthread_mutex_unlock(&connections->lock);
	return have;
}

/* Whether a slot has an open connection of `peer`, or of any peer if `peer` is
   NULL. */
static bool is_of(
	const struct apsp_connection *conn, const struct apsp_peer *peer)
{
	return conn->fd >= 0 && !conn->closing &&
	       (!peer || (conn->peer.family == peer->family &&
				 memcmp(conn->peer.address, peer->address,
					 sizeof(peer->address)) == 0));
}

/* Returns the number of open connections of `peer`, or of all peers if `peer`
   is NULL. The caller holds the lock. */
static uint32_t count(const struct apsp_connections *connections,
	const struct apsp_peer *peer)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < connections->n_slots; i++)
		n += is_of(&connections->slots[i], peer);
	return n;
}

/* Evict a connection of `peer`, or of any peer if `peer` is NULL. Returns false
   if no connection can be evicted. The caller holds the lock. */
static bool evict(struct apsp_connections *connections,
	const struct apsp_peer *peer, int64_t now_ns)
{
	struct apsp_eviction lowest = {APSP_EVICT_NEVER, 0};
	struct apsp_connection *first = NULL;

	for (uint32_t i = 0; i < connections->n_slots; i++) {
		struct apsp_connection *conn = &connections->slots[i];
		struct apsp_eviction eviction;

		if (!is_of(conn, peer) || !conn->started)
			continue;
		eviction = apsp_connection_eviction(conn, now_ns);
		if (eviction.rank < lowest.rank ||
			(eviction.rank == lowest.rank &&
				eviction.order < lowest.order)) {
			first = conn;
			lowest = eviction;
		}
	}
	if (!first)
		return false;
	end(first);
	first->closing = true;
	connections->n_evicted++;
	return true;
}

bool apsp_connections_evict(
	struct apsp_connections *connections, int64_t now_ns)
{
	bool evicted;

	pthread_mutex_lock(&connections->lock);
	evicted = evict(connections, NULL, now_ns);
	pthread_mutex_unlock(&connections->lock);
	return evicted;
}

/* Returns the connection whose member `holder` is *holder. */
static struct apsp_connection *of_holder(const struct apsp_holder *holder)
{
	uintptr_t at = (uintptr_t)holder;

	return (struct apsp_connection *)(at - offsetof(struct apsp_connection,
						       holder));
}

/* The function pace() of struct apsp_holder: returns the client's bytes per
   second, or INT64_MAX if the client is fast enough to keep its shares of
   budgets. */
static int64_t holder_pace(const struct apsp_holder *holder)
{
	const struct apsp_connection *conn = of_holder(holder);
	int64_t rate =
		apsp_pace_rate(&conn->pace, apsp_clock_ns(), PACE_LEAST_NS);

	return rate < conn->pace.stated_rate ? rate : INT64_MAX;
}

/*
 * The function yield() of struct apsp_holder: end the connection of a client
 * that has lost its share of a budget (daemon/base/budget.h). If the answer has
 * begun, reset the connection. Otherwise shut down the receiving half of the
 * socket: the connection's thread then reads the end of the stream, and sends a
 * refusal (inflow.c).
 */
static void holder_yield(struct apsp_holder *holder)
{
	struct apsp_connection *conn = of_holder(holder);
	struct apsp_connections *connections = conn->connections;

	pthread_mutex_lock(&connections->lock);
	if (conn->started && !conn->closing) {
		if (atomic_load(&conn->replying_since_ns) != 0) {
			end(conn);
		} else {
			atomic_store(&conn->yielded, true);
			shutdown(conn->fd, SHUT_RD);
		}
		conn->closing = true;
		connections->n_yielded++;
	}
	pthread_mutex_unlock(&connections->lock);
}

/* Returns the limit of connections of one address. */
static uint32_t peer_places(const struct apsp_connections *connections)
{
	uint32_t most = connections->limits->max_peer_connections;

	return most < connections->max_open ? most : connections->max_open;
}

/* Find out whether a peer can have one more connection. If a limit is reached,
   evict a connection. Returns false if no connection can be evicted. The caller
   holds the lock. */
static bool has_place(struct apsp_connections *connections,
	const struct apsp_peer *peer, int64_t now_ns)
{
	if (peer->family != AF_UNIX &&
		count(connections, peer) >=
			connections->limits->max_peer_connections)
		return evict(connections, peer, now_ns);
	if (count(connections, NULL) >= connections->max_open)
		return evict(connections, NULL, now_ns);
	return true;
}

bool apsp_connections_may_last(struct apsp_connections *connections,
	const struct apsp_connection *conn)
{
	bool is_unix = conn->peer.family == AF_UNIX;
	uint32_t n = 0, most;

	pthread_mutex_lock(&connections->lock);
	most = is_unix ? connections->max_open : peer_places(connections);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		const struct apsp_connection *other = &connections->slots[i];

		n += is_of(other, is_unix ? NULL : &conn->peer) &&
		     other->busy && other->replying_since_ns == 0;
	}
	pthread_mutex_unlock(&connections->lock);
	return n <= most - most / SHORT_PART;
}

struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd,
	const struct sockaddr *address, int64_t now_ns)
{
	const struct apsp_peer peer = peer_of(address);
	struct apsp_connection *conn;

	pthread_mutex_lock(&connections->lock);
	conn = find(connections, fd);
	if (!conn && has_place(connections, &peer, now_ns)) {
		conn = find(connections, -1);
		if (conn)
			connections->n_used++;
	}
	if (conn) {
		*conn = (struct apsp_connection){
			.fd = fd,
			.peer = peer,
			.connections = connections,
			.holder = {holder_pace, holder_yield},
			.idle_since_ns = now_ns,
			.deadline_ns = APSP_NO_DEADLINE,
			.pace = {.stated_rate =
					 connections->limits->yield_rate},
		};
	} else {
		connections->n_refused++;
	}
	pthread_mutex_unlock(&connections->lock);
	return conn;
}

struct apsp_connection *apsp_connections_started(
	struct apsp_connections *connections, int fd)
{
	struct apsp_connection *conn;

	pthread_mutex_lock(&connections->lock);
	conn = find(connections, fd);
	if (conn) {
		conn->started = true;
		connections->n_taken++;
	}
	pthread_mutex_unlock(&connections->lock);
	return conn;
}

void apsp_connections_closed(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	apsp_inflow_stop(conn->fd);
	pthread_mutex_lock(&connections->lock);
	if (conn->busy) {
		connections->n_busy--;
		pthread_cond_broadcast(&connections->ended);
	}
	conn->busy = false;
	conn->started = false;
	conn->fd = -1;
	connections->n_used--;
	pthread_mutex_unlock(&connections->lock);
}

void apsp_connections_begin(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	pthread_mutex_lock(&connections->lock);
	if (!conn->busy)
		connections->n_busy++;
	conn->busy = true;
	conn->asked = true;
	conn->n_begun++;
	apsp_pace_reset(&conn->pace);
	pthread_mutex_unlock(&connections->lock);
}

void apsp_connections_end(struct apsp_connections *connections,
	struct apsp_connection *conn, int64_t now_ns)
{
	pthread_mutex_lock(&connections->lock);
	conn->n_completed++;
	/* if a part of the next request's head has already come, the client's
	   time for the rest of the head begins now. Until now, the client has
	   waited for us */
	if (conn->head_since_ns != 0)
		conn->head_since_ns = apsp_clock_ns();
	atomic_store(&conn->replying_since_ns, 0);
	conn->idle_since_ns = now_ns;
	if (conn->busy) {
		conn->busy = false;
		if (--connections->n_busy == 0)
			pthread_cond_broadcast(&connections->ended);
	}
	pthread_mutex_unlock(&connections->lock);
}

/*
 * Make libmicrohttpd notice clients that have closed their sending half. The
 * caller holds the lock.
 *
 * libmicrohttpd 0.9.75 stops reading after a short read, and waits until epoll
 * reports the socket again. If the end of the stream came together with the
 * last bytes, epoll has already reported the end, and libmicrohttpd never sees
 * it. shutdown(SHUT_RD) makes epoll report the socket once more. It drops no
 * unread bytes, and the client still gets its answer.
 */
static void report_ends_of_file(
	struct apsp_connections *connections, int64_t now_ns)
{
	nfds_t n = 0, polled = 0;

	if (now_ns < connections->look_ns || connections->n_used == 0)
		return;
	connections->look_ns = now_ns + (int64_t)LOOK_MS * 1000000;
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		if (connections->slots[i].started)
			connections->polls[n++] = (struct pollfd){
				connections->slots[i].fd, POLLRDHUP, 0};
	}
	if (poll(connections->polls, n, 0) <= 0)
		return;
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		struct apsp_connection *conn = &connections->slots[i];

		if (!conn->started)
			continue;
		if (connections->polls[polled++].revents & POLLRDHUP) {
			shutdown(conn->fd, SHUT_RD);
			atomic_store(&conn->gone, true);
		}
	}
}

uint32_t apsp_connections_sweep(
	struct apsp_connections *connections, int64_t now_ns)
{
	const struct apsp_limits *limits = connections->limits;
	uint32_t head_s = limits->head_timeout_s < limits->request_timeout_s
				  ? limits->head_timeout_s
				  : limits->request_timeout_s;
	int64_t head_ns = (int64_t)head_s * 1000000000;
	uint32_t n_used;

	pthread_mutex_lock(&connections->lock);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		struct apsp_connection *conn = &connections->slots[i];
		int64_t since_ns = atomic_load(&conn->head_since_ns);
		bool late_head = !conn->busy && since_ns != 0 &&
				 since_ns + head_ns <= now_ns;

		if (!conn->started ||
			(!late_head &&
				atomic_load(&conn->deadline_ns) > now_ns))
			continue;
		end(conn);
		if (!conn->late && !conn->closing)
			connections->n_late++;
		conn->late = true;
	}
	report_ends_of_file(connections, now_ns);
	n_used = connections->n_used;
	pthread_mutex_unlock(&connections->lock);
	return n_used;
}

struct apsp_connections_counts apsp_connections_count(
	struct apsp_connections *connections)
{
	struct apsp_connections_counts counts;

	pthread_mutex_lock(&connections->lock);
	counts = (struct apsp_connections_counts){
		.max_open = connections->max_open,
		.max_peer_open = peer_places(connections),
		.n_open = connections->n_used,
		.n_busy = connections->n_busy,
		.n_taken = connections->n_taken,
		.n_refused = connections->n_refused,
		.n_evicted = connections->n_evicted,
		.n_late = connections->n_late,
		.n_yielded = connections->n_yielded,
	};
	pthread_mutex_unlock(&connections->lock);
	return counts;
}

void apsp_connections_drain(
	struct apsp_connections *connections, int64_t until_ns)
{
	const struct timespec until = {
		.tv_sec = until_ns / 1000000000,
		.tv_nsec = until_ns % 1000000000,
	};
	int r = 0;

	pthread_mutex_lock(&connections->lock);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		if (connections->slots[i].started &&
			!connections->slots[i].busy)
			end(&connections->slots[i]);
	}
	while (connections->n_busy > 0 && r == 0)
		r = pthread_cond_timedwait(
			&connections->ended, &connections->lock, &until);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		if (connections->slots[i].started)
			end(&connections->slots[i]);
	}
	pthread_mutex_unlock(&connections->lock);
}
