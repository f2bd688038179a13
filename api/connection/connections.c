/*
 * Connections and their deadlines in a fixed array of slots: nothing is
 * allocated while serving, and a scan of the array takes a few microseconds.
 */
#include "api/connection/connections.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "api/connection/peer.h"
#include "api/connection/refusal.h"
#include "api/connection/spare.h"
#include "daemon/base/clock.h"

enum {
	LOOK_MS = 100, /* between two looks for clients that have gone */
	N_SPARE = 64,  /* slots for connections that are being closed */
	/* of all places, one in so many is for short questions */
	SHORT_PART = 8,
	/* where descriptors are few: of all, so many are for those that are
	   being closed, and no fewer connections are accepted */
	CLOSING_PART = 4,
	LEAST = 4,
};

struct apsp_connection {
	int fd;		   /* -1: free */
	bool started;	   /* libmicrohttpd has it, and it may be shut down */
	bool busy;	   /* a request is under way */
	atomic_bool asked; /* it has had a request */
	bool closing;	   /* it was shut down to make room */
	bool late;	   /* it was shut down past a deadline */
	struct apsp_peer peer;
	_Atomic int64_t idle_since_ns; /* while it is not busy */
	atomic_bool linger;
	atomic_bool gone;
	_Atomic int64_t deadline_ns;
	_Atomic int64_t replying_since_ns; /* 0: no answer yet */
	struct apsp_connections *connections;
	struct apsp_holder holder;
	struct apsp_pace pace;
	atomic_bool yielded;
	struct apsp_inflow inflow;
};

struct apsp_connections {
	const struct apsp_server_limits *limits;
	pthread_mutex_t lock; /* of all members but the slots' atomics */
	pthread_cond_t ended;
	uint32_t n_slots;
	uint32_t max_used; /* slots */
	uint32_t max_open; /* connections, but for those that are closed */
	uint32_t n_used;
	uint32_t n_busy;
	uint64_t n_taken, n_refused, n_evicted, n_late, n_yielded; /* since the
								  start */
	int64_t look_ns;      /* the next look for clients that have gone */
	struct pollfd *polls; /* n_slots, scratch */
	struct apsp_connection slots[];
};

int apsp_connections_new(const struct apsp_server_limits *limits,
	struct apsp_connections **out, struct apsp_err *err)
{
	size_t n_slots = (size_t)limits->max_connections + N_SPARE;
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

void apsp_connection_reset(struct apsp_connection *conn)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};

	/* disconnects a TCP socket, which sends a reset */
	if (apsp_connection_is_unix(conn) ||
		connect(conn->fd, &none, sizeof(none)) < 0)
		shutdown(conn->fd, SHUT_RDWR);
}

/* With the lock held. libmicrohttpd sees an error or the end, and closes fd. */
static void end(struct apsp_connection *conn)
{
	if (atomic_load(&conn->replying_since_ns) != 0)
		apsp_connection_reset(conn);
	else
		shutdown(conn->fd, SHUT_RDWR);
	apsp_connection_set_deadline(conn, APSP_NO_DEADLINE);
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

/* Whether it counts among those of a peer (NULL: among all). */
static bool is_of(
	const struct apsp_connection *conn, const struct apsp_peer *peer)
{
	return conn->fd >= 0 && !conn->closing &&
	       (!peer || apsp_peer_same(&conn->peer, peer));
}

/* With the lock held: the connections of a peer (NULL: of all). */
static uint32_t count(const struct apsp_connections *connections,
	const struct apsp_peer *peer)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < connections->n_slots; i++)
		n += is_of(&connections->slots[i], peer);
	return n;
}

/* With the lock held: close one of a peer's (NULL: any); false: none can go. */
static bool make_room(struct apsp_connections *connections,
	const struct apsp_peer *peer, int64_t now_ns)
{
	struct apsp_spare lowest = {APSP_SPARE_STAYS, 0};
	struct apsp_connection *first = NULL;

	for (uint32_t i = 0; i < connections->n_slots; i++) {
		struct apsp_connection *conn = &connections->slots[i];
		struct apsp_spare spare;

		if (!is_of(conn, peer) || !conn->started)
			continue;
		spare = apsp_spare_judge(
			&(struct apsp_use){
				.fd = conn->fd,
				.asked = conn->asked,
				.busy = conn->busy,
				.idle_since_ns = conn->idle_since_ns,
				.replying_since_ns = conn->replying_since_ns,
			},
			now_ns);
		if (apsp_spare_before(&spare, &lowest)) {
			first = conn;
			lowest = spare;
		}
	}
	if (!first)
		return false;
	end(first);
	first->closing = true;
	connections->n_evicted++;
	return true;
}

