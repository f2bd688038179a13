/*
 * Answers that we send ourselves; see direct.h.
 */
#include "api/http/direct.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "api/connection/answer.h"
#include "api/connection/connection.h"
#include "api/connection/inflow.h"
#include "api/encode/problem.h"
#include "api/http/internal.h"
#include "api/http/reply.h"
#include "api/http/request.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	/* bytes of an answer: a socket that has nothing left to send has room
	   for as many at once */
	ANSWER_MAX = 16384,
	HEAD_ROOM = 512, /* for most answers */
};

bool apsp_direct_send(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body)
{
	struct apsp_connection *conn = req->exchange->conn;
	APSP_AUTO(apsp_text_done) struct apsp_text out = {0};
	ssize_t n;

	/* the same bytes that libmicrohttpd would send */
	apsp_text_reserve(&out, HEAD_ROOM + body->size);
	apsp_answer_begin(&out, status, req->exchange->close);
	if (type)
		apsp_answer_header(&out, "Content-Type", type);
	apsp_reply_headers(req, apsp_answer_header, &out);
	apsp_answer_end(&out, body->data, body->size);
	/* a socket with unread answers may have room for only a part */
	if (out.failed || out.size > ANSWER_MAX ||
		!apsp_inflow_has_room(conn, out.size))
		return false;
	n = send(conn->fd, out.data, out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return false;
	if ((size_t)n < out.size) /* the kernel has no memory */
		apsp_connection_reset(conn);
	return true;
}

bool apsp_direct_refuse(struct apsp_request *req)
{
	unsigned int status = apsp_problem_status(req->err.code);
	struct apsp_exchange *x = req->exchange;
	APSP_AUTO(apsp_text_done) struct apsp_text body = {0};

	x->close = true;
	x->has_etag = false;
	body.data = apsp_problem_text(&req->err, apsp_request_base(req),
		json_incref(x->extra), req->id);
	if (!body.data)
		return false;
	body.size = strlen(body.data);
	if (!apsp_direct_send(req, status, "application/problem+json", &body))
		return false;
	req->status = status;
	req->replied = true;
	apsp_connection_set_replying(x->conn, apsp_clock_ns());
	return true;
}
