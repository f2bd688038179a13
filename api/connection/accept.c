/*
 * The accept loop over poll(2).
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
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "api/connection/connections.h"
#include "api/connection/inflow.h"
#include "api/connection/lingerers.h"
#include "api/connection/refusal.h"
#include "api/connection/waiters.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/pulse.h"

enum {
	TICK_MS = 50,
	ACCEPTS_AT_ONCE = 64,
	PAUSE_MS = 100, /* for want of descriptors */
	CLOSING_MS = 5, /* for want of slots */
	/* that the kernel keeps of an answer, besides what is on its way: else
	   512 clients that do not read would have us make gigabytes */
	UNSENT_BYTES = 32768,
	/* descriptors that connections leave to files: so many, or a part of
	   a low limit */
	FILES_LEFT = 32,
	FILES_PART = 4,
	TELL_AGAIN_S = 3600, /* that descriptors are short */
};

struct apsp_acceptor {
	struct apsp_acceptor_parts parts;
	pthread_t thread;
	struct apsp_pulse pulse;
	int wake_fd;
	atomic_bool quiet; /* no more accepts */
	atomic_bool stop;
	pthread_mutex_t accepting; /* held while accepting */
	struct apsp_lingerers lingerers;
	/* What follows is the thread's own. */
	int64_t paused_until_ns; /* no descriptors or no slots are left */
	int fd_limit;		 /* descriptors from here on are for files */
	int64_t told_short_ns;	 /* when that was last logged; 0: never
				  */
	struct pollfd *polls;
};

static void wake(struct apsp_acceptor *acceptor)
{
	uint64_t one = 1;
	ssize_t n = write(acceptor->wake_fd, &one, sizeof(one));

	(void)n; /* a full counter wakes the loop, too */
}

void apsp_acceptor_linger(struct apsp_acceptor *acceptor, int fd)
{
	apsp_lingerers_bring(&acceptor->lingerers, fd);
	wake(acceptor);
}

/*
 * A fresh socket's buffer has room for the answer. One that takes a file's
 * descriptor is not seen off.
 */
static void refuse(struct apsp_acceptor *acceptor, int fd)
{
	const struct apsp_refusals *refusals = &acceptor->parts.refusals;
	struct apsp_err err;
	int code;

	apsp_fail(&err, APSP_EBUSY, "the limit of connections is reached");
	code = apsp_refusal_send(refusals, fd, &err);
	refusals->count(refusals->ctx, code);
	if (code == 0 || fd >= acceptor->fd_limit) {
		close(fd);
		return;
	}
	shutdown(fd, SHUT_WR);
	apsp_lingerers_add(&acceptor->lingerers, fd);
}

static void pause_for(struct apsp_acceptor *acceptor, int64_t ms)
{
	acceptor->paused_until_ns = apsp_clock_ns() + ms * 1000000;
}

/*
 * No descriptor is left: an idle connection makes room, as where places are
 * taken. The log has one line, however long that lasts.
 */
static void spare_descriptor(struct apsp_acceptor *acceptor, int error)
{
	int64_t now_ns = apsp_clock_ns();
	bool made =
		apsp_connections_make_room(acceptor->parts.connections, now_ns);

	if (acceptor->told_short_ns == 0 ||
		now_ns - acceptor->told_short_ns >
			(int64_t)TELL_AGAIN_S * 1000000000)
		apsp_log(APSP_LOG_WARNING, "cannot accept a connection: %s",
			strerror(error));
	acceptor->told_short_ns = now_ns;
	pause_for(acceptor, made ? CLOSING_MS : PAUSE_MS);
}

static void hand_over(struct apsp_acceptor *acceptor, int fd,
	const struct sockaddr *address, socklen_t size)
{
	const struct apsp_acceptor_parts *parts = &acceptor->parts;
	struct apsp_connection *conn;
	int one = 1, unsent = UNSENT_BYTES;

	conn = apsp_connections_admit(
		parts->connections, fd, address, apsp_clock_ns());
	if (conn && !apsp_inflow_start(apsp_connection_inflow(conn),
			    &parts->refusals, &parts->express, fd)) {
		apsp_connections_closed(parts->connections, conn);
		conn = NULL;
	}
	if (!conn) {
		refuse(acceptor, fd);
		return;
	}
	if (address->sa_family != AF_UNIX) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent,
			sizeof(unsent));
	}
	/* a failure closes fd, too */
	if (MHD_add_connection(parts->daemon, fd, address, size) != MHD_YES) {
		apsp_inflow_stop(fd);
		apsp_connections_closed(parts->connections, conn);
	}
}

/* While accepting: take the connections that wait on one listener. */
static void accept_some(struct apsp_acceptor *acceptor, int listener)
{
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		struct sockaddr_storage address = {0};
		socklen_t size = sizeof(address);
		int fd;

		if (!apsp_connections_have_slot(acceptor->parts.connections)) {
			/* those that were shut down will be closed soon */
			pause_for(acceptor, CLOSING_MS);
			return;
		}
		fd = accept4(listener, (struct sockaddr *)&address, &size,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0) {
			hand_over(acceptor, fd, (struct sockaddr *)&address,
				size);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
			errno == ENOMEM) {
			spare_descriptor(acceptor, errno);
			return;
		}
		if (errno != ECONNABORTED && errno != EINTR)
			return;
	}
}