bool apsp_connections_make_room(
	struct apsp_connections *connections, int64_t now_ns)
{
	bool made;

	pthread_mutex_lock(&connections->lock);
	made = make_room(connections, NULL, now_ns);
	pthread_mutex_unlock(&connections->lock);
	return made;
}

static struct apsp_connection *of_holder(const struct apsp_holder *holder)
{
	uintptr_t at = (uintptr_t)holder;

	return (struct apsp_connection *)(at - offsetof(struct apsp_connection,
						       holder));
}

/* As struct apsp_holder says. */
static int64_t holder_pace(const struct apsp_holder *holder)
{
	const struct apsp_connection *conn = of_holder(holder);
	int64_t rate = apsp_pace_rate(&conn->pace, apsp_clock_ns());

	return rate < conn->connections->limits->yield_rate ? rate : INT64_MAX;
}

/* With the lock held: the request has no answer yet, and gets this one. */
static void answer_slow(struct apsp_connection *conn)
{
	const struct apsp_server_limits *limits = conn->connections->limits;
	struct apsp_err err;

	apsp_fail(&err, APSP_EBUSY,
		"the body came at less than %u bytes a second, and others "
		"waited for the place of its request",
		limits->yield_rate);
	if (apsp_refusal_send(conn->inflow.refusals, conn->fd, &err) == 0)
		apsp_connection_reset(conn);
	shutdown(conn->fd, SHUT_RDWR);
}

/* As struct apsp_holder says. */
static void holder_yield(struct apsp_holder *holder)
{
	struct apsp_connection *conn = of_holder(holder);
	struct apsp_connections *connections = conn->connections;

	pthread_mutex_lock(&connections->lock);
	if (conn->started && !conn->closing) {
		if (atomic_load(&conn->replying_since_ns) != 0) {
			end(conn);
		} else {
			answer_slow(conn);
			atomic_store(&conn->yielded, true);
		}
		conn->closing = true;
		connections->n_yielded++;
	}
	pthread_mutex_unlock(&connections->lock);
}

/* With the lock held: whether there is a place for a peer, or one was made. */
static bool has_place(struct apsp_connections *connections,
	const struct apsp_peer *peer, int64_t now_ns)
{
	if (!apsp_peer_is_unix(peer) &&
		count(connections, peer) >=
			connections->limits->max_peer_connections)
		return make_room(connections, peer, now_ns);
	if (count(connections, NULL) >= connections->max_open)
		return make_room(connections, NULL, now_ns);
	return true;
}

bool apsp_connections_may_last(struct apsp_connections *connections,
	const struct apsp_connection *conn)
{
	const struct apsp_server_limits *limits = connections->limits;
	bool is_unix = apsp_connection_is_unix(conn);
	uint32_t n = 0, most;

	pthread_mutex_lock(&connections->lock);
	most = connections->max_open;
	if (!is_unix && limits->max_peer_connections < most)
		most = limits->max_peer_connections;
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		const struct apsp_connection *other = &connections->slots[i];

		n += is_of(other, is_unix ? NULL : &conn->peer) &&
		     other->busy && other->replying_since_ns == 0;
	}
	pthread_mutex_unlock(&connections->lock);
	return n <= most - most / SHORT_PART;
}

static void fill(struct apsp_connections *connections,
	struct apsp_connection *conn, int fd, const struct apsp_peer *peer,
	int64_t now_ns)
{
	conn->fd = fd;
	conn->started = false;
	conn->busy = false;
	conn->asked = false;
	conn->closing = false;
	conn->late = false;
	conn->peer = *peer;
	conn->idle_since_ns = now_ns;
	atomic_store(&conn->linger, false);
	atomic_store(&conn->gone, false);
	atomic_store(&conn->deadline_ns, APSP_NO_DEADLINE);
	atomic_store(&conn->replying_since_ns, 0);
	conn->connections = connections;
	conn->holder = (struct apsp_holder){holder_pace, holder_yield};
	apsp_pace_reset(&conn->pace, connections->limits->yield_rate);
	atomic_store(&conn->yielded, false);
}

struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd,
	const struct sockaddr *address, int64_t now_ns)
{
	const struct apsp_peer peer = apsp_peer_of(address);
	struct apsp_connection *conn;

	pthread_mutex_lock(&connections->lock);
	conn = find(connections, fd);
	if (!conn && has_place(connections, &peer, now_ns)) {
		conn = find(connections, -1);
		if (conn)
			connections->n_used++;
	}
	if (conn)
		fill(connections, conn, fd, &peer, now_ns);
	else
		connections->n_refused++;
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
	apsp_pace_reset(&conn->pace, connections->limits->yield_rate);
	pthread_mutex_unlock(&connections->lock);
}

