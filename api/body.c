/* The bodies of requests; see body.h. */
#include "api/body.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/http/route.h"
#include "api/reading.h"
#include "daemon/base/fixed_text.h"
#include "daemon/base/utf8.h"

enum {
	POINTER_SIZE = 160, /* bytes for a JSON pointer with its NUL */
};

static int event_ignore(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	(void)ctx;
	(void)event;
	(void)err;
	return 0;
}

/*
 * Whether jansson failed because an allocation failed. In this case, jansson
 * 2.14 often reports a syntax error such as "'}' expected". So this function
 * parses the body again with our own JSON reader. If our reader finds no error,
 * jansson had no memory.
 */
static bool is_memory(const struct apsp_request *req, enum json_error_code code)
{
	struct apsp_json_reader *reader = NULL;
	bool good;

	if (code == json_error_out_of_memory)
		return true;
	if (code != json_error_unknown && code != json_error_invalid_syntax &&
		code != json_error_premature_end_of_input)
		return false;
	if (apsp_json_reader_new(event_ignore, NULL, &reader, NULL) < 0)
		return true;
	good = apsp_json_reader_feed(reader, req->body, req->body_size, NULL) ==
		       0 &&
	       apsp_json_reader_end(reader, NULL) == 0;
	free(reader);
	return good;
}

int apsp_body_json(
	const struct apsp_request *req, json_t **out, struct apsp_err *err)
{
	/*
	 * set to zero, because jansson 2.14 sets no error code if its first
	 * allocation fails
	 */
	json_error_t error = {0};
	json_t *body;

	if (req->body_size == 0)
		return apsp_fail_at(err, APSP_EMALFORMED, 1, 1,
			"the body is empty; expected a JSON object");
	/* read all numbers as reals. In JSON, 5 and 5.0 are the same number;
	   and a client may write all digits of 1e20, which do not fit jansson's
	   integers */
	body = json_loadb(req->body, req->body_size,
		JSON_REJECT_DUPLICATES | JSON_DECODE_ANY |
			JSON_DECODE_INT_AS_REAL,
		&error);
	if (!body) {
		if (is_memory(req, json_error_code(&error)))
			return apsp_fail(err, APSP_ENOMEM, "out of memory");
		return apsp_fail_at(err, APSP_EMALFORMED,
			error.line > 0 ? (uint64_t)error.line : 1,
			error.column > 0 ? (uint64_t)error.column : 1,
			"the body %s: %s",
			json_error_code(&error) == json_error_numeric_overflow
				? "has a number that is too large"
				: "is not JSON",
			error.text);
	}
	if (!json_is_object(body)) {
		json_decref(body);
		return apsp_fail_at(err, APSP_EMALFORMED, 1, 1,
			"the body is JSON, but not an object");
	}
	*out = body;
	return 0;
}

void apsp_body_point(struct apsp_request *req, const char *name, size_t size)
{
	char pointer[POINTER_SIZE] = "/";
	size_t n = 1;

	for (size_t i = 0; i < size; i++) {
		bool escaped = name[i] == '~' || name[i] == '/';

		if (n + 3 > sizeof(pointer))
			return; /* if the JSON pointer does not fit the buffer,
				   add no pointer, because a shortened pointer
				   would name another member */
		if (escaped)
			pointer[n++] = '~';
		pointer[n++] = !escaped ? name[i] : name[i] == '~' ? '0' : '1';
	}
	pointer[n] = '\0';
	apsp_request_extra(req, json_pack("{s:s}", "pointer", pointer));
}

int apsp_body_refuse(struct apsp_request *req, const char *name,
	struct apsp_err *err, const char *format, ...)
{
	char message[APSP_MESSAGE_SIZE];
	va_list args;

	apsp_body_point(req, name, strlen(name));
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return apsp_fail(err, APSP_EMALFORMED, "%s", message);
}

int apsp_body_expected(struct apsp_request *req, const char *name,
	const struct apsp_json_event *event, const char *expected,
	struct apsp_err *err)
{
	bool is_list = event->kind == APSP_JSON_ARRAY;

	if (is_list || event->kind == APSP_JSON_OBJECT)
		return apsp_body_refuse(req, name, err, "%s is %s; expected %s",
			name, is_list ? "a list" : "an object", expected);
	return apsp_body_refuse(req, name, err, "%s is '%s'; expected %s", name,
		apsp_excerpt_of(event->text, event->size).text, expected);
}

/* Refuse a member that is not allowed in the object. */
static int member_refuse(const struct apsp_request *req, const char *name,
	const char *expected, struct apsp_err *err)
{
	if (req->route && apsp_fixed_text_is_among(req->route->arguments, name))
		return apsp_fail(err, APSP_EMALFORMED,
			"the body has a member '%s', which belongs in the "
			"query: ?%s=VALUE",
			name, name);
	return apsp_fail(err, APSP_EMALFORMED,
		"the body has a member '%.80s' that is not known; expected %s",
		name, expected);
}

