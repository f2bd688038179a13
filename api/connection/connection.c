/*
 * One connection; see connection.h.
 */
#include "api/connection/connection.h"

enum {
	SPEAKING_MS = 10,
	RESTING_MS = 1000,
	READING_MS = 1000,
	/* shortest total wait for a client, in ms, after which the client can
	   count as slow */
	PACE_MS = 10,
};

void apsp_connection_reset(struct apsp_connection *conn)
{
	const struct sockaddr none = {.sa_family = AF_UNSPEC};

	/* for a TCP socket, connect() to AF_UNSPEC ends the connection with a
	   reset; a unix socket is only shut down */
	if (conn->peer.family == AF_UNIX ||
		connect(conn->fd, &none, sizeof(none)) < 0)
		shutdown(conn->fd, SHUT_RDWR);
}

static bool has_lasted(int64_t since_ns, int64_t now_ns, int ms)
{
	return since_ns + (int64_t)ms * 1000000 <= now_ns;
}

struct apsp_eviction apsp_connection_eviction(
	const struct apsp_connection *conn, int64_t now_ns)
{
	int64_t rate;

	if (!conn->busy) {
		enum apsp_eviction_rank rank = APSP_EVICT_PAUSE;

		if (has_lasted(conn->idle_since_ns, now_ns, RESTING_MS))
			rank = APSP_EVICT_RESTING;
		if (!conn->asked &&
			has_lasted(conn->idle_since_ns, now_ns, SPEAKING_MS))
			rank = APSP_EVICT_SILENT;
		return (struct apsp_eviction){rank, conn->idle_since_ns};
	}
	if (conn->replying_since_ns == 0)
		return (struct apsp_eviction){APSP_EVICT_NEVER, 0};
	rate = apsp_pace_rate(&conn->pace, now_ns, (int64_t)PACE_MS * 1000000);
	if (rate < conn->pace.stated_rate)
		return (struct apsp_eviction){APSP_EVICT_SLOW, rate};
	if (has_lasted(conn->replying_since_ns, now_ns, READING_MS))
		return (struct apsp_eviction){
			APSP_EVICT_READING, conn->replying_since_ns};
	return (struct apsp_eviction){APSP_EVICT_NEVER, 0};
}
