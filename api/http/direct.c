/*
 * Answers that we send ourselves; see direct.h.
 */
#include "api/http/direct.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "api/connection/connections.h"
#include "api/connection/http_date.h"
#include "api/connection/inflow.h"
#include "api/encode/problem.h"
#include "api/encode/real.h"
#include "api/http/internal.h"
#include "api/http/reply.h"
#include "api/http/request.h"
#include "daemon/base/auto.h"
#include "daemon/base/clock.h"

enum {
	/* bytes of an answer: a socket that has nothing left to send takes as
	   many at once */
	ANSWER_MAX = 16384,
	HEAD_ROOM = 512, /* for most answers */
};

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

bool apsp_direct_send(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body)
{
	struct apsp_connection *conn = req->exchange->conn;
	int fd = apsp_connection_fd(conn);
	APSP_AUTO(apsp_text_done) struct apsp_text out = {0};
	ssize_t n;

	write_answer(req, status, type, body, &out);
	/* a socket with unread answers may take a part of this one */
	if (out.failed || out.size > ANSWER_MAX ||
		!apsp_inflow_takes(apsp_connection_inflow(conn), fd, out.size))
		return false;
	n = send(fd, out.data, out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return false;
	if ((size_t)n < out.size) /* for want of the kernel's memory */
		apsp_connection_reset(conn);
	return true;
}

bool apsp_direct_refuse(struct apsp_request *req)
{
	unsigned int status = apsp_problem_status(req->err.code);
	struct apsp_exchange *x = req->exchange;
	struct apsp_text body = {0};
	bool sent;

	x->close = true;
	x->has_etag = false;
	body.data = apsp_problem_text(&req->err, apsp_request_base(req),
		json_incref(x->extra), req->id);
	if (!body.data)
		return false;
	body.size = strlen(body.data);
	sent = apsp_direct_send(req, status, "application/problem+json", &body);
	free(body.data);
	if (!sent)
		return false;
	req->status = status;
	req->replied = true;
	apsp_inflow_replied(apsp_connection_inflow(x->conn));
	apsp_connection_set_replying(x->conn, apsp_clock_ns());
	return true;
}
