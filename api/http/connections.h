/*
 * Who is connected, and until when: one slot a connection, from accept to the
 * closed-notification. libmicrohttpd's own timeout is for silence only, and a
 * client that sends a byte now and then would stay for ever; we shut its socket
 * down when its deadline has passed (api/http/README.md, We accept,
 * libmicrohttpd serves).
 *
 * A descriptor is shut down only under the lock that apsp_connections_closed()
 * takes. libmicrohttpd notifies before it closes a descriptor, so we never shut
 * down one that has been closed and reused.
 *
 *	admit → started → (begin → end)* → closed
 */
#ifndef APSP_API_HTTP_CONNECTIONS_H
#define APSP_API_HTTP_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"

#define APSP_NO_DEADLINE INT64_MAX

struct apsp_connections;
struct apsp_connection;

/* APSP_ENOMEM. The caller ends it with apsp_connections_free(). */
int apsp_connections_new(uint32_t max_connections,
	struct apsp_connections **out, struct apsp_err *err);
void apsp_connections_free(struct apsp_connections *connections);

/*
 * A slot for an accepted socket, before libmicrohttpd has it; NULL: the limit
 * is reached. A slot that still holds this descriptor is stale, because
 * libmicrohttpd had no memory and closed it without a notification; the slot is
 * taken over.
 */
struct apsp_connection *apsp_connections_admit(
	struct apsp_connections *connections, int fd, bool is_unix,
	int64_t deadline_ns);

/* Free the slot of a socket that libmicrohttpd did not take. */
void apsp_connections_forget(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* For libmicrohttpd's notifications. started: NULL for an unknown socket. */
struct apsp_connection *apsp_connections_started(
	struct apsp_connections *connections, int fd);
void apsp_connections_closed(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* A request begins, a request ends, on the connection. */
void apsp_connections_begin(
	struct apsp_connections *connections, struct apsp_connection *conn);
void apsp_connections_end(
	struct apsp_connections *connections, struct apsp_connection *conn);

/* Any thread; takes no lock. */
void apsp_connection_set_deadline(
	struct apsp_connection *conn, int64_t deadline_ns);
bool apsp_connection_is_unix(const struct apsp_connection *conn);

/*
 * Whether the connection is closed in two steps, because its client may still
 * be sending (api/http/accept.h).
 */
void apsp_connection_set_linger(struct apsp_connection *conn);
bool apsp_connection_linger(const struct apsp_connection *conn);

/*
 * Shut down the connections past their deadline, and make libmicrohttpd notice
 * the clients that have gone. Returns the number of connections.
 */
uint32_t apsp_connections_sweep(
	struct apsp_connections *connections, int64_t now_ns);

/*
 * Shut down the connections without a request, wait until the others' requests
 * have ended or until_ns has come, shut down the rest.
 */
void apsp_connections_drain(
	struct apsp_connections *connections, int64_t until_ns);

#endif
