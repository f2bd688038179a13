/* Start and stop the parts of the server, in the right order. */
#include "api/http/server.h"

#include <stdlib.h>
#include <unistd.h>

#include "api/connection/accept.h"
#include "api/connection/connections.h"
#include "api/connection/suspended.h"
#include "api/encode/problem.h"
#include "api/http/dispatch.h"
#include "api/http/guard.h"
#include "api/http/internal.h"
#include "api/http/request_end.h"
#include "api/http/work_pool.h"
#include "daemon/base/clock.h"

static void free_server(struct apsp_server *server)
{
	apsp_work_pool_stop(server->pool);
	apsp_suspended_free(server->suspended);
	apsp_connections_free(server->connections);
	apsp_event_threads_done(&server->event_threads);
	apsp_request_counts_free(server->counts);
	free(server);
}

static void count_refusal(void *ctx, int code)
{
	struct apsp_server *server = ctx;

	apsp_request_counts_add(server->counts, NULL,
		code ? apsp_problem_status(code) : 0, code, 0);
}

int apsp_server_start(const struct apsp_server_config *config,
	struct apsp_server **out, struct apsp_err *err)
{
	const struct apsp_limits *limits;
	/* the pool gets half as many threads as there are processors, so that
	   short answers get processors while the pool is busy */
	long n_workers = sysconf(_SC_NPROCESSORS_ONLN) / 2;
	struct apsp_server *server;
	int r;

	r = apsp_guard_settings(config->settings, err);
	if (r < 0)
		return r;
	server = calloc(1, sizeof(*server));
	if (!server)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	server->config = *config;
	limits = &server->config.limits;
	apsp_request_ids_init(&server->ids);
	r = apsp_request_counts_new(config->routes, &server->counts, err);
	if (r == 0)
		r = apsp_connections_new(limits, &server->connections, err);
	if (r == 0)
		r = apsp_suspended_new(
			limits->max_suspended, &server->suspended, err);
	if (r == 0)
		r = apsp_work_pool_start(
			n_workers < 2 ? 2 : (unsigned int)n_workers,
			limits->memory_wait_s, &server->pool, err);
	if (r == 0)
		r = apsp_dispatch_start(server, err);
	if (r == 0)
		r = apsp_acceptor_start(
			&(struct apsp_acceptor_parts){
				.upward = {.ids = &server->ids,
					.base = config->settings->base_path,
					.log_level =
						config->settings->access_log
							? APSP_LOG_INFO
							: APSP_LOG_DEBUG,
					.count = count_refusal,
					.answer = apsp_dispatch_express,
					.ctx = server},
				.listeners = config->listeners,
				.n_listeners = config->n_listeners,
				.beat_ms = config->beat_ms,
				.daemon = server->daemon,
				.connections = server->connections,
				.suspended = server->suspended,
			},
			&server->acceptor, err);
	if (r < 0) {
		if (server->daemon)
			MHD_stop_daemon(server->daemon);
		free_server(server);
		return r;
	}
	*out = server;
	return 0;
}

void apsp_server_stop(struct apsp_server *server, unsigned int drain_ms)
{
	int64_t until_ns = apsp_clock_ns() + (int64_t)drain_ms * 1000000;

	apsp_acceptor_quiesce(server->acceptor);
	atomic_store(&server->stopping, true);
	apsp_suspended_stop(server->suspended);
	apsp_connections_drain(server->connections, until_ns);
	/* end all work and all waits first, because libmicrohttpd must not be
	   stopped while a connection is suspended */
	apsp_work_pool_finish(server->pool);
	apsp_suspended_join(server->suspended);
	MHD_stop_daemon(server->daemon);
	apsp_acceptor_stop(server->acceptor);
	free_server(server);
}

int apsp_server_alive(const struct apsp_server *server, int64_t limit_ms,
	struct apsp_err *err)
{
	int r = apsp_acceptor_alive(server->acceptor, limit_ms, err);

	return r < 0 ? r
		     : apsp_event_threads_check(
			       &server->event_threads, limit_ms, err);
}

void apsp_server_adopt(struct apsp_server *server, int fd)
{
	apsp_acceptor_adopt(server->acceptor, fd);
}

void apsp_server_job_changed(struct apsp_server *server, uint64_t job)
{
	apsp_suspended_changed(server->suspended, job);
}

void apsp_server_graphs_changed(struct apsp_server *server)
{
	apsp_suspended_changed(server->suspended, APSP_WAIT_GRAPHS);
}

void apsp_server_job_progressed(
	struct apsp_server *server, uint64_t job, double progress)
{
	apsp_suspended_progressed(server->suspended, job, progress);
}
