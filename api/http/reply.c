/*
 * Whole replies, and the headers of all replies; see reply.h.
 */
#include "api/http/reply.h"

#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "api/connection/answer.h"
#include "api/connection/connection.h"
#include "api/encode/json.h"
#include "api/encode/problem.h"
#include "api/http/internal.h"
#include "api/http/negotiate.h"
#include "daemon/base/auto.h"
#include "daemon/base/budget.h"
#include "daemon/base/clock.h"

enum {
	/* the memory of a reply of at most this many bytes is not counted in
	   the budget of answers */
	SMALL_MAX = 65536,
	/* if a reply is longer than SMALL_MAX, at most this many of its bytes
	   are copied to libmicrohttpd at a time */
	PIECE_BYTES = 32768,
	TAG_SIZE = 160, /* bytes of an entity tag, with quotes and NUL */
	/* largest answer, in bytes, that is sent without libmicrohttpd. The
	   empty send buffer of a socket has space for this answer */
	DIRECT_MAX = 16384,
	/* after we have sent this many answers without libmicrohttpd, we ask
	   the kernel whether the client has read all of them. Asking takes 3 %
	   of the time of a short answer */
	UNASKED_MAX = 8,
	/* after we have sent this many bytes of answers without libmicrohttpd,
	   we also ask the kernel whether the client has read them. The send
	   buffer of any socket holds far more bytes */
	UNASKED_BYTES = 8192,
	HEAD_ROOM = 512, /* bytes that are allocated for an answer's head at
			    first; most heads are shorter */
};

static const char problem_type[] = "application/problem+json";

/*
 * A reply of more than SMALL_MAX bytes. Its memory counts in the memory budget
 * that all answers share, until the last byte is sent (api/http/README.md,
 * Answers share a budget).
 */
struct whole {
	struct apsp_text text;
	struct apsp_share share;
	struct apsp_connection *conn;
	size_t handed; /* number of bytes that the last call of read_whole()
			  copied */
};

int apsp_reply_header(struct apsp_request *req, const char *name,
	const char *value, struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	struct apsp_pair_text *header;

	if (x->n_headers == APSP_REPLY_HEADERS_MAX)
		return apsp_fail(err, APSP_EBUG, "too many reply headers");
	header = &x->headers[x->n_headers];
	header->name = strdup(name);
	header->value = strdup(value);
	if (!header->name || !header->value) {
		free(header->name);
		free(header->value);
		return apsp_fail(err, APSP_ENOMEM, "no memory");
	}
	x->n_headers++;
	return 0;
}

enum MHD_Result apsp_reply_hand_on(struct apsp_request *req,
	unsigned int status, struct MHD_Response *response)
{
	struct apsp_connection *conn = req->exchange->conn;
	enum MHD_Result ok;

	conn->replying_since_ns = apsp_clock_ns();
	/* this answer may be large, so ask the kernel before the next answer is
	   sent without libmicrohttpd */
	conn->n_unasked = UNASKED_MAX;
	ok = MHD_queue_response(req->connection, status, response);
	MHD_destroy_response(response);
	return ok;
}

/*
 * Call put() for each header of the reply except Content-Type. If a call of
 * put() returns false, stop and return false; else return true.
 */
