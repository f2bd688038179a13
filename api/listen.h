/*
 * Listeners: --listen ADDR:PORT and unix:PATH, and sockets inherited from
 * systemd (LISTEN_FDS).
 */
#ifndef APSP_API_LISTEN_H
#define APSP_API_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/base/err.h"

enum {
	APSP_LISTENERS_MAX = 16,
};

struct apsp_listener {
	int fd;
	bool inherited;
	char address[160]; /* "127.0.0.1:8080", "[::1]:8080", "unix:/run/x" */
};

/*
 * Bind and listen. ADDR is a numeric IPv4 or [IPv6] address or localhost; PORT
 * 0 picks one, and address says which. A unix socket has mode 0660; a stale one
 * (nobody answers) is replaced, a live one is APSP_EIO. An address that is not
 * loopback is APSP_EFORBIDDEN: the daemon has no tokens yet. Messages are whole
 * sentences for the user.
 */
int apsp_listener_open(
	const char *spec, struct apsp_listener *out, struct apsp_err *err);

/*
 * Take over the sockets of LISTEN_FDS/LISTEN_PID, if any, and clear these
 * variables. Each is judged by getsockname() as if it were opened here. Returns
 * how many.
 */
int apsp_listeners_inherit(
	struct apsp_listener *out, size_t max, struct apsp_err *err);

/* Close; unlink a unix socket that we made. */
void apsp_listener_close(struct apsp_listener *listener);

#endif
