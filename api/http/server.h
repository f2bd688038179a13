/*
 * The HTTP server: libmicrohttpd serves connections that we accept
 * (api/connection/README.md, Accepting connections).
 */
#ifndef APSP_API_HTTP_SERVER_H
#define APSP_API_HTTP_SERVER_H

#include <stdint.h>

#include "api/http/server_config.h"
#include "daemon/base/err.h"

struct apsp_server;

/*
 * Start the server. *config is copied, but its pointers are borrowed. The
 * caller ends *out with apsp_server_stop(). APSP_ENOMEM. Also fails as
 * apsp_guard_settings(), apsp_work_pool_start(), apsp_dispatch_start() and
 * apsp_acceptor_start() do.
 */
int apsp_server_start(const struct apsp_server_config *config,
	struct apsp_server **out, struct apsp_err *err);

/*
 * Stop the server: accept no more connections, and resume the requests that
 * wait for jobs. Wait at most drain_ms milliseconds until the requests under
 * way have ended. Then close all connections, and free the server.
 */
void apsp_server_stop(struct apsp_server *server, unsigned int drain_ms);

/*
 * Check that the accept thread and libmicrohttpd's threads have given signs of
 * life within the last limit_ms (daemon/README.md, The watchdog asks every
 * loop). APSP_ESTALLED: a thread has given no sign of life. Any thread may call
 * this.
 */
int apsp_server_alive(const struct apsp_server *server, int64_t limit_ms,
	struct apsp_err *err);

/* Serve a connected, non-blocking unix socket as a connection that needs no
   token and may change everything. Takes ownership of fd. Any thread may call
   this function. */
void apsp_server_adopt(struct apsp_server *server, int fd);

/* Resume the requests that wait for this job, because the job's state has
   changed. Any thread may call this function. */
void apsp_server_job_changed(struct apsp_server *server, uint64_t job);

/* Resume the requests that wait for a change of the list of graphs. Any thread
   may call this function. */
void apsp_server_graphs_changed(struct apsp_server *server);

/* Store a job's progress. A request that waits for the job's progress is
   resumed soon after the progress has changed by APSP_JOB_PROGRESS_STEP or
   more. Any thread may call this function. */
void apsp_server_job_progressed(
	struct apsp_server *server, uint64_t job, double progress);

#endif