static bool headers_put(const struct apsp_request *req, unsigned int status,
	bool (*put)(void *ctx, const char *name, const char *value), void *ctx)
{
	const struct apsp_exchange *x = req->exchange;
	bool varies = req->config->settings->allowed_origins.n > 0;
	/* Vary: the request headers that a cache must compare before it
	   reuses this answer */
	const char *vary = !x->has_etag ? (varies ? "Origin" : NULL)
			   : varies	? "Accept, Accept-Encoding, Origin"
					: "Accept, Accept-Encoding";

	for (size_t i = 0; i < x->n_headers; i++) {
		if (!x->has_etag && strcmp(x->headers[i].name, "ETag") == 0)
			continue; /* skip the ETag of an answer that became an
				     error */
		if (!put(ctx, x->headers[i].name, x->headers[i].value))
			return false;
	}
	if ((apsp_problem_passes(status) && !put(ctx, "Retry-After", "1")) ||
		!put(ctx, "X-Request-Id", req->id) ||
		!put(ctx, "Cache-Control",
			!x->has_etag	 ? "no-store"
			: req->immutable ? "public, max-age=31536000, immutable"
					 : "no-cache") ||
		!put(ctx, "X-Content-Type-Options", "nosniff") ||
		(vary && !put(ctx, "Vary", vary)))
		return false;
	/* name the headers that a page of an allowed origin is allowed to read.
	   CORS lets every page read a few more headers */
	return !x->origin ||
	       (put(ctx, "Access-Control-Allow-Origin", x->origin) &&
		       put(ctx, "Access-Control-Expose-Headers",
			       "Apsp-Revision, Apsp-Left-Out, Apsp-Question, "
			       "Apsp-Scale, Apsp-No-Path, Apsp-Predecessor, "
			       "ETag, Link, Location, Retry-After, "
			       "Accept-Ranges, Content-Range, "
			       "Content-Disposition, X-Request-Id, "
			       "WWW-Authenticate"));
}

static bool put_header(void *response, const char *name, const char *value)
{
	return MHD_add_response_header(response, name, value) == MHD_YES;
}

int apsp_reply_queue(struct apsp_request *req, unsigned int status,
	struct MHD_Response *response, uint64_t size_bytes,
	struct apsp_err *err)
{
	const struct apsp_limits *limits = &req->config->limits;
	struct apsp_exchange *x = req->exchange;
	uint64_t seconds = limits->request_timeout_s;
	enum MHD_Result ok;

	ok = headers_put(req, status, put_header, response) ? MHD_YES : MHD_NO;
	/* if this is the connection's last answer, say so in a header.
	   conn->ended is true if the bytes behind this request were refused, or
	   if the client's stream has ended */
	if (ok && (x->close || atomic_load(&req->server->stopping) ||
			  (x->conn->ended &&
				  x->conn->n_begun ==
					  x->conn->framing.n_requests)))
		ok = MHD_add_response_header(response, "Connection", "close");
	/* the client must read this answer at the rate body_rate_min or faster;
	   the same rate applies to uploads */
	if (limits->body_rate_min > 0)
		seconds += size_bytes / limits->body_rate_min;
	x->conn->deadline_ns = apsp_clock_ns() + (int64_t)seconds * 1000000000;
	if (ok && (req->in_pool || !req->connection))
		x->held = response; /* dispatch.c will pass the response to
				       libmicrohttpd */
	else if (ok)
		ok = apsp_reply_hand_on(req, status, response);
	else
		MHD_destroy_response(response);
	if (!ok)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	req->status = status;
	req->replied = true;
	return 0;
}

static void whole_free(void *cls)
{
	struct whole *whole = cls;

	if (!whole)
		return;
	apsp_text_done(&whole->text);
	apsp_share_close(&whole->share);
	free(whole);
}

APSP_AUTO_DEFINE(whole_end, struct whole, whole_free);

static ssize_t read_whole(void *cls, uint64_t pos, char *buffer, size_t max)
{
	struct whole *whole = cls;
	struct apsp_pace *pace = &whole->conn->pace;
	size_t left = whole->text.size - (size_t)pos;
	int64_t now = apsp_clock_ns();

	apsp_pace_moved(pace, whole->handed, now);
	whole->handed = left < max ? left : max;
	memcpy(buffer, whole->text.data + pos, whole->handed);
	apsp_pace_wait(pace, now);
	return (ssize_t)whole->handed;
}

/* Make the response of a long reply. The response owns the memory of *bytes.
   After success, *bytes is empty. */
static int whole_response(struct apsp_request *req, struct apsp_text *bytes,
	struct MHD_Response **out, struct apsp_err *err)
{
	APSP_AUTO(whole_end) struct whole *whole = NULL;
	int r;

