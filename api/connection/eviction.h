/*
 * Which connection is closed for a new one where all places are taken
 * (api/connection/README.md, Idle connections are evicted).
 */
#ifndef APSP_API_CONNECTION_EVICTION_H
#define APSP_API_CONNECTION_EVICTION_H

#include <stdbool.h>
#include <stdint.h>

struct apsp_connection;

/* A connection of a lower rank is closed first. */
enum apsp_eviction_rank {
	APSP_EVICT_SILENT,  /* it has asked nothing for 10 ms */
	APSP_EVICT_RESTING, /* its last request ended a second ago */
	APSP_EVICT_SLOW,    /* its client reads less than the stated rate */
	APSP_EVICT_PAUSE,   /* it has no request */
	APSP_EVICT_READING, /* its answer has taken a second so far */
	APSP_EVICT_NEVER,
};

struct apsp_eviction {
	enum apsp_eviction_rank rank;
	int64_t order; /* within the rank the lowest is closed first */
};

struct apsp_eviction apsp_eviction_judge(
	const struct apsp_connection *conn, int64_t now_ns);

bool apsp_eviction_before(
	const struct apsp_eviction *one, const struct apsp_eviction *other);

#endif
