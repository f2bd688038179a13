/*
 * Connections and their deadlines in a fixed array of slots: no allocation
 * while serving, and a scan of it is a few microseconds.
 */
#include "api/reaper.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

enum {
	LOOK_MS = 100, /* between two looks for clients that have gone */
};

struct apsp_conn {
	int fd;	      /* -1: free */
	bool started; /* libmicrohttpd has it: may be shut down */
	bool busy;    /* a request is under way */
	bool is_unix;
	atomic_bool linger;
	_Atomic int64_t deadline_ns;
};

struct apsp_reaper {
	pthread_mutex_t lock; /* of everything below but the atomics */
	pthread_cond_t ended;
	uint32_t n_slots;
	uint32_t n_used;
	uint32_t n_busy;
	int64_t look_ns;      /* not before then */
	struct pollfd *polls; /* n_slots, scratch */
	struct apsp_conn slots[];
};

int apsp_reaper_new(uint32_t max_connections, struct apsp_reaper **out,
	struct apsp_err *err)
{
	pthread_condattr_t attr;
	struct apsp_reaper *reaper;

	reaper = calloc(1, sizeof(*reaper) + (size_t)max_connections *
						     sizeof(reaper->slots[0]));
	if (reaper)
		reaper->polls = calloc(max_connections, sizeof(*reaper->polls));
	if (!reaper || !reaper->polls) {
		free(reaper);
		return apsp_fail(err, APSP_ENOMEM, "no memory for connections");
	}
	reaper->n_slots = max_connections;
	for (uint32_t i = 0; i < max_connections; i++)
		reaper->slots[i].fd = -1;
	pthread_mutex_init(&reaper->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&reaper->ended, &attr);
	pthread_condattr_destroy(&attr);
	*out = reaper;
	return 0;
}

void apsp_reaper_free(struct apsp_reaper *reaper)
{
	if (!reaper)
		return;
	pthread_cond_destroy(&reaper->ended);
	pthread_mutex_destroy(&reaper->lock);
	free(reaper->polls);
	free(reaper);
}

static struct apsp_conn *find(struct apsp_reaper *reaper, int fd)
{
	for (uint32_t i = 0; i < reaper->n_slots; i++) {
		if (reaper->slots[i].fd == fd)
			return &reaper->slots[i];
	}
	return NULL;
}

struct apsp_conn *apsp_reaper_admit(
	struct apsp_reaper *reaper, int fd, bool is_unix, int64_t deadline_ns)
{
	struct apsp_conn *conn;

	pthread_mutex_lock(&reaper->lock);
	conn = find(reaper, fd);
	if (!conn) {
		conn = find(reaper, -1);
		if (conn)
			reaper->n_used++;
	}
	if (conn) {
		conn->fd = fd;
		conn->started = false;
		conn->busy = false;
		conn->is_unix = is_unix;
		atomic_store(&conn->linger, false);
		atomic_store(&conn->deadline_ns, deadline_ns);
	}
	pthread_mutex_unlock(&reaper->lock);
	return conn;
}

static void release(struct apsp_reaper *reaper, struct apsp_conn *conn)
{
	if (conn->busy) {
		reaper->n_busy--;
		pthread_cond_broadcast(&reaper->ended);
	}
	conn->busy = false;
	conn->started = false;
	conn->fd = -1;
	reaper->n_used--;
}

void apsp_reaper_forget(struct apsp_reaper *reaper, struct apsp_conn *conn)
{
	pthread_mutex_lock(&reaper->lock);
	release(reaper, conn);
	pthread_mutex_unlock(&reaper->lock);
}

struct apsp_conn *apsp_reaper_started(struct apsp_reaper *reaper, int fd)
{
	struct apsp_conn *conn;

	pthread_mutex_lock(&reaper->lock);
	conn = find(reaper, fd);
	if (conn)
		conn->started = true;
	pthread_mutex_unlock(&reaper->lock);
	return conn;
}

void apsp_reaper_closed(struct apsp_reaper *reaper, struct apsp_conn *conn)
{
	apsp_reaper_forget(reaper, conn);
}