	whole = calloc(1, sizeof(*whole));
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	whole->conn = req->exchange->conn;
	r = apsp_request_share(req, &whole->share, err);
	if (r == 0)
		r = apsp_share_set(
			&whole->share, bytes->room, "the answer", err);
	if (r < 0)
		return r;
	*out = MHD_create_response_from_callback(
		bytes->size, PIECE_BYTES, read_whole, whole, whole_free);
	if (!*out)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	whole->text = *bytes;
	*bytes = (struct apsp_text){0};
	whole = NULL; /* the response owns the struct now */
	return 0;
}

int apsp_reply_bytes(struct apsp_request *req, unsigned int status,
	const char *type, struct apsp_text *bytes, struct apsp_err *err)
{
	struct MHD_Response *response = NULL;
	size_t size = bytes->size;
	int r = apsp_text_check(bytes, err);

	if (r < 0)
		return r;
	if (req->exchange->express) {
		req->exchange->type = type;
		req->exchange->answer = *bytes;
		*bytes = (struct apsp_text){0};
		req->status = status;
		req->replied = true;
		return 0;
	}
	if (size > SMALL_MAX) {
		r = whole_response(req, bytes, &response, err);
		if (r < 0)
			return r;
	} else {
		response = MHD_create_response_from_buffer(
			size, bytes->data, MHD_RESPMEM_MUST_FREE);
		if (!response)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for a reply");
		*bytes = (struct apsp_text){0};
	}
	if (type)
		MHD_add_response_header(response, "Content-Type", type);
	return apsp_reply_queue(req, status, response, size, err);
}

int apsp_reply_text(struct apsp_request *req, unsigned int status,
	struct apsp_text *text, struct apsp_err *err)
{
	int r;

	apsp_text_byte(text, '\n');
	r = apsp_reply_bytes(req, status,
		req->format == APSP_REPLY_NDJSON ? "application/x-ndjson"
						 : "application/json",
		text, err);
	apsp_text_done(text);
	return r;
}

int apsp_reply_json(struct apsp_request *req, unsigned int status, json_t *body,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_text_done) struct apsp_text text = {0};
	struct apsp_json_writer w = {.text = &text};

	apsp_json_tree(&w, body);
	return apsp_reply_text(req, status, &text, err);
}

int apsp_reply_empty(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_text nothing = {0};

	return apsp_reply_bytes(req, MHD_HTTP_NO_CONTENT, NULL, &nothing, err);
}

bool apsp_reply_tags_hold(const char *list, const char *tag, bool strong)
{
	size_t size = strlen(tag);

	if (strcmp(list, "*") == 0)
		return true;
	for (const char *at = list; (at = strstr(at, tag)); at++) {
		char after = at[size];

		if (strong && at != list && at[-1] == '/')
			continue;
		if (after == '\0' || after == ',' || after == ' ')
			return true; /* `tag` includes its quotes, so we have
					found a whole tag of the list, not a
					part of one */
	}
	return false;
}

/* Write the tag of the answer's compressed form: the tag of the plain answer,
   with the coding's name inserted before the last quote. */
static void tag_code(const char *tag, enum apsp_packing coding, char out[])
{
	snprintf(out, TAG_SIZE, "%.*s-%s\"", (int)strlen(tag) - 1, tag,
		apsp_packing_names[coding]);
}

/* Whether a list of entity tags has the tag of the answer or of one of its
   compressed forms. */
static bool any_tag_holds(const char *list, const char *tag, bool strong)
{
	char gzip[TAG_SIZE], zstd[TAG_SIZE];

	tag_code(tag, APSP_PACKING_GZIP, gzip);
	tag_code(tag, APSP_PACKING_ZSTD, zstd);
	return apsp_reply_tags_hold(list, tag, strong) ||
	       apsp_reply_tags_hold(list, gzip, strong) ||
	       apsp_reply_tags_hold(list, zstd, strong);
}

