/* The bodies of requests; see request_body.h. */
#include "api/http/request_body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/connection/connections.h"
#include "api/http/internal.h"
#include "api/http/reply.h"
#include "api/http/request.h"
#include "api/http/route.h"
#include "daemon/base/clock.h"

#define SECOND_NS INT64_C(1000000000)

enum {
	LONG_BODY = 65536, /* if a request has a fault and at least this many
			      bytes of its body are still to come, the fault is
			      reported at once */
};

static uint64_t body_max(const struct apsp_limits *limits, enum apsp_body mode)
{
	/* only a bundle may be larger than max_upload_bytes; the handler
	   finds out whether the body is a bundle */
	if (mode == APSP_BODY_STREAM)
		return limits->max_bundle_bytes;
	return mode == APSP_BODY_PIECES ? limits->max_body_bytes
					: limits->max_json_bytes;
}

int apsp_request_body_check(
	const struct apsp_request *req, struct apsp_err *err)
{
	const struct apsp_limits *limits = &req->config->limits;
	const char *coding = apsp_request_header(req, "Content-Encoding");
	enum apsp_body mode = req->route->body_mode;
	int64_t size = req->exchange->announced_bytes;
	bool has_body = size != 0;
	uint64_t max = body_max(limits, mode);

	if (has_body && (mode == APSP_BODY_NONE || mode == APSP_BODY_EXPRESS))
		return apsp_fail(err, APSP_EMALFORMED, "%s accepts no body",
			req->route->pattern);
	/* refuse a compressed body, unless it is an upload: the handlers of
	   uploads read Content-Encoding themselves */
	if (has_body && mode != APSP_BODY_STREAM && coding &&
		strcasecmp(coding, "identity") != 0)
		return apsp_fail(err, APSP_EMEDIATYPE,
			"the Content-Encoding is '%s', but only uploads may be "
			"compressed; send the body uncompressed, without this "
			"header",
			coding);
	if (size > 0 && (uint64_t)size > max)
		return apsp_fail(err, APSP_ETOOLARGE,
			"the body has %lld bytes, the limit is %llu",
			(long long)size, (unsigned long long)max);
	if (has_body && !apsp_request_may_last(req))
		return apsp_fail(err, APSP_EBUSY,
			"too many requests with bodies are under way");
	return 0;
}

void apsp_request_body_start(struct apsp_request *req)
{
	int64_t grace_ns = req->config->limits.body_grace_s * SECOND_NS;
	struct apsp_exchange *x = req->exchange;
	int64_t now = apsp_clock_ns();

	apsp_pace_wait(&x->conn->pace, now);
	if (req->route->body_mode != APSP_BODY_STREAM)
		return;
	x->body_started_ns = x->waiting_since_ns = now;
	x->allowance_ns = grace_ns;
	x->conn->deadline_ns = x->body_started_ns + grace_ns;
}

static int too_large(uint64_t max, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ETOOLARGE,
		"the body is larger than the limit of %llu bytes",
		(unsigned long long)max);
}

static int append(struct apsp_request *req, const char *data, size_t size,
	struct apsp_err *err)
{
	const struct apsp_limits *limits = &req->config->limits;
	struct apsp_exchange *x = req->exchange;
	size_t need = req->body_size + size + 1;

	if (need - 1 > limits->max_json_bytes)
		return too_large(limits->max_json_bytes, err);
	if (need > x->body_capacity) {
		size_t capacity = need < 4096 ? 4096 : 2 * need;
		char *body = realloc(req->body, capacity);

		if (!body)
			return apsp_fail(err, APSP_ENOMEM, "no memory");
		req->body = body;
		x->body_capacity = capacity;
	}
	memcpy(req->body + req->body_size, data, size);
	req->body_size += size;
	req->body[req->body_size] = '\0';
	return 0;
}

/*
 * Extend the deadline of an upload, because `size` more bytes have come. At
 * first a client is allowed to be silent for body_grace_s. Each byte extends
 * the time that is left, up to body_grace_s or idle_timeout_s, whichever is
 * longer. So a client that stops sending is soon cut off, even if it has sent
 * many bytes.
 */
