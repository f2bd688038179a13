/*
 * The accept loop: one thread on all listeners that passes connections to
 * libmicrohttpd (api/connection/README.md, We accept, libmicrohttpd serves). It
 * also watches the time: it shuts down connections past their deadline, resumes
 * suspended ones past theirs, and closes the sockets of refused clients.
 */
#ifndef APSP_API_CONNECTION_ACCEPT_H
#define APSP_API_CONNECTION_ACCEPT_H

#include <stddef.h>
#include <stdint.h>

#include "api/connection/answer.h"
#include "api/connection/inflow.h"
#include "daemon/base/err.h"

struct MHD_Daemon;
struct apsp_acceptor;
struct apsp_connections;
struct apsp_suspended;

/* The objects that the accept loop uses. All are borrowed until it is
   stopped. */
struct apsp_acceptor_parts {
	struct MHD_Daemon *daemon; /* serves the connections */
	struct apsp_connections *connections;
	struct apsp_suspended *suspended;
	struct apsp_refusals refusals;
	struct apsp_express express;
	const int *listeners; /* bound, listening, non-blocking */
	size_t n_listeners;
	int beat_ms; /* how often the thread shows signs of life; 0: never */
};

/* Start the thread. parts is copied. *out is set before a connection is
   accepted. APSP_EIO, APSP_ENOMEM. */
int apsp_acceptor_start(const struct apsp_acceptor_parts *parts,
	struct apsp_acceptor **out, struct apsp_err *err);

/* Stop accepting connections, and wait for an accept under way. The thread
   goes on to watch deadlines. */
void apsp_acceptor_quiesce(struct apsp_acceptor *acceptor);

/* End the thread and free. Accepts NULL. */
void apsp_acceptor_stop(struct apsp_acceptor *acceptor);

/* Whether the thread has shown a sign of life within limit_ms, as
   apsp_pulse_check() reports. Any thread. */
int apsp_acceptor_alive(const struct apsp_acceptor *acceptor, int64_t limit_ms,
	struct apsp_err *err);

/*
 * Take over the socket of a refused client, whose sending half is closed: drop
 * what the client sends, and close the socket after a while. Any thread.
 */
void apsp_acceptor_linger(struct apsp_acceptor *acceptor, int fd);

#endif
