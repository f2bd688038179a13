/*
 * The HTTP server (api/connection/README.md, We accept, libmicrohttpd serves).
 */
#ifndef APSP_API_HTTP_SERVER_H
#define APSP_API_HTTP_SERVER_H

#include <stdint.h>

#include "api/http/server_config.h"
#include "daemon/base/err.h"

struct apsp_server;

/* Start the server. config is copied, but its pointers are borrowed.
   APSP_EIO, APSP_ENOMEM. */
int apsp_server_start(const struct apsp_server_config *config,
	struct apsp_server **out, struct apsp_err *err);

/*
 * Stop accepting, resume the waits for jobs, answer the requests under way for
 * at most drain_ms, close the other connections, free the server.
 */
void apsp_server_stop(struct apsp_server *server, unsigned int drain_ms);

/*
 * Whether the accept thread and libmicrohttpd's threads have shown a sign of
 * life within limit_ms (daemon/README.md, The watchdog asks every loop).
 * APSP_ESTALLED. Any thread.
 */
int apsp_server_alive(const struct apsp_server *server, int64_t limit_ms,
	struct apsp_err *err);

/* Resume the requests that wait for a job: its state changed. Any thread. */
void apsp_server_job_changed(struct apsp_server *server, uint64_t job);

/* Note a job's progress; requests that wait for it are resumed soon. Any
   thread. */
void apsp_server_job_progressed(
	struct apsp_server *server, uint64_t job, double progress);

#endif
