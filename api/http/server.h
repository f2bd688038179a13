/*
 * The HTTP server: libmicrohttpd serves connections that we accept
 * (api/connection/README.md, We accept, libmicrohttpd serves).
 */
#ifndef APSP_API_HTTP_SERVER_H
#define APSP_API_HTTP_SERVER_H

#include <stdint.h>

#include "api/http/server_config.h"
#include "daemon/base/err.h"

struct apsp_server;

/*
 * Start the server. *config is copied, but its pointers are borrowed. The
 * caller ends *out with apsp_server_stop(). APSP_EMALFORMED: errors of
 * apsp_guard_settings(). APSP_EIO, APSP_ENOMEM.
 */
int apsp_server_start(const struct apsp_server_config *config,
	struct apsp_server **out, struct apsp_err *err);

/*
 * Stop the server: accept no more connections, resume the waits for jobs,
 * finish the requests under way within drain_ms, close all connections, and
 * free the server.
 */
void apsp_server_stop(struct apsp_server *server, unsigned int drain_ms);

/*
 * Check that the accept thread and libmicrohttpd's threads have given signs of
 * life within limit_ms (daemon/README.md, The watchdog asks every loop).
 * APSP_ESTALLED: one has not. Any thread.
 */
int apsp_server_alive(const struct apsp_server *server, int64_t limit_ms,
	struct apsp_err *err);

/* Resume the requests that wait for a job, because the job's state has
   changed. Any thread. */
void apsp_server_job_changed(struct apsp_server *server, uint64_t job);

/* Store a job's progress. Requests that wait until the job has progressed by a
   step are resumed soon. Any thread. */
void apsp_server_job_progressed(
	struct apsp_server *server, uint64_t job, double progress);

#endif
