/*
 * Answers past libmicrohttpd; see express.h.
 */
#include "api/http/express.h"

#include "api/connection/connections.h"
#include "api/http/direct.h"
#include "api/http/dispatch.h"
#include "api/http/express_call.h"
#include "api/http/guard.h"
#include "api/http/internal.h"
#include "api/http/metrics.h"
#include "api/http/request.h"
#include "api/http/route.h"
#include "daemon/base/clock.h"
#include "daemon/base/log.h"

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

static void end(const struct apsp_request *req)
{
	const struct apsp_server_limits *limits = &req->server->config.limits;
	int64_t now_ns = apsp_clock_ns();

	apsp_metrics_count(req->server->metrics, req->route, req->status,
		now_ns - req->started_ns);
	if (req->status >= MHD_HTTP_BAD_REQUEST)
		apsp_metrics_count_problem(req->server->metrics, req->err.code);

	apsp_connection_served(req->exchange->conn, now_ns,
		now_ns + (int64_t)limits->idle_timeout_s * 1000000000);
	apsp_log(apsp_server_config_log_level(&req->server->config),
		"request id=%s method=GET target=%s status=%u ms=%.1f express",
		req->id, req->exchange->target, req->status,
		(double)(now_ns - req->started_ns) / 1e6);
}

bool apsp_express_answer(
	void *ctx, struct apsp_inflow *inflow, const char *bytes, size_t size)
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
		   apsp_direct_send(req, req->status, call.type, &call.body);
	if (answered)
		end(req);
	apsp_request_free(req);
	apsp_express_call_done(&call);
	return answered;
}
