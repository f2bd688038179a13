/*
 * Answers past libmicrohttpd; see express.h.
 */
#include "api/http/express.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "api/connection/connections.h"
#include "api/connection/http_date.h"
#include "api/encode/problem.h"
#include "api/encode/real.h"
#include "api/http/dispatch.h"
#include "api/http/express_call.h"
#include "api/http/guard.h"
#include "api/http/internal.h"
#include "api/http/metrics.h"
#include "api/http/reply.h"
#include "api/http/request.h"
#include "api/http/route.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"

enum {
	/* bytes of an answer: a socket that has nothing left to send takes as
	   many at once */
	ANSWER_MAX = 16384,
	HEAD_ROOM = 512, /* for most answers */
};

/* Have the handler make an answer. */
static int ask(struct apsp_request *req)
{
	struct apsp_err *err = &req->err;
	int r;

	r = apsp_dispatch_route(req, "GET", err);
	if (r == 0 && req->route->body_mode != APSP_BODY_EXPRESS)
		r = APSP_EBUG;
	if (r == 0)
		r = apsp_guard_check(req, "GET",
			apsp_connection_is_unix(req->exchange->conn), err);
	if (r == 0)
		r = req->route->answer(req, err);
	return r == 0 && !req->replied ? APSP_EBUG : r;
}

static void put(struct apsp_text *text, const char *string)
{
	apsp_text_append(text, string, strlen(string));
}

static void put_number(struct apsp_text *text, int64_t number)
{
	char *at = apsp_text_reserve(text, APSP_REAL_SIZE);

	if (at)
		text->size += apsp_integer_write(number, at);
}

static bool put_header(void *text, const char *name, const char *value)
{
	put(text, name);
	put(text, ": ");
	put(text, value);
	put(text, "\r\n");
	return true;
}

/* The same bytes that libmicrohttpd would send. */
static void write_answer(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body, struct apsp_text *out)
{
	apsp_text_reserve(out, HEAD_ROOM + body->size);
	put(out, "HTTP/1.1 ");
	put_number(out, status);
	put(out, " ");
	put(out, MHD_get_reason_phrase_for(status));
	put(out, "\r\n");
	put_header(out, "Date", apsp_http_date());
	if (req->exchange->close)
		put_header(out, "Connection", "close");
	if (apsp_problem_passes(status))
		put_header(out, "Retry-After", "1");
	if (type)
		put_header(out, "Content-Type", type);
	apsp_reply_headers(req, put_header, out);
	put(out, "Content-Length: ");
	put_number(out, (int64_t)body->size);
	put(out, "\r\n\r\n");
	if (body->size > 0)
		apsp_text_append(out, body->data, body->size);
}

/* Send the answer whole, or nothing of it: false. */
static bool send_answer(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body, int fd)
{
	APSP_AUTO(apsp_text_done) struct apsp_text out = {0};
	int n_unsent;
	ssize_t n;

	/* a socket with unread answers may take a part of this one */
	if (ioctl(fd, SIOCOUTQ, &n_unsent) < 0 || n_unsent > 0)
		return false;
	write_answer(req, status, type, body, &out);
	if (out.failed || out.size > ANSWER_MAX)
		return false;
	n = send(fd, out.data, out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return false;
	if ((size_t)n < out.size) /* for want of the kernel's memory */
		apsp_connection_reset(req->exchange->conn);
	return true;
}

static void end(const struct apsp_request *req)
{
	const struct apsp_server_limits *limits = &req->server->config.limits;
	int64_t now_ns = apsp_clock_ns();

	apsp_metrics_count(req->server->metrics, req->route, req->status,
		now_ns - req->started_ns);

	apsp_connection_served(req->exchange->conn, now_ns,
		now_ns + (int64_t)limits->idle_timeout_s * 1000000000);
	apsp_log(apsp_server_config_log_level(&req->server->config),
		"request id=%s target=%s status=%u ms=%.1f express", req->id,
		req->exchange->target, req->status,
		(double)(now_ns - req->started_ns) / 1e6);
}

bool apsp_express_answer(void *ctx, struct apsp_inflow *inflow, int fd,
	const char *bytes, size_t size)
{
	struct apsp_server *server = ctx;
	struct apsp_express_call call;
	struct apsp_request *req;
	bool answered;

	if (atomic_load(&server->stopping) ||
		!apsp_express_call_read(&call, bytes, size))
		return false;
	req = apsp_request_new(server, NULL, call.target);
	if (!req)
		return false;
	req->exchange->conn = apsp_connection_of(inflow);
	req->exchange->express = &call;
	answered = ask(req) == 0 &&
		   send_answer(req, req->status, call.type, &call.body, fd);
	if (answered)
		end(req);
	apsp_request_free(req);
	apsp_express_call_done(&call);
	return answered;
}

bool apsp_express_refuse(struct apsp_request *req, int fd)
{
	unsigned int status = apsp_problem_status(req->err.code);
	struct apsp_exchange *x = req->exchange;
	struct apsp_text body = {0};
	bool sent;

	x->close = true;
	x->has_etag = false;
	body.data =
		apsp_problem_text(&req->err, json_incref(x->extra), req->id);
	if (!body.data)
		return false;
	body.size = strlen(body.data);
	sent = send_answer(req, status, "application/problem+json", &body, fd);
	free(body.data);
	if (!sent)
		return false;
	req->status = status;
	req->replied = true;
	apsp_inflow_replied(apsp_connection_inflow(x->conn));
	apsp_connection_set_replying(x->conn, apsp_clock_ns());
	return true;
}
