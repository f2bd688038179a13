/*
 * libmicrohttpd's callbacks; see dispatch.h. Replies are queued on
 * libmicrohttpd's second call of the handler or later (api/http/README.md,
 * Replies on the second call), except where a body must not be read.
 */
#include "api/http/dispatch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/connection/accept.h"
#include "api/connection/connections.h"
#include "api/connection/inflow.h"
#include "api/connection/suspended.h"
#include "api/encode/problem.h"
#include "api/http/guard.h"
#include "api/http/internal.h"
#include "api/http/reply.h"
#include "api/http/request_body.h"
#include "api/http/request_end.h"
#include "api/http/route.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"

static int64_t after_s(uint64_t seconds)
{
	return apsp_clock_ns() + (int64_t)seconds * 1000000000;
}

void apsp_dispatch_connection(void *cls, struct MHD_Connection *connection,
	void **socket_ctx, enum MHD_ConnectionNotificationCode what)
{
	struct apsp_server *server = cls;
	struct apsp_connection *conn = *socket_ctx;
	const union MHD_ConnectionInfo *info;
	int fd = -1;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(
			connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		*socket_ctx =
			info ? apsp_connections_started(
				       server->connections, info->connect_fd)
			     : NULL;
		return;
	}
	if (!conn)
		return;
	/* this copy of the descriptor keeps the socket open when
	   libmicrohttpd closes its own */
	if (conn->linger || conn->ended)
		fd = fcntl(conn->fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		apsp_acceptor_linger(server->acceptor, fd);
	apsp_connections_closed(server->connections, conn);
}

void *apsp_dispatch_line(
	void *cls, const char *target, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct apsp_server *server = cls;
	struct apsp_request *req;

	if (!info || !info->socket_context)
		return NULL;
	req = apsp_request_new(server, connection, target);
	if (!req)
		return NULL; /* apsp_dispatch_handle() then closes the
				connection */
	req->exchange->conn = info->socket_context;
	apsp_connections_begin(server->connections, req->exchange->conn);
	req->exchange->conn->deadline_ns =
		after_s(server->config.limits.request_timeout_s);
	return req;
}

void apsp_dispatch_completed(void *cls, struct MHD_Connection *connection,
	void **ctx, enum MHD_RequestTerminationCode how)
{
	struct apsp_server *server = cls;
	struct apsp_request *req = *ctx;
	struct apsp_connection *conn;
	int64_t now_ns = apsp_clock_ns();
	char end[16];

	(void)connection;
	if (!req)
		return;
	*ctx = NULL;
	conn = req->exchange->conn;
	if (req->status == 0 && conn->refused != 0) {
		/* recv() (inflow.c) has sent a refusal instead of the
		   handler's reply */
		req->err.code = conn->refused;
		req->status = apsp_problem_status(conn->refused);
	}
	snprintf(end, sizeof(end), "end=%d", (int)how);
	apsp_request_ended(req, now_ns, end);
	/* once a byte of the next head has come, head_timeout_s applies, too
	   (api/connection/connections.c) */
	conn->deadline_ns = after_s(server->config.limits.idle_timeout_s);
	apsp_connections_end(server->connections, conn, now_ns);
	apsp_request_free(req);
}

/* Reply with the problem of req->err. */
static enum MHD_Result answer_error(struct apsp_request *req)
{
	json_t *extra = req->exchange->extra;
	struct apsp_err err = req->err;

	req->exchange->extra = NULL;
	apsp_reply_problem(req, &err, extra);
	return req->replied ? MHD_YES : MHD_NO;
}

static enum MHD_Result first_call(struct apsp_request *req, const char *method)
{
	struct apsp_exchange *x = req->exchange;
	bool has_body;
	int64_t size;
	int r;

	/* for the log; no route has a longer method */
	snprintf(x->method, sizeof(x->method), "%s", method);
	has_body = apsp_request_body_announced(req, &size);
	if (apsp_inflow_is_judged(x->conn)) {
		r = apsp_guard_head(req, method, &req->err);
	} else { /* do not answer a request that the framing has not judged */
		r = apsp_fail(&req->err, APSP_EBUG,
			"libmicrohttpd has a request that did not come by "
			"recv()");
		x->close = true;
	}
	/* the head is accepted: call the handler's begin() before a byte of
	   the body is read */
	if (r == 0 && !x->preflight) {
		r = apsp_request_body_check(req, has_body, size, &req->err);
		if (r == 0 && req->route->begin)
			r = req->route->begin(req, &req->err);
		if (r == 0)
			apsp_request_body_start(req);
	}
	if (r == 0 || (!has_body && !x->close))
		return MHD_YES; /* the next call answers req->err, if there is
				   one */
	x->close = true;
	x->conn->linger = true;
	return answer_error(req);
}

/* Call the handler on a thread of the pool. Returns 1 if the handler wants
   to be called again. */
static int pool_answer(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	int r;

	req->in_pool = true;
	x->again = false;
	r = req->route->answer(req, err);
	req->in_pool = false;
	if (r == 0 && x->again)
		return 1;
	if (r == 0 && !req->replied)
		return apsp_fail(err, APSP_EBUG, "%s gave no answer",
			req->route->pattern);
	return r;
}

/* Move a request to the pool, because its handler asked for that. False:
   req->err refuses it, because too many long requests of its peer are under
   way. */
static bool move(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	x->moving = false;
	/* for a request with a body, apsp_request_body_check() has asked
	   this */
	if ((req->route->body_mode == APSP_BODY_NONE ||
		    req->route->body_mode == APSP_BODY_EXPRESS) &&
		!apsp_connections_may_last(req->server->connections, x->conn)) {
		apsp_fail(&req->err, APSP_EBUSY,
			"too many long questions of one address wait for "
			"their turn");
		return false;
	}
	/* the handler begins again */
	for (size_t i = 0; i < x->n_headers; i++) {
		free(x->headers[i].name);
		free(x->headers[i].value);
	}
	x->n_headers = 0;
	x->has_etag = false;
	x->pooled = true;
	req->err = (struct apsp_err){0};
	apsp_request_work(req, pool_answer);
	return true;
}

static enum MHD_Result last_call(struct apsp_request *req)
{
	struct apsp_server *server = req->server;
	struct apsp_exchange *x = req->exchange;
	int r;

	if (x->pooled) { /* the handler has run on the pool: queue its reply */
		struct MHD_Response *held = x->held;

		x->pooled = false;
		x->held = NULL;
		if (held)
			return apsp_reply_hand_on(req, req->status, held);
		apsp_request_result(req, &req->err);
		return answer_error(req);
	}
	if (x->refused)
		return MHD_NO; /* the connection ends */
	if (req->replied)
		return MHD_YES;
	apsp_pace_reset(&x->conn->pace, server->config.limits.yield_rate);
	apsp_request_body_collect(req);
	if (x->preflight)
		apsp_reply_empty(req, &req->err);
	if (x->preflight && req->err.code == 0)
		return MHD_YES;
	if (req->err.code != 0)
		return answer_error(req);
	x->suspended = false;
	x->moment = apsp_suspended_now(server->suspended);
	x->conn->deadline_ns = after_s(server->config.limits.request_timeout_s);
	r = req->route->answer(req, &req->err);
	if (x->moving && move(req))
		return MHD_YES;
	if (r == 0 && !req->replied && !x->suspended)
		r = apsp_fail(&req->err, APSP_EBUG, "%s gave no answer",
			req->route->pattern);
	if (r < 0 && !req->replied)
		return answer_error(req);
	return MHD_YES;
}

enum MHD_Result apsp_dispatch_handle(void *cls,
	struct MHD_Connection *connection, const char *url, const char *method,
	const char *version, const char *data, size_t *size, void **ctx)
{
	struct apsp_request *req = *ctx;

	(void)cls;
	(void)url;
	(void)version;
	if (!req)
		return MHD_NO;
	if (!req->exchange->seen) {
		req->exchange->seen = true;
		return first_call(req, method);
	}
	if (*size > 0) {
		/* If libmicrohttpd has several chunks in its buffer, it
		   passes on the next one although the pool is still working
		   on the last one. Bytes that we do not consume come again
		   after the resume. */
		if (MHD_get_connection_info(connection,
			    MHD_CONNECTION_INFO_CONNECTION_SUSPENDED)
				->suspended == MHD_YES)
			return MHD_YES;
		apsp_request_body_take(req, data, *size);
		*size = 0;
		return MHD_YES;
	}
	return last_call(req);
}
