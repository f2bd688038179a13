/*
 * How a request passes through the server; see dispatch.h. A reply is queued in
 * libmicrohttpd's second call of on_handle() or later (api/http/README.md,
 * Replies on the second call). A refusal is queued in the first call if the
 * connection must end, or if the request has a body: this body is then not
 * read.
 */
#include "api/http/dispatch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/connection/accept.h"
#include "api/connection/connections.h"
#include "api/connection/suspended.h"
#include "api/encode/problem.h"
#include "api/http/guard.h"
#include "api/http/internal.h"
#include "api/http/reply.h"
#include "api/http/request_body.h"
#include "api/http/request_end.h"
#include "api/http/route.h"
#include "daemon/base/clock.h"

enum {
	/* bytes for the request line, headers and output of one connection. The
	   number is small, because libmicrohttpd clears all these bytes after
	   each request */
	CONNECTION_MEMORY = 49152,
	CONNECTION_STACK = 1 << 20,
};

static int64_t after_s(uint64_t seconds)
{
	return apsp_clock_ns() + (int64_t)seconds * 1000000000;
}

static void on_connection(void *cls, struct MHD_Connection *connection,
	void **socket_ctx, enum MHD_ConnectionNotificationCode what)
{
	struct apsp_server *server = cls;
	struct apsp_connection *conn = *socket_ctx;
	const union MHD_ConnectionInfo *info;
	int fd = -1;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(
			connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		conn = info ? apsp_connections_started(
				      server->connections, info->connect_fd)
			    : NULL;
		if (conn)
			conn->connection = connection;
		*socket_ctx = conn;
		return;
	}
	if (!conn)
		return;
	/* the client may still be sending, so let the accept thread close the
	   socket after a while. It gets a copy of the descriptor, because
	   libmicrohttpd closes its own descriptor now */
	if (conn->linger || conn->ended)
		fd = fcntl(conn->fd, F_DUPFD_CLOEXEC, 0);
	if (fd >= 0)
		apsp_acceptor_linger(server->acceptor, fd);
	apsp_request_free(conn->offered);
	apsp_connections_closed(server->connections, conn);
}

/*
 * Copy the head of a GET. In the copy, put a NUL behind each part that the
 * framing has found. False: libmicrohttpd must serve this request.
 */
static bool head_cut(struct apsp_express_head *out,
	const struct apsp_framing *framing, const char *bytes, size_t size)
{
	const struct apsp_head *parts = &framing->parts;

	if (size > APSP_EXPRESS_HEAD_MAX ||
		framing->n_fields > APSP_EXPRESS_FIELDS_MAX ||
		framing->is_1_0 || parts->target.at != 4 ||
		memcmp(bytes, "GET ", 4) != 0)
		return false;
	memcpy(out->text, bytes, size);
	out->text[4 + parts->target.size] = '\0';
	for (uint32_t i = 0; i < framing->n_fields; i++) {
		const struct apsp_head_part *name = &parts->names[i];
		const struct apsp_head_part *value = &parts->values[i];

		out->text[name->at + name->size] = '\0';
		out->text[value->at + value->size] = '\0';
	}
	out->parts = parts;
	out->n_fields = framing->n_fields;
	return true;
}

/* Whether the headers of a request allow an answer without libmicrohttpd. */
static bool is_plain(const struct apsp_request *req)
{
	static const char *const special[] = {"Content-Length",
		"Transfer-Encoding", "Expect", "Upgrade", "Trailer"};
	const struct apsp_express_head *head = req->exchange->express;

	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (apsp_request_header(req, special[i]))
			return false;
	/* a request may have several Connection headers, of which any may ask
	   us to close the connection */
	for (uint32_t i = 0; i < head->n_fields; i++) {
		const struct apsp_head *parts = head->parts;

		if (strcasecmp(head->text + parts->names[i].at, "Connection") ==
				0 &&
			strcasecmp(head->text + parts->values[i].at,
				"keep-alive") != 0)
			return false;
	}
	return true;
}

bool apsp_dispatch_express(
	void *ctx, struct apsp_connection *conn, const char *bytes, size_t size)
{
	struct apsp_server *server = ctx;
	struct apsp_express_head head;
	struct apsp_exchange *x;
	struct apsp_request *req;
	bool sent = false;
	int64_t now_ns;

	if (atomic_load(&server->stopping) ||
		!head_cut(&head, &conn->framing, bytes, size))
		return false;
	req = apsp_request_new(server, head.text + 4);
	if (!req)
		return false;
	x = req->exchange;
	x->conn = conn;
	x->express = &head;
	if (is_plain(req)) {
		memcpy(x->method, "GET", sizeof("GET"));
		x->judged = true;
		if (apsp_guard_head(req, "GET", &req->err) == 0 &&
			req->route->body_mode == APSP_BODY_EXPRESS)
			req->route->answer(req, &req->err);
		sent = req->replied && !x->held &&
		       apsp_reply_direct(req, req->status, x->type, &x->answer);
	}
	if (!sent) {
		x->express = NULL;
		conn->deadline_ns =
			after_s(server->config.limits.request_timeout_s);
		if (req->replied && !x->held) {
			req->replied = false;
			apsp_reply_bytes(req, req->status, x->type, &x->answer,
				&req->err);
		}
		conn->offered = req;
		return false;
	}
	now_ns = apsp_clock_ns();
	apsp_request_ended(req, now_ns, "express");
	/* set the members that connections.c and on_completed() would set if
	   the request had reached libmicrohttpd */
	atomic_store_explicit(&conn->asked, true, memory_order_relaxed);
	atomic_store_explicit(
		&conn->idle_since_ns, now_ns, memory_order_relaxed);
	atomic_store_explicit(&conn->deadline_ns,
		now_ns + server->config.limits.idle_timeout_s *
				 INT64_C(1000000000),
		memory_order_relaxed);
	apsp_request_free(req);
	return true;
}