/* Put the tag of the answer's compressed form in place of the ETag. */
static int etag_code(struct apsp_request *req, enum apsp_packing coding,
	struct apsp_err *err)
{
	struct apsp_exchange *x = req->exchange;
	char tag[TAG_SIZE];

	for (size_t i = 0; i < x->n_headers; i++) {
		if (strcmp(x->headers[i].name, "ETag") != 0)
			continue;
		tag_code(x->headers[i].value, coding, tag);
		free(x->headers[i].value);
		x->headers[i].value = strdup(tag);
		if (!x->headers[i].value) {
			free(x->headers[i].name);
			x->headers[i] = x->headers[--x->n_headers];
			return apsp_fail(err, APSP_ENOMEM, "no memory");
		}
	}
	return 0;
}

int apsp_reply_packed(struct apsp_request *req, enum apsp_packing coding,
	struct apsp_err *err)
{
	int r = etag_code(req, coding, err);

	if (r < 0)
		return r;
	return apsp_reply_header(
		req, "Content-Encoding", apsp_packing_names[coding], err);
}

/* Write an entity tag: an id in quotes. Every answer about a path has a tag, so
   this function does not call snprintf(), which would be slower. */
static void tag_write(const char *id, char out[])
{
	size_t size = strnlen(id, TAG_SIZE - 3);

	out[0] = '"';
	memcpy(out + 1, id, size);
	memcpy(out + 1 + size, "\"", 2);
}

/* Set the ETag of an answer. APSP_EPRECONDITION: the request's If-Match does
   not have this ETag. */
static int set_tag(
	struct apsp_request *req, const char *tag, struct apsp_err *err)
{
	const char *wanted = apsp_request_header(req, "If-Match");
	int r;

	if (wanted && !any_tag_holds(wanted, tag, true))
		return apsp_fail(
			err, APSP_EPRECONDITION, "the ETag is %s by now", tag);
	r = apsp_reply_header(req, "ETag", tag, err);
	if (r == 0)
		req->exchange->has_etag = true;
	return r;
}

int apsp_reply_revision(
	struct apsp_request *req, const char *revision, struct apsp_err *err)
{
	char tag[TAG_SIZE];

	tag_write(revision, tag);
	return set_tag(req, tag, err);
}

/* Write the entity tag of an answer. The tag names the format of the answer,
   unless the format is JSON. */
static void format_tag_write(
	const struct apsp_request *req, const char *id, char out[])
{
	if (req->format == APSP_REPLY_JSON)
		tag_write(id, out);
	else
		snprintf(out, TAG_SIZE, "\"%s-%s\"", id,
			apsp_reply_formats[req->format].name);
}

bool apsp_reply_is_known(const struct apsp_request *req, const char *id)
{
	const char *wanted = apsp_request_header(req, "If-None-Match");
	char tag[TAG_SIZE];

	if (!wanted || req->method != APSP_METHOD_GET)
		return false;
	format_tag_write(req, id, tag);
	return any_tag_holds(wanted, tag, false);
}

/*
 * Returns the form of the answer that the client has, by the tags of its
 * If-None-Match. If it has several forms, the form that the request would get
 * comes first.
 */
static enum apsp_packing known_form(
	const struct apsp_request *req, const char *tag)
{
	const char *wanted = apsp_request_header(req, "If-None-Match");
	const enum apsp_packing forms[] = {apsp_negotiate_packing(req, false),
		APSP_PACKING_IDENTITY, APSP_PACKING_GZIP, APSP_PACKING_ZSTD};
	char coded[TAG_SIZE];

	if (strcmp(wanted, "*") == 0)
		return APSP_PACKING_IDENTITY;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (forms[i] != APSP_PACKING_IDENTITY)
			tag_code(tag, forms[i], coded);
		if (apsp_reply_tags_hold(wanted,
			    forms[i] == APSP_PACKING_IDENTITY ? tag : coded,
			    false))
			return forms[i];
	}
	return APSP_PACKING_IDENTITY;
}

int apsp_reply_etag(
	struct apsp_request *req, const char *id, struct apsp_err *err)
{
	struct apsp_text nothing = {0};
	enum apsp_packing form;
	char tag[TAG_SIZE];
	int r;

