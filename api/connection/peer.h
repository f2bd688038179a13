/*
 * The peer of a connection, whose places are counted together: the client's
 * address without its port.
 */
#ifndef APSP_API_CONNECTION_PEER_H
#define APSP_API_CONNECTION_PEER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum {
	APSP_PEER_TEXT_SIZE = INET6_ADDRSTRLEN,
};

struct apsp_peer {
	sa_family_t family;
	uint8_t address[16]; /* the rest is 0 */
};

struct apsp_peer apsp_peer_of(const struct sockaddr *address);

/* Clients of unix sockets have no address: all of them are one peer. */
bool apsp_peer_is_unix(const struct apsp_peer *peer);
bool apsp_peer_same(const struct apsp_peer *one, const struct apsp_peer *other);

/* Write the address as text; "unix" for a unix socket. */
void apsp_peer_write(
	const struct apsp_peer *peer, char out[APSP_PEER_TEXT_SIZE]);

#endif
