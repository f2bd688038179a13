/*
 * Listeners: --listen ADDR:PORT and unix:PATH, and sockets inherited from
 * systemd (LISTEN_FDS).
 */
#ifndef APSP_API_CONNECTION_LISTEN_H
#define APSP_API_CONNECTION_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

struct apsp_listener {
	int fd;
	bool inherited;
	bool open_to_all;  /* an inherited unix socket that anybody may use */
	char address[160]; /* "127.0.0.1:8080", "[::1]:8080", "unix:/run/x" */
};

/*
 * Bind and listen. ADDR is a numeric IPv4 or [IPv6] address or localhost; PORT
 * 0 takes a free port, which out's address names. A unix socket gets mode 0660;
 * a stale socket file, where nobody answers, is replaced. APSP_EIO: another
 * program listens there. APSP_EFORBIDDEN: the address is not loopback, and the
 * daemon has no tokens yet. Messages are whole sentences for the user.
 */
int apsp_listener_open(
	const char *spec, struct apsp_listener *out, struct apsp_err *err);

/*
 * Take over the sockets of LISTEN_FDS/LISTEN_PID, if any, and clear these
 * variables. A socket whose address (getsockname()) could not be opened here is
 * refused. Whether others than its owner and group may connect to a unix socket
 * is told in open_to_all: ours have mode 0660. Returns the number of sockets.
 */
int apsp_listeners_inherit(
	struct apsp_listener *out, size_t max, struct apsp_err *err);

/* Close; also unlink a unix socket that was opened here. */
void apsp_listener_close(struct apsp_listener *listener);

#endif
