/*
 * The server's configuration. All pointers are borrowed until the server stops.
 */
#ifndef APSP_API_HTTP_SERVER_CONFIG_H
#define APSP_API_HTTP_SERVER_CONFIG_H

#include <stddef.h>

#include "daemon/base/limits.h"
#include "daemon/base/settings.h"

struct apsp_budget;
struct apsp_route;
struct apsp_store;
struct apsp_tokens;
struct apsp_worker;

struct apsp_server_config {
	const struct apsp_route *routes; /* the last has no pattern */
	struct apsp_store *store;	 /* for handlers */
	struct apsp_worker *worker;	 /* for handlers */
	struct apsp_budget *answers;	 /* their memory; NULL: no limit */
	const int *listeners;		 /* bound, listening, non-blocking */
	size_t n_listeners;
	const struct apsp_settings *settings;
	struct apsp_tokens *tokens; /* NULL: requests need no tokens */
	const char *version;
	const char *const *algorithms; /* names, NULL-terminated; NULL: none */
	const char *const *hops_only;  /* the algorithms for hops only,
					  NULL-terminated; NULL: none */
	struct apsp_limits limits;
	int beat_ms; /* how often threads show signs of life; 0: never */
};

#endif
