/*
 * The accept loop: one thread on all listeners that hands connections to
 * libmicrohttpd (design.md, decision 13), and keeps the server's clock: it
 * reaps connections past their deadline and resumes waiters past theirs.
 *
 * It also sees refused clients off: their answer is sent, our half is closed,
 * and what they still send is read and dropped for a while. Closing at once
 * would make the kernel reset the connection and the client lose its answer.
 */
#ifndef APSP_API_ACCEPT_H
#define APSP_API_ACCEPT_H

#include "daemon/base/err.h"

struct apsp_acceptor;
struct apsp_server;

/* APSP_EIO, APSP_ENOMEM. Everything else in server must be ready. */
int apsp_acceptor_start(struct apsp_server *server, struct apsp_acceptor **out,
	struct apsp_err *err);

/* Stop accepting; the clock goes on. Returns when the last accept is over. */
void apsp_acceptor_quiesce(struct apsp_acceptor *acceptor);

/* End the thread and free. Accepts NULL. */
void apsp_acceptor_stop(struct apsp_acceptor *acceptor);

/* Take a socket over to see it off; its sending half is closed already. */
void apsp_acceptor_linger(struct apsp_acceptor *acceptor, int fd);

#endif