/* Fill the poll set; returns its size. The wake descriptor comes first. */
static nfds_t gather(struct apsp_acceptor *acceptor, int64_t now_ns)
{
	const struct apsp_acceptor_parts *parts = &acceptor->parts;
	bool open = !atomic_load(&acceptor->quiet) &&
		    acceptor->paused_until_ns <= now_ns;
	nfds_t n = 0;

	acceptor->polls[n++] = (struct pollfd){acceptor->wake_fd, POLLIN, 0};
	for (size_t i = 0; i < parts->n_listeners; i++)
		acceptor->polls[n++] = (struct pollfd){
			open ? parts->listeners[i] : -1, POLLIN, 0};
	return n +
	       apsp_lingerers_poll(&acceptor->lingerers, acceptor->polls + n);
}

static void serve(struct apsp_acceptor *acceptor)
{
	const struct apsp_acceptor_parts *parts = &acceptor->parts;

	pthread_mutex_lock(&acceptor->accepting);
	for (size_t i = 0;
		i < parts->n_listeners && !atomic_load(&acceptor->quiet); i++) {
		if (acceptor->polls[1 + i].revents)
			accept_some(acceptor, parts->listeners[i]);
	}
	pthread_mutex_unlock(&acceptor->accepting);
	apsp_lingerers_tend(&acceptor->lingerers, apsp_clock_ns());
}

/* How long to wait; for ever where nothing has a time. */
static int tick_ms(
	const struct apsp_acceptor *acceptor, bool idle, int64_t now_ns)
{
	int64_t paused_ms = (acceptor->paused_until_ns - now_ns) / 1000000 + 1;

	if (acceptor->paused_until_ns > now_ns)
		return paused_ms < TICK_MS ? (int)paused_ms : TICK_MS;
	return idle && acceptor->lingerers.n == 0 ? -1 : TICK_MS;
}

static void *run(void *arg)
{
	struct apsp_acceptor *acceptor = arg;
	const struct apsp_acceptor_parts *parts = &acceptor->parts;
	bool idle = false;

	while (!atomic_load(&acceptor->stop)) {
		int64_t now_ns = apsp_clock_ns();
		uint64_t wakes;
		int timeout_ms;
		nfds_t n;

		n = gather(acceptor, now_ns);
		timeout_ms = apsp_pulse_nap_ms(
			&acceptor->pulse, tick_ms(acceptor, idle, now_ns));
		apsp_pulse_beat(&acceptor->pulse);
		if (poll(acceptor->polls, n, timeout_ms) < 0 && errno != EINTR)
			apsp_log(APSP_LOG_ERROR, "poll: %s", strerror(errno));
		if (acceptor->polls[0].revents &&
			read(acceptor->wake_fd, &wakes, sizeof(wakes)) < 0)
			continue;
		serve(acceptor);
		now_ns = apsp_clock_ns();
		apsp_waiters_expire(parts->waiters, now_ns);
		/* without clients there are no waits and no deadlines */
		idle = apsp_connections_sweep(parts->connections, now_ns) == 0;
	}
	return NULL;
}

/*
 * Leave the descriptors from fd_limit on to files: those below, but for the
 * ones in use by now, are for connections.
 */
static void descriptors_share(struct apsp_acceptor *acceptor)
{
	struct rlimit files;
	int n_used = acceptor->wake_fd; /* the lowest that was free */
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
			"leaves room for %u connections: where they are "
			"taken, idle ones are closed for new ones",
			(int)files.rlim_cur, most);
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
	acceptor->polls = calloc(1 + parts->n_listeners + APSP_LINGERERS_MAX,
		sizeof(*acceptor->polls));
	acceptor->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&acceptor->accepting, NULL);
	apsp_lingerers_init(&acceptor->lingerers);
	apsp_pulse_init(&acceptor->pulse, "accept thread", parts->beat_ms);
	/* first: the threads of what it accepts use it before we return */
	*out = acceptor;
	if (acceptor->wake_fd >= 0)
		descriptors_share(acceptor);
	if (!acceptor->polls || acceptor->wake_fd < 0)
		r = errno;
	else
		r = pthread_create(&acceptor->thread, NULL, run, acceptor);
	if (r != 0) {
		*out = NULL;
		apsp_close(&acceptor->wake_fd);
		pthread_mutex_destroy(&acceptor->accepting);
		apsp_lingerers_done(&acceptor->lingerers);
		free(acceptor->polls);
		free(acceptor);
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
	wake(acceptor);
	/* we get the lock when an accept under way has ended */
	pthread_mutex_lock(&acceptor->accepting);
	pthread_mutex_unlock(&acceptor->accepting);
}

void apsp_acceptor_stop(struct apsp_acceptor *acceptor)
{
	if (!acceptor)
		return;
	atomic_store(&acceptor->stop, true);
	wake(acceptor);
	pthread_join(acceptor->thread, NULL);
	apsp_lingerers_done(&acceptor->lingerers);
	apsp_close(&acceptor->wake_fd);
	pthread_mutex_destroy(&acceptor->accepting);
	free(acceptor->polls);
	free(acceptor);
}
