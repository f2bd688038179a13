/*
 * Which process listens on an address, as /proc tells it.
 */
#ifndef APSP_DAEMON_SOCKET_HOLDER_H
#define APSP_DAEMON_SOCKET_HOLDER_H

#include <stddef.h>

#include "api/connection/listen_address.h"

/*
 * Write "nginx (process 812)", or "another program" where nobody may know: the
 * descriptors of other users' processes are root's to see. fd is connected to
 * the address, or -1.
 */
void apsp_socket_holder(const union apsp_listen_address *address, int fd,
	char *out, size_t size);

#endif
