/*
 * Start and stop: the parts of the server and the order they end in.
 */
#include "api/server.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "api/accept.h"
#include "api/dispatch.h"
#include "api/exchange.h"
#include "api/reaper.h"
#include "api/waiters.h"
#include "daemon/base/auto.h"

enum {
	/* request line and headers of one connection, and its output */
	CONNECTION_MEMORY = 65536,
	CONNECTION_STACK = 1 << 20,
};

const struct apsp_server_limits apsp_server_default_limits = {
	.max_connections = 512,
	.max_waiters = 64,
	.request_timeout_s = 30,
	.upload_timeout_s = 3600,
	.idle_timeout_s = 60,
	.body_rate_min = 1024,
	.body_grace_s = 30,
	.max_body_bytes = 16 << 20,
	.max_upload_bytes = (uint64_t)8 << 30,
	.max_inflated_bytes = (uint64_t)64 << 30,
	.max_arcs = (uint64_t)1 << 31,
	.max_pairs = 100000,
};

static void free_strings(const char *const *strings, size_t n)
{
	char **own = (char **)(uintptr_t)strings;

	for (size_t i = 0; own && i < n; i++)
		free(own[i]);
	free(own);
}

/* Copy n strings, NULL-terminated; NULL: no memory. */
static const char *const *copy_strings(const char *const *strings, size_t n)
{
	char **copy = calloc(n + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(strings[i]);
		if (!copy[i]) {
			free_strings((const char *const *)copy, i);
			return NULL;
		}
	}
	return (const char *const *)copy;
}

static size_t count_strings(const char *const *strings)
{
	size_t n = 0;

	while (strings && strings[n])
		n++;
	return n;
}

static int copy_config(struct apsp_server *server,
	const struct apsp_server_config *config, struct apsp_err *err)
{
	struct apsp_server_config *own = &server->config;
	int *listeners = calloc(config->n_listeners + 1, sizeof(int));

	*own = *config;
	own->listeners = listeners;
	own->allowed_hosts =
		copy_strings(config->allowed_hosts, config->n_allowed_hosts);
	own->algorithms = copy_strings(
		config->algorithms, count_strings(config->algorithms));
	own->hops_only = copy_strings(
		config->hops_only, count_strings(config->hops_only));
	own->version = strdup(config->version ? config->version : "");
	if (!listeners || !own->allowed_hosts || !own->algorithms ||
		!own->hops_only || !own->version)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	if (config->n_listeners > 0)
		memcpy(listeners, config->listeners,
			config->n_listeners * sizeof(int));
	return 0;
}

static void free_server(struct apsp_server *server)
{
	struct apsp_server_config *own = &server->config;

	apsp_waiters_free(server->waiters);
	apsp_reaper_free(server->reaper);
	free_strings(own->allowed_hosts, own->n_allowed_hosts);
	free_strings(own->algorithms, count_strings(own->algorithms));
	free_strings(own->hops_only, count_strings(own->hops_only));
	free((char *)(uintptr_t)own->version);
	free((int *)(uintptr_t)own->listeners);
	free(server);
}

/* Targets are split raw and decoded by us. */
static size_t leave_escaped(
	void *cls, struct MHD_Connection *connection, char *text)
{
	(void)cls;
	(void)connection;
	return strlen(text);
}

static int start_daemon(struct apsp_server *server, struct apsp_err *err)
{
	const struct apsp_server_config *config = &server->config;
	unsigned int n_threads = config->n_threads ? config->n_threads : 1;
	/* we count connections; its own limit, per thread, never binds */
	unsigned int limit =
		(config->limits.max_connections + 1) * (n_threads + 1);

	server->daemon = MHD_start_daemon(
		MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL_INTERNAL_THREAD |
			MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC,
		0, NULL, NULL, apsp_dispatch_handle, server,
		MHD_OPTION_THREAD_POOL_SIZE, n_threads > 1 ? n_threads : 0,
		MHD_OPTION_THREAD_STACK_SIZE, (size_t)CONNECTION_STACK,
		MHD_OPTION_CONNECTION_LIMIT, limit,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned int)config->limits.idle_timeout_s,
		MHD_OPTION_URI_LOG_CALLBACK, apsp_dispatch_line, server,
		MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL,
		MHD_OPTION_NOTIFY_COMPLETED, apsp_dispatch_completed, server,
		MHD_OPTION_NOTIFY_CONNECTION, apsp_dispatch_connection, server,
		MHD_OPTION_END);
	if (!server->daemon)
		return apsp_fail(
			err, APSP_EIO, "the HTTP threads cannot be started");
	return 0;
}

static int start_parts(struct apsp_server *server, struct apsp_err *err)
{
	const struct apsp_server_limits *limits = &server->config.limits;
	uint64_t seed = 0;
	int r;

	/* ids that no earlier run gave out; a poor seed does no harm */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) < 0)
		seed = (uint64_t)apsp_now_ns();
	atomic_store(&server->next_id, seed);
	r = apsp_reaper_new(limits->max_connections, &server->reaper, err);
	if (r == 0)
		r = apsp_waiters_new(
			limits->max_waiters, &server->waiters, err);
	if (r == 0)
		r = start_daemon(server, err);
	if (r == 0)
		r = apsp_acceptor_start(server, &server->acceptor, err);
	return r;
}

int apsp_server_start(const struct apsp_server_config *config,
	struct apsp_server **out, struct apsp_err *err)
{
	struct apsp_server *server;
	int r;

	server = calloc(1, sizeof(*server));
	if (!server)
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	r = copy_config(server, config, err);
	if (r == 0)
		r = start_parts(server, err);
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
	int64_t until_ns = apsp_now_ns() + (int64_t)drain_ms * 1000000;

	apsp_acceptor_quiesce(server->acceptor);
	atomic_store(&server->stopping, true);
	apsp_waiters_stop(server->waiters);
	apsp_reaper_drain(server->reaper, until_ns);
	/* libmicrohttpd must not be stopped while anything is suspended */
	apsp_waiters_join(server->waiters);
	MHD_stop_daemon(server->daemon);
	apsp_acceptor_stop(server->acceptor);
	free_server(server);
}

void apsp_server_job_changed(struct apsp_server *server, uint64_t job)
{
	apsp_waiters_changed(server->waiters, job);
}
