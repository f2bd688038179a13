/*
 * Replies and the headers that all of them have.
 */
#include "api/reply.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/exchange.h"
#include "api/reaper.h"
#include "daemon/base/auto.h"

int apsp_reply_header(struct apsp_request *req, const char *name,
	const char *value, struct apsp_err *err)
{
	struct apsp_request_server *x = req->internal;
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

/* A client must take its bytes at the rate that uploads must keep. */
static int64_t reply_deadline(const struct apsp_request *req, uint64_t bytes)
{
	const struct apsp_server_limits *limits = &req->server->config.limits;
	uint64_t seconds = limits->request_timeout_s;

	if (limits->body_rate_min > 0)
		seconds += bytes / limits->body_rate_min;
	return apsp_now_ns() + (int64_t)seconds * 1000000000;
}

int apsp_reply_queue(struct apsp_request *req, unsigned int status,
	struct MHD_Response *response, uint64_t size_bytes,
	struct apsp_err *err)
{
	struct apsp_request_server *x = req->internal;
	enum MHD_Result ok = MHD_YES;

	for (size_t i = 0; i < x->n_headers && ok; i++) {
		if (!x->has_etag && strcmp(x->headers[i].name, "ETag") == 0)
			continue; /* of an answer that became an error */
		ok = MHD_add_response_header(
			response, x->headers[i].name, x->headers[i].value);
	}
	if (ok)
		ok = MHD_add_response_header(response, "X-Request-Id", req->id);
	if (ok)
		ok = MHD_add_response_header(response, "Cache-Control",
			x->has_etag ? "no-cache" : "no-store");
	if (ok)
		ok = MHD_add_response_header(
			response, "X-Content-Type-Options", "nosniff");
	if (ok && x->has_etag)
		ok = MHD_add_response_header(response, "Vary", "Accept");
	if (ok && (x->close || atomic_load(&req->server->stopping)))
		ok = MHD_add_response_header(response, "Connection", "close");
	apsp_conn_set_deadline(x->conn, reply_deadline(req, size_bytes));
	if (ok)
		ok = MHD_queue_response(req->connection, status, response);
	MHD_destroy_response(response);
	if (!ok)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	req->status = status;
	req->replied = true;
	return 0;
}

/*
 * Write a real in the fewest digits that give it back; the size. The text that
 * is already there, in 17 digits, is never shorter.
 */
static size_t shorten_real(char *out, const char *text, size_t size)
{
	double number = strtod(text, NULL);
	char best[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(best, sizeof(best), "%.*g", digits, number);
		if (strtod(best, NULL) == number)
			break;
	}
	if (!strpbrk(best, ".e") || strlen(best) >= size) {
		memmove(out, text, size);
		return size;
	}
	memcpy(out, best, strlen(best));
	return strlen(best);
}

/* In place: every real of a JSON text; strings are stepped over. */
static void shorten_reals(char *text)
{
	bool in_string = false;
	char *out = text;

	for (const char *in = text; *in;) {
		size_t size = in_string ? 0 : strspn(in, "-+.eE0123456789");

		/* the e of true and false is such a run, without a point */
		if (size > 0 && memchr(in, '.', size)) {
			out += shorten_real(out, in, size);
			in += size;
			continue;
		}
		if (*in == '"')
			in_string = !in_string;
		else if (*in == '\\')
			*out++ = *in++; /* whatever is escaped stays */
		*out++ = *in++;
	}
	*out = '\0';
}

char *apsp_json_text(const json_t *value)
{
	char *text = json_dumps(value,
		JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));

	if (text)
		shorten_reals(text);
	return text;
}

int apsp_reply_json(struct apsp_request *req, unsigned int status, json_t *body,
	struct apsp_err *err)
{
	struct MHD_Response *response;
	char *text;
	size_t size;

	text = body ? apsp_json_text(body) : NULL;
	json_decref(body);
	if (!text)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	size = strlen(text);
	text[size++] = '\n'; /* in place of the NUL, which nobody needs */
	response = MHD_create_response_from_buffer(
		size, text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(text);
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	}
	MHD_add_response_header(response, "Content-Type",
		req->internal->ndjson ? "application/x-ndjson"
				      : "application/json");
	return apsp_reply_queue(req, status, response, size, err);
}

int apsp_reply_empty(struct apsp_request *req, struct apsp_err *err)
{
	struct MHD_Response *response;

	response = MHD_create_response_from_buffer(
		0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
	if (!response)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	return apsp_reply_queue(req, MHD_HTTP_NO_CONTENT, response, 0, err);
}

/* Whether a list of entity tags holds tag, weakly compared. */
static bool tags_hold(const char *list, const char *tag)
{
	size_t size = strlen(tag);

	if (strcmp(list, "*") == 0)
		return true;
	for (const char *at = list; (at = strstr(at, tag)); at++) {
		char after = at[size];

		if (after == '\0' || after == ',' || after == ' ')
			return true; /* tag has its quotes */
	}
	return false;
}

static int set_tag(
	struct apsp_request *req, const char *tag, struct apsp_err *err)
{
	int r = apsp_reply_header(req, "ETag", tag, err);

	if (r == 0)
		req->internal->has_etag = true;
	return r;
}

int apsp_reply_revision(
	struct apsp_request *req, const char *revision, struct apsp_err *err)
{
	char tag[APSP_HASH_SIZE + 2];

	snprintf(tag, sizeof(tag), "\"%s\"", revision);
	return set_tag(req, tag, err);
}

int apsp_reply_etag(
	struct apsp_request *req, const char *id, struct apsp_err *err)
{
	const char *wanted = apsp_request_header(req, "If-None-Match");
	struct MHD_Response *response;
	char tag[160];
	int r;

	snprintf(tag, sizeof(tag), "\"%s%s\"", id,
		req->internal->ndjson ? "-ndjson" : "");
	r = set_tag(req, tag, err);
	if (r < 0)
		return r;
	if (!wanted || req->method != APSP_METHOD_GET ||
		!tags_hold(wanted, tag))
		return 0;
	response = MHD_create_response_from_buffer(
		0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
	if (!response)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a reply");
	r = apsp_reply_queue(req, MHD_HTTP_NOT_MODIFIED, response, 0, err);
	return r < 0 ? r : 1;
}

json_t *apsp_json_time(int64_t ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char day[32], text[48];
	struct tm tm;

	if (ms == 0)
		return json_null();
	gmtime_r(&seconds, &tm);
	strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s.%03dZ", day, (int)(ms % 1000));
	return json_string(text);
}

json_t *apsp_json_number(double value)
{
	if (!isfinite(value))
		return json_null();
	if (value == trunc(value) && fabs(value) < 9007199254740992.0)
		return json_integer((json_int_t)value);
	return json_real(value);
}