int apsp_body_only(struct apsp_request *req, json_t *object,
	const char *const *names, struct apsp_err *err)
{
	char list[APSP_FIXED_LIST_SIZE];
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		if (apsp_fixed_text_is_among(names, name))
			continue;
		apsp_body_point(req, name, strlen(name));
		apsp_fixed_text_list(list, sizeof(list), names);
		return member_refuse(req, name, list, err);
	}
	return 0;
}

enum {
	SMALL_PIECE = 4096, /* bytes; larger pieces are parsed on the thread
			       pool */
};

static int member_begin(struct apsp_request *req,
	const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)event->size, event->text);
	for (unsigned int m = 0; body->members[m]; m++) {
		if (strcmp(name, body->members[m]) != 0)
			continue;
		if (body->seen >> m & 1)
			return apsp_fail(err, APSP_EMALFORMED,
				"the body has the member '%s' twice", name);
		body->seen |= 1U << m;
		body->member = m;
		return 0;
	}
	apsp_body_point(req, event->text, event->size);
	return member_refuse(req, name, body->expected, err);
}

static int on_event(
	void *ctx, const struct apsp_json_event *event, struct apsp_err *err)
{
	struct apsp_request *req = ctx;
	struct apsp_body_stream *body = req->state;
	bool is_text =
		event->kind == APSP_JSON_KEY || event->kind == APSP_JSON_STRING;

	/* refuse a text that is not UTF-8 or has a NUL, as jansson does when it
	   parses a whole body */
	if (is_text && !apsp_utf8_valid(event->text, event->size))
		return apsp_refuse(err, event->place,
			"'%s' is not UTF-8 text without NUL",
			apsp_excerpt_of(event->text, event->size).text);
	if (event->depth == 1 && event->kind == APSP_JSON_KEY)
		return member_begin(req, event, err);
	if (event->depth > 0)
		return body->value(req, event, err);
	if (event->kind == APSP_JSON_OBJECT ||
		event->kind == APSP_JSON_OBJECT_END)
		return 0;
	return apsp_fail_at(err, APSP_EMALFORMED, 1, 1,
		"the body is JSON, but not an object");
}

static int json_feed(struct apsp_request *req, const char *data, size_t size,
	struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;

	return apsp_json_reader_feed(body->json, data, size, err);
}

static int json_end(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;
	int r = 0;

	if (body->json && (body->fed || !body->may_be_empty))
		r = apsp_json_reader_end(body->json, err);
	if (r < 0)
		return r;
	/*
	 * free the reader now, because it has a buffer for the longest string,
	 * and req->state may live long
	 */
	free(body->json);
	body->json = NULL;
	return 0;
}

static const struct apsp_body_syntax json_syntax = {
	"JSON", json_feed, json_end};

int apsp_body_stream_begin(struct apsp_request *req,
	const struct apsp_labels *labels, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;

	body->labels = labels;
	if (body->syntax)
		return 0;
	body->syntax = &json_syntax;
	return apsp_json_reader_new(on_event, req, &body->json, err);
}

void apsp_body_stream_done(struct apsp_body_stream *body)
{
	free(body->json);
	free(body->piece);
}

/*
 * Turn a parser's APSP_EDATA into APSP_EMALFORMED. APSP_EDATA is for faults in
 * uploads; APSP_EMALFORMED is for faults in requests.
 */
static int as_request(
	const struct apsp_body_stream *body, int r, struct apsp_err *err)
{
	char what[APSP_MESSAGE_SIZE];
	bool at_start;

	if (r != APSP_EDATA)
		return r;
	at_start = err->line == 1 && err->column == 1;
	memcpy(what, err->message, sizeof(what));
	return apsp_fail_at(err, APSP_EMALFORMED, err->line, err->column,
		"the body is not %s: %s%s", body->syntax->name, what,
		body->json && body->hint && at_start ? body->hint : "");
}

/* Parse the bytes at body->piece. Runs on the thread pool. */
static int piece_step(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;
	int r = as_request(body,
		body->syntax->feed(req, body->piece, body->piece_size, err),
		err);

	free(body->piece);
	body->piece = NULL;
	return r;
}

int apsp_body_stream_feed(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;

	if (body->refusal.code)
		return 0;
	body->fed |= size > 0;
	if (size <= SMALL_PIECE && !apsp_reading_labels_are_many(body->labels))
		return as_request(
			body, body->syntax->feed(req, data, size, err), err);
	body->piece = malloc(size);
	if (!body->piece)
		return apsp_fail(err, APSP_ENOMEM, "no memory for the body");
	memcpy(body->piece, data, size);
	body->piece_size = size;
	apsp_request_work(req, piece_step);
	return 0;
}

int apsp_body_stream_end(struct apsp_request *req, struct apsp_err *err)
{
	struct apsp_body_stream *body = req->state;

	if (body->refusal.code) {
		*err = body->refusal;
		return err->code;
	}
	return as_request(body, body->syntax->end(req, err), err);
}
