/*
 * What the server is started with.
 */
#ifndef APSP_API_HTTP_SERVER_CONFIG_H
#define APSP_API_HTTP_SERVER_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/settings.h"

struct apsp_route;
struct apsp_store;
struct apsp_worker;

struct apsp_server_limits {
	uint32_t max_connections;      /* past it, an idle one is closed; where
					  none is: 503 */
	uint32_t max_peer_connections; /* the same of one address; unix sockets
					  have none */
	uint32_t max_waiters;	       /* suspended requests */
	uint32_t request_timeout_s;    /* a request without an upload's body */
	uint32_t upload_timeout_s;     /* a whole upload */
	uint32_t head_timeout_s;       /* a request line, from its first byte or
					  from the connection's start */
	uint32_t idle_timeout_s;       /* silence between requests, and in an
					  upload */
	uint32_t body_rate_min;	       /* bytes a second an upload must average
					  after its grace */
	uint32_t body_grace_s;	       /* before body_rate_min counts */
	uint64_t max_json_bytes;       /* JSON that is held whole */
	uint64_t max_body_bytes;     /* batches, which are read as they come */
	uint64_t max_upload_bytes;   /* uploads as sent */
	uint64_t max_inflated_bytes; /* uploads decompressed */
	uint32_t max_ratio;	   /* decompressed bytes for a packed one … */
	uint64_t ratio_free_bytes; /* … past these */
	uint32_t upload_cpu_ms;	   /* processor time of an upload … */
	uint32_t upload_cpu_rate;  /* … and a second for so many bytes */
	uint64_t max_arcs;
	uint32_t max_pairs; /* of one batch */
};

/* The limits where main sets no others. */
extern const struct apsp_server_limits apsp_server_default_limits;

struct apsp_server_config {
	const struct apsp_route *routes; /* the last has no pattern */
	struct apsp_store *store;	 /* for handlers */
	struct apsp_worker *worker;	 /* for handlers */
	const int *listeners; /* bound, listening, non-blocking; the caller's */
	size_t n_listeners;
	const struct apsp_settings *settings; /* borrowed until the stop */
	const char *version;
	const char *const *algorithms; /* names, NULL-terminated; NULL: none */
	const char *const *hops_only;  /* the algorithms that take hops only */
	struct apsp_server_limits limits;
	int beat_ms; /* how often threads show signs of life; 0: never */
};

/*
 * Copy a configuration with its strings and arrays; routes, settings, store
 * and worker are borrowed. The caller ends *out with apsp_server_config_done(),
 * after a failure, too. APSP_ENOMEM.
 */
int apsp_server_config_copy(const struct apsp_server_config *config,
	struct apsp_server_config *out, struct apsp_err *err);
void apsp_server_config_done(struct apsp_server_config *config);

#endif