void apsp_connections_end(struct apsp_connections *connections,
	struct apsp_connection *conn, int64_t now_ns)
{
	pthread_mutex_lock(&connections->lock);
	atomic_store(&conn->replying_since_ns, 0);
	conn->idle_since_ns = now_ns;
	if (conn->busy) {
		conn->busy = false;
		if (--connections->n_busy == 0)
			pthread_cond_broadcast(&connections->ended);
	}
	pthread_mutex_unlock(&connections->lock);
}

void apsp_connection_served(
	struct apsp_connection *conn, int64_t now_ns, int64_t deadline_ns)
{
	atomic_store_explicit(&conn->asked, true, memory_order_relaxed);
	atomic_store_explicit(
		&conn->idle_since_ns, now_ns, memory_order_relaxed);
	apsp_connection_set_deadline(conn, deadline_ns);
}

void apsp_connection_set_deadline(
	struct apsp_connection *conn, int64_t deadline_ns)
{
	atomic_store_explicit(
		&conn->deadline_ns, deadline_ns, memory_order_relaxed);
}

void apsp_connection_set_replying(struct apsp_connection *conn, int64_t now_ns)
{
	atomic_store_explicit(
		&conn->replying_since_ns, now_ns, memory_order_relaxed);
}

bool apsp_connection_is_gone(const struct apsp_connection *conn)
{
	return atomic_load(&conn->gone);
}

struct apsp_pace *apsp_connection_pace(struct apsp_connection *conn)
{
	return &conn->pace;
}

struct apsp_holder *apsp_connection_holder(struct apsp_connection *conn)
{
	return &conn->holder;
}

bool apsp_connection_has_yielded(const struct apsp_connection *conn)
{
	return atomic_load(&conn->yielded);
}

struct apsp_inflow *apsp_connection_inflow(struct apsp_connection *conn)
{
	return &conn->inflow;
}

struct apsp_connection *apsp_connection_of(struct apsp_inflow *inflow)
{
	char *at = (char *)inflow;

	at -= offsetof(struct apsp_connection, inflow);
	return (struct apsp_connection *)(void *)at;
}

int apsp_connection_fd(const struct apsp_connection *conn)
{
	return conn->fd;
}

const struct apsp_peer *apsp_connection_peer(const struct apsp_connection *conn)
{
	return &conn->peer;
}

bool apsp_connection_is_unix(const struct apsp_connection *conn)
{
	return apsp_peer_is_unix(&conn->peer);
}

void apsp_connection_set_linger(struct apsp_connection *conn)
{
	atomic_store(&conn->linger, true);
}

bool apsp_connection_linger(const struct apsp_connection *conn)
{
	return atomic_load(&conn->linger) || conn->inflow.ended;
}

/*
 * With the lock held. libmicrohttpd 0.9.75 stops reading after a short read and
 * waits for epoll's next edge. An end of file that came with the last bytes was
 * part of the edge before, so libmicrohttpd never sees it. shutdown() makes a
 * new edge. It drops no bytes that are still unread, and a client that closed
 * only its sending half still gets its answer.
 */
static void tell_ends_of_file(
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

/* With the lock held. */
static bool is_late(const struct apsp_connections *connections,
	const struct apsp_connection *conn, int64_t now_ns)
{
	const struct apsp_server_limits *limits = connections->limits;
	uint32_t seconds = limits->head_timeout_s < limits->request_timeout_s
				   ? limits->head_timeout_s
				   : limits->request_timeout_s;
	int64_t since_ns = apsp_inflow_head_since(&conn->inflow);

	if (atomic_load(&conn->deadline_ns) <= now_ns)
		return true;
	return !conn->busy && since_ns != 0 &&
	       since_ns + (int64_t)seconds * 1000000000 <= now_ns;
}

uint32_t apsp_connections_sweep(
	struct apsp_connections *connections, int64_t now_ns)
{
	uint32_t n_used;

	pthread_mutex_lock(&connections->lock);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		struct apsp_connection *conn = &connections->slots[i];

		if (!conn->started || !is_late(connections, conn, now_ns))
			continue;
		end(conn);
		if (!conn->late && !conn->closing)
			connections->n_late++;
		conn->late = true;
	}
	tell_ends_of_file(connections, now_ns);
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