static void *on_line(
	void *cls, const char *target, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct apsp_server *server = cls;
	struct apsp_connection *conn;
	struct apsp_request *req;

	if (!info || !info->socket_context)
		return NULL;
	conn = info->socket_context;
	req = conn->offered;
	conn->offered = NULL;
	if (!req) {
		req = apsp_request_new(server, target);
		if (!req)
			return NULL; /* the request cannot be made. on_handle()
					then gets NULL in its place and returns
					MHD_NO, so libmicrohttpd closes the
					connection */
		req->exchange->conn = conn;
		conn->deadline_ns =
			after_s(server->config.limits.request_timeout_s);
	}
	req->connection = connection;
	conn->request_id = req->id;
	apsp_connections_begin(server->connections, conn);
	return req;
}

static void on_completed(void *cls, struct MHD_Connection *connection,
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
	/* the client may have left while the pool still works on the body: stop
	   this work */
	if (apsp_request_works_beside(req))
		apsp_work_pool_cancel(server->pool, &req->exchange->work);
	conn = req->exchange->conn;
	if (req->status == 0 && conn->refusal.code != 0) {
		/* recv() (inflow.c) has sent a refusal instead of the
		   handler's reply */
		req->err = conn->refusal;
		req->status = apsp_problem_status(req->err.code);
	}
	snprintf(end, sizeof(end), "end=%d", (int)how);
	apsp_request_ended(req, now_ns, end);
	/* the connection may now be idle for idle_timeout_s. Once the first
	   byte of the next head has come, head_timeout_s applies as well
	   (api/connection/connections.c) */
	conn->deadline_ns = after_s(server->config.limits.idle_timeout_s);
	apsp_connections_end(server->connections, conn, now_ns);
	conn->request_id = NULL;
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

/* Returns the size of the body that a request's headers announce, in bytes. -1:
   the body comes in chunks; 0: there is no body. */
static int64_t announced_bytes(const struct apsp_request *req)
{
	const char *length = apsp_request_header(req, "Content-Length");

	if (apsp_request_header(req, "Transfer-Encoding"))
		return -1;
	return length ? (int64_t)strtoll(length, NULL, 10) : 0;
}

static enum MHD_Result first_call(struct apsp_request *req, const char *method)
{
	struct apsp_exchange *x = req->exchange;
	int r;

	if (x->held)
		return MHD_YES; /* x->held is the finished reply; the next call
				   of on_handle() passes it to
				   libmicrohttpd */
	/* copy the method for the log. A method that is too long is cut, but no
	   route has such a method */
	snprintf(x->method, sizeof(x->method), "%s", method);
	x->announced_bytes = announced_bytes(req);
	if (x->judged) {
		r = req->err.code;
	} else if (x->conn->n_begun <= x->conn->framing.n_heads) {
		r = apsp_guard_head(req, method, &req->err);
	} else { /* the framing has not checked this head, so do not answer the
		    request. Perhaps libmicrohttpd and the framing disagree on
		    where requests begin, or libmicrohttpd has read bytes
		    without our recv() */
		r = apsp_fail(&req->err, APSP_EBUG,
			"libmicrohttpd has a request that did not come by "
			"recv()");
		x->close = true;
	}
	/* if the head is accepted, check the body that it announces, and call
	   the handler's begin(), before a byte of the body is read */
	if (r == 0 && !x->preflight) {
		r = apsp_request_body_check(req, &req->err);
		if (r == 0 && req->route->begin)
			r = req->route->begin(req, &req->err);
		if (r == 0)
			apsp_request_body_start(req);
	}
	if (r == 0 || (x->announced_bytes == 0 && !x->close))
		return MHD_YES; /* if r is not 0, the next call replies with the
				   problem of req->err */
	x->close = true;
	x->conn->linger = true;
	return answer_error(req);
}

/*
 * Drop the reply headers that a handler has added, because the handler will be
 * called again from its start. If req->state is set, or if a stream waits for
 * memory, keep the headers, because the work then continues where it stopped.
 */
static void begin_again(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	if (req->state || x->stream)
		return;
	for (size_t i = 0; i < x->n_headers; i++) {
		free(x->headers[i].name);
		free(x->headers[i].value);
	}
	x->n_headers = 0;
	x->has_etag = false;
}

/* This runs on a thread of the pool. It calls the handler or, if the handler's
   stream waits for memory, begins the stream. Returns 1 if the handler wants to
   be called again, APSP_WORK_WAITS if memory was missing, and
   APSP_WORK_WAITS_ROWS if rows on demand were missing. */
static int pool_answer(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	int r;

	req->in_pool = true;
	x->again = false;
	x->waits = 0;
	r = x->stream ? x->stream_begin(req, err)
		      : req->route->answer(req, err);
	req->in_pool = false;
	if (r == APSP_EBUSY && x->waits) {
		begin_again(req);
		return x->waits;
	}
	if (r == 0 && x->again)
		return 1;
	if (r == 0 && !req->replied)
		return apsp_fail(err, APSP_EBUG, "%s gave no answer",
			req->route->pattern);
	return r;
}

/* Move a request to the pool, because its handler has called
   apsp_request_move(). False: too many long requests of this peer are under
   way, and req->err has the refusal. */
static bool move(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	x->moving = false;
	if (!apsp_request_may_last(req)) {
		apsp_fail(&req->err, APSP_EBUSY,
			"too many long questions of one address wait for "
			"their turn");
		return false;
	}
	begin_again(req);
	x->pooled = true;
	req->err = (struct apsp_err){0};
	apsp_request_work(req, pool_answer);
	return true;
}

static enum MHD_Result last_call(struct apsp_request *req)
{
	struct apsp_server *server = req->server;
	struct apsp_exchange *x = req->exchange;
	int r = 0;

	if (x->held) {
		struct MHD_Response *held = x->held;

		x->held = NULL;
		return apsp_reply_hand_on(req, req->status, held);
	}
	if (x->pooled) { /* there is no finished reply, so the handler has
			    failed on the pool */
		apsp_request_result(req, &req->err);
		return answer_error(req);
	}
	if (x->refused)
		return MHD_NO; /* the connection ends */
	if (req->replied)
		return MHD_YES;
	if (apsp_request_works_beside(req)) {
		apsp_request_await_work(req);
		return MHD_YES;
	}
	apsp_pace_reset(&x->conn->pace);
	apsp_request_body_collect(req);
	if (x->preflight)
		apsp_reply_empty(req, &req->err);
	if (x->preflight && req->err.code == 0)
		return MHD_YES;
	if (req->err.code != 0 && !x->moving)
		return answer_error(req);
	x->suspended = false;
	x->moment = apsp_suspended_now(server->suspended);
	x->conn->deadline_ns = after_s(server->config.limits.request_timeout_s);
	if (!x->moving)
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

static enum MHD_Result on_handle(void *cls, struct MHD_Connection *connection,
	const char *url, const char *method, const char *version,
	const char *data, size_t *size, void **ctx)
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
		/* If libmicrohttpd has several chunks in its buffer, it passes
		   us the next chunk although the connection is suspended,
		   because the pool is still working on the previous chunk. In
		   this case, consume nothing: libmicrohttpd passes us the chunk
		   again when the connection has been resumed. */
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

/* The function that libmicrohttpd calls to decode a target. It does nothing,
   because route.c and query.c split targets before they decode them. */
static size_t leave_escaped(
	void *cls, struct MHD_Connection *connection, char *text)
{
	(void)cls;
	(void)connection;
	return strlen(text);
}

int apsp_dispatch_start(struct apsp_server *server, struct apsp_err *err)
{
	const struct apsp_server_config *config = &server->config;
	unsigned int n_threads = config->settings->n_threads;
	/* so high that libmicrohttpd never reaches this limit, because we limit
	   connections ourselves */
	unsigned int limit =
		2 * (config->limits.max_connections + 64) * (n_threads + 1);
	int r;

	r = apsp_event_threads_expect(&server->event_threads,
		n_threads > 1 ? n_threads : 1, config->beat_ms, err);
	if (r < 0)
		return r;
	server->daemon = MHD_start_daemon(
		MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL_INTERNAL_THREAD |
			MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC,
		0, NULL, NULL, on_handle, server, MHD_OPTION_THREAD_POOL_SIZE,
		n_threads > 1 ? n_threads : 0, MHD_OPTION_THREAD_STACK_SIZE,
		(size_t)CONNECTION_STACK, MHD_OPTION_CONNECTION_LIMIT, limit,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		/* 0: no timeout. libmicrohttpd's timeout would also cut off
		   clients that read fast enough for our own deadlines */
		MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_URI_LOG_CALLBACK,
		on_line, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped,
		NULL, MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,
		MHD_OPTION_END);
	if (!server->daemon)
		return apsp_fail(
			err, APSP_EIO, "the HTTP threads cannot be started");
	return apsp_event_threads_await(&server->event_threads, err);
}
