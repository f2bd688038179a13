/*
 * Answers without libmicrohttpd; see express.h. The framing has already found
 * the parts of the head. We copy the head and put a NUL behind each part of the
 * copy.
 */
#include "api/http/express.h"

#include <string.h>
#include <strings.h>

#include "api/connection/connection.h"
#include "api/http/guard.h"
#include "api/http/internal.h"
#include "api/http/reply.h"
#include "api/http/request.h"
#include "api/http/request_end.h"
#include "api/http/route.h"
#include "daemon/base/clock.h"

/*
 * Copy the head of a plain GET, and cut the copy into texts. False: this
 * request is for libmicrohttpd.
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

bool apsp_express_answer(
	void *ctx, struct apsp_connection *conn, const char *bytes, size_t size)
{
	/* requests with one of these headers are for libmicrohttpd */
	static const char *const special[] = {"Content-Length",
		"Transfer-Encoding", "Expect", "Upgrade", "Trailer"};
	struct apsp_server *server = ctx;
	struct apsp_express_head head;
	struct apsp_request *req;
	const char *connection;
	int64_t now_ns;
	bool answered;

	if (atomic_load(&server->stopping) ||
		!head_cut(&head, &conn->framing, bytes, size))
		return false;
	req = apsp_request_new(server, NULL, head.text + 4);
	if (!req)
		return false;
	req->exchange->conn = conn;
	req->exchange->express = &head;
	memcpy(req->exchange->method, "GET", sizeof("GET"));
	connection = apsp_request_header(req, "Connection");
	answered = !connection || strcasecmp(connection, "keep-alive") == 0;
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		answered = answered && !apsp_request_header(req, special[i]);
	answered = answered && apsp_guard_head(req, "GET", &req->err) == 0 &&
		   req->route->answer(req, &req->err) == 0 && req->replied &&
		   apsp_reply_direct(req, req->status, req->exchange->type,
			   &req->exchange->answer);
	if (answered) {
		now_ns = apsp_clock_ns();
		apsp_request_ended(req, now_ns, "express");
		/* other threads never see the connection busy, so store its
		   times here */
		atomic_store_explicit(&conn->asked, true, memory_order_relaxed);
		atomic_store_explicit(
			&conn->idle_since_ns, now_ns, memory_order_relaxed);
		atomic_store_explicit(&conn->deadline_ns,
			now_ns + server->config.limits.idle_timeout_s *
					 INT64_C(1000000000),
			memory_order_relaxed);
	}
	apsp_request_free(req);
	return answered;
}
