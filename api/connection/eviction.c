/*
 * The rank of a connection, by how long it has been idle and by the pace of its
 * client; see eviction.h.
 */
#include "api/connection/eviction.h"

#include "api/connection/connection.h"

enum {
	SPEAKING_MS = 10,
	RESTING_MS = 1000,
	READING_MS = 1000,
	PACE_MS = 10, /* of waiting for a client, before it counts as slow */
};

static bool has_lasted(int64_t since_ns, int64_t now_ns, int ms)
{
	return since_ns + (int64_t)ms * 1000000 <= now_ns;
}

struct apsp_eviction apsp_eviction_judge(
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
	rate = apsp_pace_rate_after(
		&conn->pace, now_ns, (int64_t)PACE_MS * 1000000);
	if (rate < conn->pace.stated_rate)
		return (struct apsp_eviction){APSP_EVICT_SLOW, rate};
	if (has_lasted(conn->replying_since_ns, now_ns, READING_MS))
		return (struct apsp_eviction){
			APSP_EVICT_READING, conn->replying_since_ns};
	return (struct apsp_eviction){APSP_EVICT_NEVER, 0};
}

bool apsp_eviction_before(
	const struct apsp_eviction *one, const struct apsp_eviction *other)
{
	if (one->rank != other->rank)
		return one->rank < other->rank;
	return one->order < other->order;
}