static void extend(struct apsp_request *req, size_t size)
{
	const struct apsp_limits *limits = &req->config->limits;
	struct apsp_exchange *x = req->exchange;
	int64_t now = apsp_clock_ns(), end, most;
	int64_t body_bytes = x->announced_bytes;

	most = SECOND_NS * (limits->idle_timeout_s > limits->body_grace_s
					   ? limits->idle_timeout_s
					   : limits->body_grace_s);
	if (limits->body_rate_min > 0) {
		x->allowance_ns -= now - x->waiting_since_ns;
		x->allowance_ns +=
			(int64_t)size * SECOND_NS / limits->body_rate_min;
	}
	if (limits->body_rate_min == 0 || x->allowance_ns > most)
		x->allowance_ns = most;
	x->waiting_since_ns = now;
	/* a body larger than max_upload_bytes is a bundle, for which clients
	   have more time (bundle_timeout_s) */
	if (body_bytes < (int64_t)x->body_bytes)
		body_bytes = (int64_t)x->body_bytes;
	end = x->body_started_ns +
	      SECOND_NS * (body_bytes > (int64_t)limits->max_upload_bytes
					  ? limits->bundle_timeout_s
					  : limits->upload_timeout_s);
	x->conn->deadline_ns =
		now + x->allowance_ns < end ? now + x->allowance_ns : end;
}

void apsp_request_body_collect(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;

	if (!x->body_work || apsp_request_works_beside(req))
		return;
	x->body_work = x->suspended = false;
	apsp_request_result(req, &req->err);
}

/*
 * If much of the body is still to come, send the problem of req->err now.
 * Otherwise do nothing: the body is read to its end before the reply, so that
 * the connection can be used again.
 */
static void refuse(struct apsp_request *req)
{
	struct apsp_exchange *x = req->exchange;
	/* number of bytes that are still to come. For a body in chunks this
	   number is unknown, so use the number of bytes that have come since
	   the fault */
	uint64_t more = x->unwanted_bytes;

	if (x->announced_bytes > 0)
		more = (uint64_t)x->announced_bytes - x->body_bytes;
	if (more < LONG_BODY || !apsp_reply_refuse(req))
		return;
	x->refused = true;
	x->conn->linger = true;
}

void apsp_request_body_take(
	struct apsp_request *req, const char *data, size_t size)
{
	const struct apsp_limits *limits = &req->config->limits;
	struct apsp_exchange *x = req->exchange;
	struct apsp_pace *pace = &x->conn->pace;
	enum apsp_body mode = req->route ? req->route->body_mode : 0;
	int64_t now = apsp_clock_ns();
	int r;

	apsp_pace_moved(pace, size, now);
	/* now we wait for the client, until its next bytes come or
	   apsp_request_work() suspends the connection */
	apsp_pace_wait(pace, now);
	apsp_request_body_collect(req);
	x->body_bytes += size;
	/* send no refusal while the pool works, because the work may add
	   members to the problem */
	if (req->err.code != 0 && !req->replied &&
		!apsp_request_works_beside(req)) {
		x->unwanted_bytes += size;
		refuse(req);
	}
	if (mode == APSP_BODY_STREAM)
		extend(req, size);
	else /* the client has request_timeout_s for the whole request; the
		allowance is the rest of this time */
		x->allowance_ns = req->started_ns - apsp_clock_ns() +
				  limits->request_timeout_s * SECOND_NS;
	if (!req->route || req->err.code != 0)
		return; /* after a fault, drop the rest of the body piece by
			   piece. Many clients read the reply only after they
			   have sent the whole body */
	if (mode != APSP_BODY_STREAM && mode != APSP_BODY_PIECES)
		r = append(req, data, size, &req->err);
	else if (x->body_bytes > body_max(limits, mode))
		r = too_large(body_max(limits, mode), &req->err);
	else {
		/* set body_work before body() is called, because resume() in
		   request.c reads it */
		x->body_work = true;
		x->suspended = false;
		r = req->route->body(req, data, size, &req->err);
	}
	if (r < 0 && req->err.code == 0)
		req->err.code = r;
}
