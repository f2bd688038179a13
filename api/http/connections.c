/*
 * Connections and their deadlines in a fixed array of slots: nothing is
 * allocated while serving, and a scan of the array takes a few microseconds.
 */
#include "api/http/connections.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum {
	LOOK_MS = 100, /* between two looks for clients that have gone */
};

struct apsp_connection {
	int fd;	      /* -1: free */
	bool started; /* libmicrohttpd has it, and it may be shut down */
	bool busy;    /* a request is under way */
	bool is_unix;
	atomic_bool linger;
	_Atomic int64_t deadline_ns;
};

struct apsp_connections {
	pthread_mutex_t lock; /* of all members but the slots' atomics */
	pthread_cond_t ended;
	uint32_t n_slots;
	uint32_t n_used;
	uint32_t n_busy;
	int64_t look_ns;      /* the next look for clients that have gone */
	struct pollfd *polls; /* n_slots, scratch */
	struct apsp_connection slots[];
};

int apsp_connections_new(uint32_t max_connections,
	struct apsp_connections **out, struct apsp_err *err)
{
	pthread_condattr_t attr;
	struct apsp_connections *connections;

	connections = calloc(1,
		sizeof(*connections) + (size_t)max_connections *
					       sizeof(connections->slots[0]));
	if (connections)
		connections->polls =
			calloc(max_connections, sizeof(*connections->polls));
	if (!connections || !connections->polls) {
		free(connections);
		return apsp_fail(err, APSP_ENOMEM, "no memory for connections");
	}
	connections->n_slots = max_connections;
	for (uint32_t i = 0; i < max_connections; i++)
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

struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd, bool is_unix,
	int64_t deadline_ns)
{
	struct apsp_connection *conn;

	pthread_mutex_lock(&connections->lock);
	conn = find(connections, fd);
	if (!conn) {
		conn = find(connections, -1);
		if (conn)
			connections->n_used++;
	}
	if (conn) {
		conn->fd = fd;
		conn->started = false;
		conn->busy = false;
		conn->is_unix = is_unix;
		atomic_store(&conn->linger, false);
		atomic_store(&conn->deadline_ns, deadline_ns);
	}
	pthread_mutex_unlock(&connections->lock);
	return conn;
}

static void release(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	if (conn->busy) {
		connections->n_busy--;
		pthread_cond_broadcast(&connections->ended);
	}
	conn->busy = false;
	conn->started = false;
	conn->fd = -1;
	connections->n_used--;
}

void apsp_connections_forget(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	pthread_mutex_lock(&connections->lock);
	release(connections, conn);
	pthread_mutex_unlock(&connections->lock);
}

struct apsp_connection *apsp_connections_started(
	struct apsp_connections *connections, int fd)
{
	struct apsp_connection *conn;

	pthread_mutex_lock(&connections->lock);
	conn = find(connections, fd);
	if (conn)
		conn->started = true;
	pthread_mutex_unlock(&connections->lock);
	return conn;
}

void apsp_connections_closed(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	apsp_connections_forget(connections, conn);
}

void apsp_connections_begin(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	pthread_mutex_lock(&connections->lock);
	if (!conn->busy)
		connections->n_busy++;
	conn->busy = true;
	pthread_mutex_unlock(&connections->lock);
}

void apsp_connections_end(
	struct apsp_connections *connections, struct apsp_connection *conn)
{
	pthread_mutex_lock(&connections->lock);
	if (conn->busy) {
		conn->busy = false;
		if (--connections->n_busy == 0)
			pthread_cond_broadcast(&connections->ended);
	}
	pthread_mutex_unlock(&connections->lock);
}

void apsp_connection_set_deadline(
	struct apsp_connection *conn, int64_t deadline_ns)
{
	atomic_store_explicit(
		&conn->deadline_ns, deadline_ns, memory_order_relaxed);
}

bool apsp_connection_is_unix(const struct apsp_connection *conn)
{
	return conn->is_unix;
}

void apsp_connection_set_linger(struct apsp_connection *conn)
{
	atomic_store(&conn->linger, true);
}

bool apsp_connection_linger(const struct apsp_connection *conn)
{
	return atomic_load(&conn->linger);
}

/* With the lock held. libmicrohttpd sees the end of file and closes fd. */
static void shut(struct apsp_connection *conn)
{
	shutdown(conn->fd, SHUT_RDWR);
	apsp_connection_set_deadline(conn, APSP_NO_DEADLINE);
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
	nfds_t n = 0;

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
	for (nfds_t i = 0; i < n; i++) {
		if (connections->polls[i].revents & POLLRDHUP)
			shutdown(connections->polls[i].fd, SHUT_RD);
	}
}

uint32_t apsp_connections_sweep(
	struct apsp_connections *connections, int64_t now_ns)
{
	uint32_t n_used;

	pthread_mutex_lock(&connections->lock);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		struct apsp_connection *conn = &connections->slots[i];

		if (conn->started && atomic_load(&conn->deadline_ns) <= now_ns)
			shut(conn);
	}
	tell_ends_of_file(connections, now_ns);
	n_used = connections->n_used;
	pthread_mutex_unlock(&connections->lock);
	return n_used;
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
			shut(&connections->slots[i]);
	}
	while (connections->n_busy > 0 && r == 0)
		r = pthread_cond_timedwait(
			&connections->ended, &connections->lock, &until);
	for (uint32_t i = 0; i < connections->n_slots; i++) {
		if (connections->slots[i].started)
			shut(&connections->slots[i]);
	}
	pthread_mutex_unlock(&connections->lock);
}