	format_tag_write(req, id, tag);
	r = set_tag(req, tag, err);
	if (r < 0)
		return r;
	if (!apsp_reply_is_known(req, id))
		return 0;
	/* a cache finds the answer that it may use again by the ETag of the
	   304 (RFC 9111, section 4.3.4) */
	form = known_form(req, tag);
	if (form != APSP_PACKING_IDENTITY)
		r = etag_code(req, form, err);
	if (r < 0)
		return r;
	r = apsp_reply_bytes(req, MHD_HTTP_NOT_MODIFIED, NULL, &nothing, err);
	return r < 0 ? r : 1;
}

void apsp_reply_problem(
	struct apsp_request *req, const struct apsp_err *err, json_t *extra)
{
	unsigned int status = apsp_problem_status(err->code);
	APSP_AUTO(apsp_text_done) struct apsp_text body = {0};

	req->err = *err;
	req->exchange->has_etag = false;
	apsp_problem_append(
		err, req->config->settings->base_path, extra, req->id, &body);
	/* send the status without the problem's text if there was no memory for
	   the text, or if the text is so long that its memory would have to be
	   counted in the budget of answers */
	if (body.failed || body.size > SMALL_MAX)
		apsp_text_done(&body);
	/* if there is no memory for the reply, dispatch.c closes the
	   connection */
	apsp_reply_bytes(req, status, problem_type, &body, NULL);
}

/*
 * Whether the socket's send buffer has space for an answer of `size` bytes. If
 * so, the answer counts as sent, so the caller must send it. To save time, the
 * kernel is asked only once for several small answers.
 */
static bool has_room(struct apsp_connection *conn, size_t size)
{
	int n_unsent;

	if (conn->n_unasked >= UNASKED_MAX ||
		conn->unasked_bytes + size > UNASKED_BYTES) {
		if (ioctl(conn->fd, SIOCOUTQ, &n_unsent) < 0 || n_unsent > 0)
			return false;
		conn->n_unasked = 0;
		conn->unasked_bytes = 0;
	}
	conn->n_unasked++;
	conn->unasked_bytes += size;
	return true;
}

bool apsp_reply_direct(const struct apsp_request *req, unsigned int status,
	const char *type, const struct apsp_text *body)
{
	struct apsp_connection *conn = req->exchange->conn;
	APSP_AUTO(apsp_text_done) struct apsp_text out = {0};
	ssize_t n;

	/* write to `out` the same bytes that libmicrohttpd would send */
	apsp_text_reserve(&out, HEAD_ROOM + body->size);
	apsp_answer_begin(&out, status, req->exchange->close);
	if (type)
		apsp_answer_header(&out, "Content-Type", type);
	headers_put(req, status, apsp_answer_header, &out);
	apsp_answer_end(&out, body->data, body->size);
	/* if the client has not read earlier answers, the socket may have space
	   for only a part of this answer */
	if (out.failed || out.size > DIRECT_MAX || !has_room(conn, out.size))
		return false;
	n = send(conn->fd, out.data, out.size, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0)
		return false;
	/* the kernel took only a part of the bytes, because it had no memory
	   for the others; so the answer cannot be completed */
	if ((size_t)n < out.size)
		apsp_connection_reset(conn);
	return true;
}

bool apsp_reply_refuse(struct apsp_request *req)
{
	unsigned int status = apsp_problem_status(req->err.code);
	struct apsp_exchange *x = req->exchange;
	APSP_AUTO(apsp_text_done) struct apsp_text body = {0};

	x->close = true;
	x->has_etag = false;
	apsp_problem_append(&req->err, req->config->settings->base_path,
		json_incref(x->extra), req->id, &body);
	if (body.failed || !apsp_reply_direct(req, status, problem_type, &body))
		return false;
	req->status = status;
	req->replied = true;
	x->conn->replying_since_ns = apsp_clock_ns();
	return true;
}
