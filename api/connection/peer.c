/*
 * Addresses of clients; see peer.h.
 */
#include "api/connection/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

struct apsp_peer apsp_peer_of(const struct sockaddr *address)
{
	struct apsp_peer peer = {.family = address->sa_family};

	if (peer.family == AF_INET) {
		struct sockaddr_in v4;

		memcpy(&v4, address, sizeof(v4));
		memcpy(peer.address, &v4.sin_addr, sizeof(v4.sin_addr));
	} else if (peer.family == AF_INET6) {
		struct sockaddr_in6 v6;

		memcpy(&v6, address, sizeof(v6));
		memcpy(peer.address, &v6.sin6_addr, sizeof(v6.sin6_addr));
	}
	return peer;
}

bool apsp_peer_is_unix(const struct apsp_peer *peer)
{
	return peer->family == AF_UNIX;
}

bool apsp_peer_same(const struct apsp_peer *one, const struct apsp_peer *other)
{
	return one->family == other->family &&
	       memcmp(one->address, other->address, sizeof(one->address)) == 0;
}

void apsp_peer_write(
	const struct apsp_peer *peer, char out[APSP_PEER_TEXT_SIZE])
{
	if (peer->family == AF_UNIX || !inet_ntop(peer->family, peer->address,
					       out, APSP_PEER_TEXT_SIZE))
		strcpy(out, "unix");
}
