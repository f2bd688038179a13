/*
 * What the server lets its clients take: connections, waiters, time, bytes. The
 * numbers are in server_limits.c, /v1/info shows them.
 */
#ifndef APSP_API_CONNECTION_SERVER_LIMITS_H
#define APSP_API_CONNECTION_SERVER_LIMITS_H

#include <stdint.h>

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
	/* bytes a second: whose client takes its answer or sends its upload
	   slower gives up what it holds when others wait for it */
	uint32_t yield_rate;
	uint64_t max_json_bytes;     /* JSON that is held whole */
	uint64_t max_body_bytes;     /* batches, which are read as they come */
	uint64_t max_upload_bytes;   /* uploads as sent */
	uint64_t max_inflated_bytes; /* uploads decompressed */
	uint32_t max_ratio;	   /* decompressed bytes for a packed one … */
	uint64_t ratio_free_bytes; /* … past these */
	uint32_t upload_cpu_ms;	   /* processor time of an upload … */
	uint32_t upload_cpu_rate;  /* … and a second for so many bytes */
	uint64_t max_arcs;
	uint32_t max_pairs;	  /* of one batch */
	uint64_t max_search_arcs; /* looked at by one search */
};

/* The limits where main sets no others. */
extern const struct apsp_server_limits apsp_server_default_limits;

#endif
