/*
 * What the server is started with.
 */
#ifndef APSP_API_HTTP_SERVER_CONFIG_H
#define APSP_API_HTTP_SERVER_CONFIG_H

#include <stddef.h>

#include "api/connection/server_limits.h"
#include "daemon/base/err.h"
#include "daemon/base/log.h"
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
	struct apsp_budget *answers; /* the memory of answers; NULL: no limit */
	const int *listeners; /* bound, listening, non-blocking; the caller's */
	size_t n_listeners;
	const struct apsp_settings *settings; /* borrowed until the stop */
	struct apsp_tokens *tokens; /* the same; NULL: none are asked for */
	const char *version;
	const char *const *algorithms; /* names, NULL-terminated; NULL: none */
	const char *const *hops_only;  /* the algorithms that take hops only */
	struct apsp_server_limits limits;
	int beat_ms; /* how often threads show signs of life; 0: never */
};

/*
 * Copy a configuration with its strings and arrays; routes, settings, tokens,
 * store, worker and answers are borrowed. The caller ends *out with
 * apsp_server_config_done(), after a failure, too. APSP_ENOMEM.
 */
int apsp_server_config_copy(const struct apsp_server_config *config,
	struct apsp_server_config *out, struct apsp_err *err);
void apsp_server_config_done(struct apsp_server_config *config);

/* How urgent the line of a request is: --access-log raises it. */
enum apsp_log_level apsp_server_config_log_level(
	const struct apsp_server_config *config);

#endif
