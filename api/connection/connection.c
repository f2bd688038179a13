/*
 * One connection; see connection.h.
 */
#include "api/connection/connection.h"

#include <sys/socket.h>

void apsp_connection_set_deadline(
	struct apsp_connection *conn, int64_t deadline_ns)
{
	atomic_store_explicit(
		&conn->deadline_ns, deadline_ns, memory_order_relaxed);
}

void apsp_connection_served(
	struct apsp_connection *conn, int64_t now_ns, int64_t deadline_ns)
{
	atomic_store_explicit(&conn->asked, true, memory_order_relaxed);
	atomic_store_explicit(
		&conn->idle_since_ns, now_ns, memory_order_relaxed);
	apsp_connection_set_deadline(conn, deadline_ns);
}

void apsp_connection_set_replying(struct apsp_connection *conn, int64_t now_ns)
{
	atomic_store_explicit(
		&conn->replying_since_ns, now_ns, memory_order_relaxed);
}

void apsp_connection_reset(struct apsp_connection *conn)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};

	/* disconnects a TCP socket, which sends a reset */
	if (apsp_peer_is_unix(&conn->peer) ||
		connect(conn->fd, &none, sizeof(none)) < 0)
		shutdown(conn->fd, SHUT_RDWR);
}
