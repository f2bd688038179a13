/*
 * The accept loop, which waits in poll(2).
 *
 * A refused client may still be sending. If we closed the socket while it has
 * unread bytes, the kernel would send a reset, which might overtake the
 * refusal. So we first shut down only the sending half of our socket, then read
 * and drop the bytes that arrive, and close the socket after a while.
 */
#include "api/connection/accept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "api/connection/connections.h"
#include "api/connection/inflow.h"
#include "api/connection/suspended.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/pulse.h"

enum {
	TICK_MS = 50,
	ACCEPTS_AT_ONCE = 64,
	PAUSE_MS = 100, /* pause before we accept again, if no descriptor was
			   free */
	CLOSING_MS = 5, /* pause before we accept again, if an evicted
			   connection will soon free a slot or a descriptor */
	/* largest number of unsent bytes that the kernel keeps for a
	   connection. By default the kernel keeps megabytes, so 512 clients
	   that do not read would need gigabytes */
	UNSENT_BYTES = 32768,
	/* largest number of descriptors that are reserved for files, so that
	   connections cannot use them */
	FILES_LEFT = 32,
	/* at most 1 / FILES_PART of all descriptors that the process is allowed
	   to have is reserved for files */
	FILES_PART = 4,
	LOG_AGAIN_S = 3600, /* shortest time between two log lines about missing
			       descriptors */
	LINGER_MAX = 64,    /* largest number of lingering sockets; when another
			       socket is added, the oldest one is closed */
	LINGER_MS = 2000,
};

/* The socket of a refused client. The accept loop owns this socket. The
   socket's sending half is already shut down. */
struct lingering {
	int fd;
	int64_t until_ns;
};

struct apsp_acceptor {
	struct apsp_acceptor_parts parts;
	pthread_t thread;
	struct apsp_pulse pulse;
	int wake_fds[2];   /* a pipe; wake() writes to it, and the accept thread
			      reads from it */
	atomic_bool quiet; /* new connections are no longer accepted */
	atomic_bool stop;
	pthread_mutex_t accepting; /* held while connections are accepted */
	/* Only the accept thread uses the following members. */
	struct lingering lingering[LINGER_MAX]; /* sorted by age, the oldest
						   first */
	size_t n_lingering;
	int64_t paused_until_ns; /* no connection is accepted before this time,
				    because no descriptor or no slot was free */
	int fd_limit; /* descriptors below this number are for connections; all
			 others are for files */
	int64_t logged_short_ns; /* time at which a lack of descriptors was last
				    logged; 0: never */
	struct pollfd *polls;
};

/* Wake the accept thread, and pass it the socket `fd` of a refused client. If
   `fd` is -1, no socket is passed. */
static void wake(struct apsp_acceptor *acceptor, int fd)
{
	ssize_t n = write(acceptor->wake_fds[1], &fd, sizeof(fd));

	/* if the pipe is full, the accept thread does not get `fd`, so close
	   `fd` here. The thread wakes anyway, because the pipe has bytes */
	if (n != sizeof(fd) && fd >= 0)
		close(fd);
}

void apsp_acceptor_linger(struct apsp_acceptor *acceptor, int fd)
{
	wake(acceptor, fd);
}

/* Close the lingering socket at index `at`. The other sockets keep their
   order. */
static void linger_end(struct apsp_acceptor *acceptor, size_t at)
{
	struct lingering *all = acceptor->lingering;

	close(all[at].fd);
	acceptor->n_lingering--;
	memmove(all + at, all + at + 1,
		(acceptor->n_lingering - at) * sizeof(*all));
}

static void linger(struct apsp_acceptor *acceptor, int fd)
{
	if (acceptor->n_lingering == LINGER_MAX)
		linger_end(acceptor, 0);
	acceptor->lingering[acceptor->n_lingering++] = (struct lingering){
		fd, apsp_clock_ns() + (int64_t)LINGER_MS * 1000000};
}