void apsp_reaper_begin(struct apsp_reaper *reaper, struct apsp_conn *conn)
{
	pthread_mutex_lock(&reaper->lock);
	if (!conn->busy)
		reaper->n_busy++;
	conn->busy = true;
	pthread_mutex_unlock(&reaper->lock);
}

void apsp_reaper_end(struct apsp_reaper *reaper, struct apsp_conn *conn)
{
	pthread_mutex_lock(&reaper->lock);
	if (conn->busy) {
		conn->busy = false;
		if (--reaper->n_busy == 0)
			pthread_cond_broadcast(&reaper->ended);
	}
	pthread_mutex_unlock(&reaper->lock);
}

void apsp_conn_set_deadline(struct apsp_conn *conn, int64_t deadline_ns)
{
	atomic_store_explicit(
		&conn->deadline_ns, deadline_ns, memory_order_relaxed);
}

bool apsp_conn_is_unix(const struct apsp_conn *conn)
{
	return conn->is_unix;
}

void apsp_conn_set_linger(struct apsp_conn *conn)
{
	atomic_store(&conn->linger, true);
}

bool apsp_conn_linger(const struct apsp_conn *conn)
{
	return atomic_load(&conn->linger);
}

/* With the lock held. libmicrohttpd sees the end of file and closes. */
static void shut(struct apsp_conn *conn)
{
	shutdown(conn->fd, SHUT_RDWR);
	apsp_conn_set_deadline(conn, APSP_NO_DEADLINE);
}

/*
 * With the lock held. libmicrohttpd 0.9.75 takes a short read for the end of
 * what there is, so an end of file that came with the last bytes is not seen:
 * its edge is over. Shutting down the input makes another; what is still
 * unread stays, and a client that closed its side only gets its answer.
 */
static void wake_the_left(struct apsp_reaper *reaper, int64_t now_ns)
{
	nfds_t n = 0;

	if (now_ns < reaper->look_ns || reaper->n_used == 0)
		return;
	reaper->look_ns = now_ns + (int64_t)LOOK_MS * 1000000;
	for (uint32_t i = 0; i < reaper->n_slots; i++) {
		if (reaper->slots[i].started)
			reaper->polls[n++] = (struct pollfd){
				reaper->slots[i].fd, POLLRDHUP, 0};
	}
	if (poll(reaper->polls, n, 0) <= 0)
		return;
	for (nfds_t i = 0; i < n; i++) {
		if (reaper->polls[i].revents & POLLRDHUP)
			shutdown(reaper->polls[i].fd, SHUT_RD);
	}
}

uint32_t apsp_reaper_sweep(struct apsp_reaper *reaper, int64_t now_ns)
{
	uint32_t n_used;

	pthread_mutex_lock(&reaper->lock);
	for (uint32_t i = 0; i < reaper->n_slots; i++) {
		struct apsp_conn *conn = &reaper->slots[i];

		if (conn->started && atomic_load(&conn->deadline_ns) <= now_ns)
			shut(conn);
	}
	wake_the_left(reaper, now_ns);
	n_used = reaper->n_used;
	pthread_mutex_unlock(&reaper->lock);
	return n_used;
}

void apsp_reaper_drain(struct apsp_reaper *reaper, int64_t until_ns)
{
	const struct timespec until = {
		.tv_sec = until_ns / 1000000000,
		.tv_nsec = until_ns % 1000000000,
	};
	int r = 0;

	pthread_mutex_lock(&reaper->lock);
	for (uint32_t i = 0; i < reaper->n_slots; i++) {
		if (reaper->slots[i].started && !reaper->slots[i].busy)
			shut(&reaper->slots[i]);
	}
	while (reaper->n_busy > 0 && r == 0)
		r = pthread_cond_timedwait(
			&reaper->ended, &reaper->lock, &until);
	for (uint32_t i = 0; i < reaper->n_slots; i++) {
		if (reaper->slots[i].started)
			shut(&reaper->slots[i]);
	}
	pthread_mutex_unlock(&reaper->lock);
}
