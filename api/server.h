/*
 * The HTTP server: our loop accepts on every listener, libmicrohttpd serves
 * (design.md, decisions 12 to 14).
 */
#ifndef APSP_API_SERVER_H
#define APSP_API_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "compute/worker.h"
#include "daemon/base/err.h"
#include "storage/store.h"

struct apsp_server;

struct apsp_server_limits {
	uint32_t max_connections;     /* past it: 503 and closed */
	uint32_t max_waiters;         /* suspended requests */
	uint32_t request_timeout_s;   /* a whole request but an upload's body */
	uint32_t upload_timeout_s;    /* a whole upload */
	uint32_t idle_timeout_s;      /* silence on a connection */
	uint32_t body_rate_min;       /* bytes a second an upload must average
	                                 after its grace */
	uint32_t body_grace_s;        /* before body_rate_min counts */
	uint64_t max_body_bytes;      /* JSON requests */
	uint64_t max_upload_bytes;    /* uploads as sent */
	uint64_t max_inflated_bytes;  /* uploads decompressed */
	uint64_t max_arcs;
	uint32_t max_pairs;           /* of one batch */
};

/* What is used where main sets nothing else. */
extern const struct apsp_server_limits apsp_server_default_limits;

struct apsp_server_config {
	struct apsp_store *store;
	struct apsp_worker *worker;
	const int *listeners; /* bound, listening, non-blocking; the caller's */
	size_t n_listeners;
	const char *const *allowed_hosts; /* besides loopback names */
	size_t n_allowed_hosts;
	unsigned int n_threads;
	const char *version;
	const char *const *algorithms; /* names, NULL-terminated; or NULL */
	const char *const *hops_only;  /* those that take hops only; or NULL */
	struct apsp_server_limits limits;
};

/* What config points to is copied. APSP_EIO, APSP_ENOMEM. */
int apsp_server_start(const struct apsp_server_config *config,
	struct apsp_server **out, struct apsp_err *err);

/*
 * Stop accepting, resume all waiters, answer what is under way for at most
 * drain_ms, close the rest, free the server.
 */
void apsp_server_stop(struct apsp_server *server, unsigned int drain_ms);

/* A job's state or progress moved: those who wait for it look again. */
void apsp_server_job_changed(struct apsp_server *server, uint64_t job);

#endif