/* Read and drop the bytes that have arrived. Returns false if the client has
   closed its sending half, or if the socket has failed. */
static bool drop_input(int fd)
{
	char buffer[16384];

	for (int i = 0; i < 16; i++) {
		ssize_t n = recv(fd, buffer, sizeof(buffer), MSG_DONTWAIT);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		if (n == 0)
			return false;
	}
	return true;
}

/* Read and drop the bytes that refused clients send. Close each socket whose
   client has closed its sending half, and each socket that has lingered for
   LINGER_MS. */
static void linger_tend(struct apsp_acceptor *acceptor, int64_t now_ns)
{
	for (size_t i = acceptor->n_lingering; i-- > 0;) {
		if (acceptor->lingering[i].until_ns <= now_ns ||
			!drop_input(acceptor->lingering[i].fd))
			linger_end(acceptor, i);
	}
}

/* Empty the pipe that wakes this thread, and take over the sockets that other
   threads have sent through the pipe. */
static void wakes_read(struct apsp_acceptor *acceptor)
{
	int fd;

	while (read(acceptor->wake_fds[0], &fd, sizeof(fd)) == sizeof(fd))
		if (fd >= 0)
			linger(acceptor, fd);
}

/*
 * Refuse a client: send 503, which fits the send buffer of a new socket. If
 * sending fails, or if the descriptor is reserved for files, close the socket
 * at once. Otherwise close the socket only after a while.
 */
static void refuse(struct apsp_acceptor *acceptor, int fd)
{
	const struct apsp_upward *upward = &acceptor->parts.upward;
	struct apsp_err err;
	int code;

	apsp_fail(&err, APSP_EBUSY, "the limit of connections is reached");
	code = apsp_refusal_send(upward, fd, NULL, &err);
	upward->count(upward->ctx, code);
	if (code == 0 || fd >= acceptor->fd_limit) {
		close(fd);
		return;
	}
	shutdown(fd, SHUT_WR);
	linger(acceptor, fd);
}

static void pause_for(struct apsp_acceptor *acceptor, int64_t ms)
{
	acceptor->paused_until_ns = apsp_clock_ns() + ms * 1000000;
}

/*
 * Evict an idle connection, because no descriptor is left for a new one. Log
 * the lack of descriptors at most once an hour.
 */
static void free_descriptor(struct apsp_acceptor *acceptor, int error)
{
	int64_t now_ns = apsp_clock_ns();
	bool evicted =
		apsp_connections_evict(acceptor->parts.connections, now_ns);

	if (acceptor->logged_short_ns == 0 ||
		now_ns - acceptor->logged_short_ns >
			(int64_t)LOG_AGAIN_S * 1000000000) {
		apsp_log(APSP_LOG_WARNING, "cannot accept a connection: %s",
			strerror(error));
		acceptor->logged_short_ns = now_ns;
	}
	pause_for(acceptor, evicted ? CLOSING_MS : PAUSE_MS);
}

/* Pass a socket to libmicrohttpd, which then owns it. Returns false if a limit
   of connections is reached; the caller then still owns the socket. */
static bool hand_over(struct apsp_acceptor *acceptor, int fd,
	const struct sockaddr *address, socklen_t size, bool trusted)
{
	const struct apsp_acceptor_parts *parts = &acceptor->parts;
	struct apsp_connection *conn;
	int one = 1, unsent = UNSENT_BYTES;

	conn = apsp_connections_admit(
		parts->connections, fd, address, apsp_clock_ns());
	if (!conn)
		return false;
	conn->trusted = trusted;
	if (!apsp_inflow_start(conn, &parts->upward)) {
		apsp_connections_closed(parts->connections, conn);
		return false;
	}
	if (address->sa_family != AF_UNIX) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
			sizeof(unsent));
	}
	/* do not close fd here if MHD_add_connection() fails, because it has
	   closed fd */
	if (MHD_add_connection(parts->daemon, fd, address, size) != MHD_YES)
		apsp_connections_closed(parts->connections, conn);
	return true;
}

