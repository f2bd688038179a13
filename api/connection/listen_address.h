/*
 * The address of --listen, parsed and checked before a socket is opened: by
 * listen.c, which listens there, and by apspd --check, which only checks it.
 */
#ifndef APSP_API_CONNECTION_LISTEN_ADDRESS_H
#define APSP_API_CONNECTION_LISTEN_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
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
 * Read "ADDR:PORT" or "unix:PATH". ADDR is a numeric IPv4 or [IPv6] address or
 * localhost. APSP_EMALFORMED: spec is neither. APSP_EFORBIDDEN: as
 * apsp_listen_address_check(). Messages are whole sentences for the user.
 */
int apsp_listen_address_parse(const char *spec, bool any_address,
	union apsp_listen_address *out, struct apsp_err *err);

/*
 * Check that we may listen there: always on loopback and unix sockets,
 * elsewhere only with any_address. text names the address in the message.
 * APSP_EFORBIDDEN.
 */
int apsp_listen_address_check(const union apsp_listen_address *a,
	const char *text, bool any_address, struct apsp_err *err);

/* The size of the address for bind() and connect(). */
socklen_t apsp_listen_address_size(const union apsp_listen_address *a);

/*
 * The group of --socket-group; (gid_t)-1, the process's group, if name is NULL.
 * Not thread-safe. APSP_EMALFORMED: there is no such group.
 */
int apsp_listen_group(const char *name, gid_t *out, struct apsp_err *err);

#endif
