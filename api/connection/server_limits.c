/*
 * The limits where main sets no others; see server_limits.h.
 */
#include "api/connection/server_limits.h"

const struct apsp_server_limits apsp_server_default_limits = {
	.max_connections = 512,
	.max_peer_connections = 448,
	.max_waiters = 64,
	.request_timeout_s = 30,
	.upload_timeout_s = 3600,
	.head_timeout_s = 10,
	.idle_timeout_s = 60,
	.body_rate_min = 1024,
	.body_grace_s = 30,
	.yield_rate = 1 << 20,
	.max_json_bytes = 65536,
	.max_body_bytes = 16 << 20,
	.max_upload_bytes = (uint64_t)8 << 30,
	.max_inflated_bytes = (uint64_t)64 << 30,
	/* text of zeros packs a thousandfold, and no gzip packs more */
	.max_ratio = 1000,
	.ratio_free_bytes = (uint64_t)64 << 20,
	.upload_cpu_ms = 10000,
	.upload_cpu_rate = 1 << 20,
	.max_arcs = (uint64_t)1 << 31,
	.max_pairs = 100000,
	/* a second or so */
	.max_search_arcs = 20000000,
};