void apsp_acceptor_adopt(struct apsp_acceptor *acceptor, int fd)
{
	const struct sockaddr address = {.sa_family = AF_UNIX};

	pthread_mutex_lock(&acceptor->accepting);
	if (atomic_load(&acceptor->quiet) ||
		!hand_over(acceptor, fd, &address, sizeof(address.sa_family),
			true))
		close(fd);
	pthread_mutex_unlock(&acceptor->accepting);
}

/* Accept the connections that wait on one listener. The caller holds
   acceptor->accepting. */
static void accept_some(struct apsp_acceptor *acceptor, int listener)
{
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		struct sockaddr_storage address = {0};
		socklen_t size = sizeof(address);
		int fd;

		if (!apsp_connections_have_slot(acceptor->parts.connections)) {
			/*
			 * no slot is free; pause until evicted connections are
			 * closed, which frees their slots
			 */
			pause_for(acceptor, CLOSING_MS);
			return;
		}
		fd = accept4(listener, (struct sockaddr *)&address, &size,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			if (!hand_over(acceptor, fd,
				    (struct sockaddr *)&address, size, false))
				refuse(acceptor, fd);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			errno == ENOMEM) {
			free_descriptor(acceptor, errno);
			return;
		}
		if (errno != ECONNABORTED && errno != EINTR)
			return;
	}
}

/* Fill acceptor->polls, the array for poll(): first the pipe, then the
   listeners, then the lingering sockets. Returns the number of entries. */
static nfds_t gather(struct apsp_acceptor *acceptor, int64_t now_ns)
{
	const struct apsp_acceptor_parts *parts = &acceptor->parts;
	bool open = !atomic_load(&acceptor->quiet) &&
		    acceptor->paused_until_ns <= now_ns;
	nfds_t n = 0;

	acceptor->polls[n++] =
		(struct pollfd){acceptor->wake_fds[0], POLLIN, 0};
	for (size_t i = 0; i < parts->n_listeners; i++)
		acceptor->polls[n++] = (struct pollfd){
			open ? parts->listeners[i] : -1, POLLIN, 0};
	for (size_t i = 0; i < acceptor->n_lingering; i++)
		acceptor->polls[n++] =
			(struct pollfd){acceptor->lingering[i].fd, POLLIN, 0};
	return n;
}

static void *run(void *arg)
{
	struct apsp_acceptor *acceptor = arg;
	const struct apsp_acceptor_parts *parts = &acceptor->parts;
	bool idle = false; /* no connection is open */

	while (!atomic_load(&acceptor->stop)) {
		int64_t now_ns = apsp_clock_ns();
		int64_t paused_ns = acceptor->paused_until_ns - now_ns;
		nfds_t n = gather(acceptor, now_ns);
		int timeout_ms = TICK_MS;

		if (paused_ns > 0 && paused_ns < TICK_MS * 1000000)
			timeout_ms = (int)(paused_ns / 1000000) + 1;
		else if (paused_ns <= 0 && idle && acceptor->n_lingering == 0)
			timeout_ms = -1; /* no timeout, because nothing has a
					    deadline */
		timeout_ms = apsp_pulse_nap_ms(&acceptor->pulse, timeout_ms);
		apsp_pulse_beat(&acceptor->pulse);
		if (poll(acceptor->polls, n, timeout_ms) < 0 && errno != EINTR)
			apsp_log(APSP_LOG_ERROR, "poll: %s", strerror(errno));
		if (acceptor->polls[0].revents)
			wakes_read(acceptor);
		pthread_mutex_lock(&acceptor->accepting);
		for (size_t i = 0; i < parts->n_listeners &&
				   !atomic_load(&acceptor->quiet);
			i++)
			if (acceptor->polls[1 + i].revents)
				accept_some(acceptor, parts->listeners[i]);
		pthread_mutex_unlock(&acceptor->accepting);
		now_ns = apsp_clock_ns();
		linger_tend(acceptor, now_ns);
		apsp_suspended_expire(parts->suspended, now_ns);
		idle = apsp_connections_sweep(parts->connections, now_ns) == 0;
	}
	return NULL;
}

