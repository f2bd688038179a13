/*
 * The accept loop: one thread that accepts connections on all listeners and
 * passes them to libmicrohttpd (api/connection/README.md, Accepting
 * connections). When the deadline of a connection has passed, the
 * thread shuts the connection down; a suspended connection is resumed instead.
 * The thread also closes the sockets of refused clients.
 */
#ifndef APSP_API_CONNECTION_ACCEPT_H
#define APSP_API_CONNECTION_ACCEPT_H

#include <stddef.h>
#include <stdint.h>

#include "api/connection/answer.h"
#include "daemon/base/err.h"

struct MHD_Daemon;
struct apsp_acceptor;
struct apsp_connections;
struct apsp_suspended;

/* The objects that the accept loop uses. All are borrowed until the loop is
   stopped. */
struct apsp_acceptor_parts {
	struct MHD_Daemon *daemon; /* serves the connections */
	struct apsp_connections *connections;
	struct apsp_suspended *suspended;
	struct apsp_upward upward;
	const int *listeners; /* descriptors of sockets that are bound,
				 listening and non-blocking */
	size_t n_listeners;
	/* longest sleep of the accept thread in ms; it shows a sign of life
	   (daemon/base/pulse.h) after each sleep. 0: the thread is not
	   watched */
	int beat_ms;
};

/*
 * Start the accept thread. *parts is copied. *out is set before the first
 * connection is accepted. The caller ends *out with apsp_acceptor_stop().
 * APSP_ENOMEM. Also fails as apsp_fail_errno() does, if the pipe or the thread
 * cannot be made.
 */
int apsp_acceptor_start(const struct apsp_acceptor_parts *parts,
	struct apsp_acceptor **out, struct apsp_err *err);

/*
 * Serve a unix socket that the daemon itself has made, as a trusted connection
 * (connection.h). The socket is connected and non-blocking. Takes ownership of
 * fd. Closes fd if the loop has stopped accepting connections, or if the limit
 * of connections is reached. Any thread may call this function.
 */
void apsp_acceptor_adopt(struct apsp_acceptor *acceptor, int fd);

/* Stop accepting connections. If the accept thread is accepting connections at
   this moment, wait until it has finished. The thread continues to watch
   deadlines. */
void apsp_acceptor_quiesce(struct apsp_acceptor *acceptor);

/* End the accept thread, and free the acceptor. Accepts NULL. */
void apsp_acceptor_stop(struct apsp_acceptor *acceptor);

/* Check that the accept thread gave a sign of life within the last limit_ms.
   Fails as apsp_pulse_check() does. Any thread may call this function. */
int apsp_acceptor_alive(const struct apsp_acceptor *acceptor, int64_t limit_ms,
	struct apsp_err *err);

/*
 * Take ownership of the socket of a refused client: read and drop the bytes
 * that the client sends, and close the socket after a while. The caller has
 * shut down the socket's sending half. Any thread may call this function.
 */
void apsp_acceptor_linger(struct apsp_acceptor *acceptor, int fd);

#endif
