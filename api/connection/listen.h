/*
 * Listeners: sockets that we open for --listen ADDR:PORT or --listen unix:PATH,
 * and sockets inherited from systemd (LISTEN_FDS). For apspd --check, an
 * address can be parsed and checked without opening a socket.
 */
#ifndef APSP_API_CONNECTION_LISTEN_H
#define APSP_API_CONNECTION_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

union apsp_listen_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
	struct sockaddr_storage storage;
};

/*
 * Parse "ADDR:PORT" or "unix:PATH". ADDR is a numeric IPv4 or [IPv6] address or
 * localhost. APSP_EMALFORMED: `spec` has neither form. APSP_EFORBIDDEN: the
 * address is neither a unix socket nor loopback, and `any_address` is false.
 * Messages are whole sentences for the user.
 */
int apsp_listen_address_parse(const char *spec, bool any_address,
	union apsp_listen_address *out, struct apsp_err *err);

/* Whether the port is 0, which means any free port. */
bool apsp_listen_address_any_port(const union apsp_listen_address *a);

/* Check that the values of --listen are different addresses. Several values may
   have port 0. Malformed values are skipped. APSP_EMALFORMED: an address is
   repeated. */
int apsp_listen_repeats_check(
	const struct apsp_texts *specs, struct apsp_err *err);

/* Returns the size of the address in bytes, for bind() and connect(). */
socklen_t apsp_listen_address_size(const union apsp_listen_address *a);

/*
 * Look up the group that --socket-group names. If `name` is NULL, *out is
 * (gid_t)-1, which means the process's group. Not thread-safe. APSP_EMALFORMED:
 * there is no such group.
 */
int apsp_listen_group(const char *name, gid_t *out, struct apsp_err *err);

struct apsp_listener {
	int fd;
	bool inherited;
	bool open_to_all; /* every user of this machine can connect to this
			     inherited socket */
	struct stat file; /* status of the socket file that we made; st_ino is 0
			     if we made none */
	char address[160]; /* as text, such as "127.0.0.1:8080", "[::1]:8080" or
			      "unix:/run/x" */
};

/* The addresses that listeners are allowed to have, and the group of unix
   sockets. */
struct apsp_listen_rules {
	bool any_address; /* addresses other than loopback are allowed, too,
			     because requests need tokens */
	const char *socket_group; /* the group of unix sockets; NULL: the
				     process's group */
};

/*
 * Bind a socket to "ADDR:PORT" or "unix:PATH" and listen. PORT 0 means any free
 * port; out->address then has the port that was chosen. A unix socket gets mode
 * 0660 and the group rules->socket_group. A socket file on which no program
 * listens is replaced.
 *
 * APSP_EIO: another program listens at the address. APSP_EFORBIDDEN: the rules
 * do not allow the address. APSP_EMALFORMED: `spec` has neither form, or there
 * is no such group. Messages are whole sentences for the user.
 */
int apsp_listener_open(const char *spec, const struct apsp_listen_rules *rules,
	struct apsp_listener *out, struct apsp_err *err);

/*
 * Use the sockets that systemd has passed, if any (LISTEN_FDS, LISTEN_PID), and
 * clear these two environment variables. Fails if the rules do not allow the
 * address (getsockname()) of a socket. If every user can connect to a unix
 * socket, its open_to_all is set. (Sockets that we open ourselves have mode
 * 0660.) Returns the number of sockets, or a negative code.
 */
int apsp_listeners_inherit(struct apsp_listener *out, size_t max,
	const struct apsp_listen_rules *rules, struct apsp_err *err);

/* Close the listener. If apsp_listener_open() made the listener's socket file,
   unlink this file, unless another program's file has taken its place. */
void apsp_listener_close(struct apsp_listener *listener);

#endif