/*
 * Divide the free descriptors between connections and files: descriptors below
 * acceptor->fd_limit are for connections.
 */
static void descriptors_share(struct apsp_acceptor *acceptor)
{
	struct rlimit files;
	int n_used = acceptor->wake_fds[1]; /* all descriptors below this number
					       are in use, because the pipe got
					       the lowest free descriptors */
	rlim_t left = FILES_LEFT;
	uint32_t most;

	acceptor->fd_limit = INT_MAX;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur > INT_MAX)
		return;
	if (left > files.rlim_cur / FILES_PART)
		left = files.rlim_cur / FILES_PART;
	acceptor->fd_limit = (int)(files.rlim_cur - left);
	most = acceptor->fd_limit > n_used
		       ? (uint32_t)(acceptor->fd_limit - n_used)
		       : 0;
	if (apsp_connections_lower(acceptor->parts.connections, most))
		apsp_log(APSP_LOG_WARNING,
			"the limit of %d open files (ulimit -Hn, LimitNOFILE=) "
			"allows %u connections; when all are in use, idle "
			"connections are closed for new ones",
			(int)files.rlim_cur, most);
}

static void acceptor_free(struct apsp_acceptor *acceptor)
{
	apsp_close(&acceptor->wake_fds[0]);
	apsp_close(&acceptor->wake_fds[1]);
	pthread_mutex_destroy(&acceptor->accepting);
	free(acceptor->polls);
	free(acceptor);
}

int apsp_acceptor_start(const struct apsp_acceptor_parts *parts,
	struct apsp_acceptor **out, struct apsp_err *err)
{
	struct apsp_acceptor *acceptor;
	int r;

	acceptor = calloc(1, sizeof(*acceptor));
	if (!acceptor)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	acceptor->parts = *parts;
	acceptor->polls = calloc(
		1 + parts->n_listeners + LINGER_MAX, sizeof(*acceptor->polls));
	if (pipe2(acceptor->wake_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		acceptor->wake_fds[0] = acceptor->wake_fds[1] = -1;
	pthread_mutex_init(&acceptor->accepting, NULL);
	apsp_pulse_init(&acceptor->pulse, "accept thread", parts->beat_ms);
	/* set *out now, because threads that serve connections may use *out
	   before this function returns */
	*out = acceptor;
	if (acceptor->wake_fds[0] >= 0)
		descriptors_share(acceptor);
	if (!acceptor->polls || acceptor->wake_fds[0] < 0)
		r = errno;
	else
		r = pthread_create(&acceptor->thread, NULL, run, acceptor);
	if (r != 0) {
		*out = NULL;
		acceptor_free(acceptor);
		return apsp_fail_errno(err, r, "start the accept loop");
	}
	pthread_setname_np(acceptor->thread, "accept");
	return 0;
}

int apsp_acceptor_alive(const struct apsp_acceptor *acceptor, int64_t limit_ms,
	struct apsp_err *err)
{
	return apsp_pulse_check(&acceptor->pulse, limit_ms, err);
}

void apsp_acceptor_quiesce(struct apsp_acceptor *acceptor)
{
	atomic_store(&acceptor->quiet, true);
	wake(acceptor, -1);
	/* wait until the accept thread has released this lock, which it holds
	   while it accepts connections */
	pthread_mutex_lock(&acceptor->accepting);
	pthread_mutex_unlock(&acceptor->accepting);
}

void apsp_acceptor_stop(struct apsp_acceptor *acceptor)
{
	if (!acceptor)
		return;
	atomic_store(&acceptor->stop, true);
	wake(acceptor, -1);
	pthread_join(acceptor->thread, NULL);
	wakes_read(acceptor);
	linger_tend(acceptor, INT64_MAX);
	acceptor_free(acceptor);
}
