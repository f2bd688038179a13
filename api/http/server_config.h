/*
 * The configuration of the HTTP server. All pointers are borrowed until the
 * server stops.
 */
#ifndef APSP_API_HTTP_SERVER_CONFIG_H
#define APSP_API_HTTP_SERVER_CONFIG_H

#include <stddef.h>

#include "daemon/base/limits.h"
#include "daemon/base/settings.h"

struct apsp_budget;
struct apsp_follower;
struct apsp_route;
struct apsp_snapshot_map;
struct apsp_store;
struct apsp_tokens;
struct apsp_worker;

struct apsp_server_config {
	const struct apsp_route
		*routes; /* table of routes; its last row has no pattern */
	struct apsp_store *store;	  /* used only by handlers */
	struct apsp_snapshot_map *graphs; /* snapshots of the graphs in `store`;
					     used only by handlers */
	struct apsp_worker *worker;	  /* used only by handlers */
	struct apsp_follower *follower;	  /* used only by handlers; NULL: the
					     daemon follows no other daemon */
	struct apsp_budget *answers; /* memory budget that all answers share;
					NULL: no limit */
	/* The reason why the daemon cannot answer requests about graphs; NULL:
	   it can answer them. If there is a reason, all requests that need a
	   token are refused with this error, and `store`, `graphs` and `worker`
	   are NULL. Borrowed. */
	const struct apsp_err *refusal;
	const int *listeners; /* descriptors of sockets that are bound,
				 listening and non-blocking */
	size_t n_listeners;
	const struct apsp_settings *settings;
	struct apsp_tokens *tokens; /* valid tokens; NULL: requests need none */
	const char *version;
	/* names of the algorithms, then NULL. If this pointer is NULL, there is
	   no list. */
	const char *const *algorithms;
	/* names of the algorithms that need the length 1 for every arc, then
	   NULL. If this pointer is NULL, there is no list. */
	const char *const *hops_only;
	/* names of the algorithms that compute no widest paths, then NULL. If
	   this pointer is NULL, there is no list. */
	const char *const *shortest_only;
	struct apsp_limits limits;
	int beat_ms; /* longest sleep of a watched thread, which shows a sign of
			life after each sleep; 0: no thread is watched */
};

#endif
