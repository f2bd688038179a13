/*
 * Listeners: --listen ADDR:PORT and unix:PATH, and sockets inherited from
 * systemd (LISTEN_FDS). An address can be parsed and checked without opening a
 * socket, for apspd --check.
 */
#ifndef APSP_API_CONNECTION_LISTEN_H
#define APSP_API_CONNECTION_LISTEN_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "daemon/base/err.h"

union apsp_listen_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un un;
	struct sockaddr_storage storage;
};

/*
 * Parse "ADDR:PORT" or "unix:PATH". ADDR is a numeric IPv4 or [IPv6] address or
 * localhost. APSP_EMALFORMED: spec is neither. APSP_EFORBIDDEN: the address is
 * neither a unix socket nor loopback, and any_address is false. Messages are
 * whole sentences for the user.
 */
int apsp_listen_address_parse(const char *spec, bool any_address,
	union apsp_listen_address *out, struct apsp_err *err);

/* The size of the address for bind() and connect(). */
socklen_t apsp_listen_address_size(const union apsp_listen_address *a);

/*
 * The group of --socket-group; (gid_t)-1, the process's group, if name is NULL.
 * Not thread-safe. APSP_EMALFORMED: there is no such group.
 */
int apsp_listen_group(const char *name, gid_t *out, struct apsp_err *err);

struct apsp_listener {
	int fd;
	bool inherited;
	bool open_to_all;  /* an inherited unix socket that anybody may use */
	char address[160]; /* "127.0.0.1:8080", "[::1]:8080", "unix:/run/x" */
};

/* Which listeners are allowed. */
struct apsp_listen_rules {
	bool any_address; /* addresses other than loopback are allowed, because
			     requests need tokens */
	const char *socket_group; /* the group of unix sockets; NULL: the
				     process's group */
};

/*
 * Bind and listen at "ADDR:PORT" or "unix:PATH". PORT 0 means any free port,
 * which out->address then names. A unix socket gets mode
 * 0660 and the rules' group; a socket file where nobody listens is replaced.
 * APSP_EIO: another program listens there. APSP_EFORBIDDEN: the rules do not
 * allow the address. APSP_EMALFORMED: spec, or no such group. Messages are
 * whole sentences for the user.
 */
int apsp_listener_open(const char *spec, const struct apsp_listen_rules *rules,
	struct apsp_listener *out, struct apsp_err *err);

/*
 * Use the sockets of LISTEN_FDS/LISTEN_PID, if any, and clear these variables.
 * A socket is refused if its address (getsockname()) could not be opened here.
 * open_to_all is true for a unix socket to which others than its owner and
 * group may connect; ours have mode 0660. Returns the number of sockets.
 */
int apsp_listeners_inherit(struct apsp_listener *out, size_t max,
	const struct apsp_listen_rules *rules, struct apsp_err *err);

/* Close the listener; also unlink a unix socket that was opened here. */
void apsp_listener_close(struct apsp_listener *listener);

#endif
