/*
 * The bodies of requests: JSON objects, and bodies of another syntax.
 *
 * A short JSON object is buffered and parsed whole. A body that may be long is
 * parsed while it arrives (APSP_BODY_PIECES). The connection's thread parses
 * small pieces, and the thread pool parses large pieces. If a member of the
 * object is wrong, the error reply (problem, RFC 9457) gets a JSON pointer that
 * names the member.
 */
#ifndef APSP_API_BODY_H
#define APSP_API_BODY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/encode/json.h"
#include "api/http/request.h"
#include "daemon/base/err.h"
#include "storage/ingest/json_reader.h"
#include "storage/ingest/labels.h"

/*
 * Parse the buffered body; the caller releases *out. An object in which two
 * members have the same name is refused, because parsers disagree about which
 * of the two values counts. A text that has a NUL or is not UTF-8 is refused.
 * All numbers are reals of jansson, also those without a fraction.
 * APSP_EMALFORMED, with line and column: the body is not JSON, or not an
 * object.
 */
int apsp_body_json(
	const struct apsp_request *req, json_t **out, struct apsp_err *err);

/*
 * Check that the names of all members of the body's object are in the array
 * `names`, whose last item is NULL. APSP_EMALFORMED: a member has another name;
 * the error reply (problem) then has a JSON pointer to this member. If the
 * route's query has an argument with this name, the message says that the
 * member belongs in the query.
 */
int apsp_body_only(struct apsp_request *req, json_t *object,
	const char *const *names, struct apsp_err *err);

/*
 * Call this before refusing a request because of one member of the request's
 * body. The error reply (problem) then has a JSON pointer (RFC 6901) that names
 * the member. If the member's name is too long, no pointer is added.
 */
void apsp_body_point(struct apsp_request *req, const char *name, size_t size);

/*
 * Refuse a request because of the member `name` of its body: call
 * apsp_body_point(), store the message that printf() would write, and return
 * APSP_EMALFORMED.
 */
__attribute__((format(printf, 4, 5))) int apsp_body_refuse(
	struct apsp_request *req, const char *name, struct apsp_err *err,
	const char *format, ...);

/* Refuse the value of the member `name`. `event` is the parser's event at which
   this value begins. The message shows the value, and says what was expected
   instead (`expected`). Returns APSP_EMALFORMED. */
int apsp_body_expected(struct apsp_request *req, const char *name,
	const struct apsp_json_event *event, const char *expected,
	struct apsp_err *err);

/*
 * The syntax of a body. feed() parses the next bytes, and end() ends the
 * parsing; end() may be called again after it has returned 0. Both return 0 or
 * a negative code. If one of these functions fails with APSP_EDATA (the body
 * does not have this syntax), the request fails with APSP_EMALFORMED.
 */
struct apsp_body_syntax {
	const char *name; /* name of the syntax for messages, such as "JSON" */
	int (*feed)(struct apsp_request *req, const char *data, size_t size,
		struct apsp_err *err);
	int (*end)(struct apsp_request *req, struct apsp_err *err);
};

/* A body that is being parsed. The handler keeps a struct in req->state, and
   the first member of that struct must be a struct apsp_body_stream. */
struct apsp_body_stream {
	/* NULL: the body is a JSON object, and `members`, `expected`, `hint`,
	   `may_be_empty` and `value` describe this object */
	const struct apsp_body_syntax *syntax;
	/* The names of the members that are allowed in the object; the last
	   item is NULL. */
	const char *const *members;
	const char *expected; /* the members' names as a phrase for error
				 messages */
	const char *hint;     /* appended to the error message if the parser
				 fails at the first byte of the body; may be
				 NULL */
	bool may_be_empty;    /* a body of 0 bytes counts as an empty object */
	/*
	 * Called for each event that the parser finds inside the value of a
	 * member: for the value itself, which has depth 1, and for everything
	 * inside it.
	 */
	int (*value)(struct apsp_request *req,
		const struct apsp_json_event *event, struct apsp_err *err);
	/*
	 * An error that was found before the body arrived, such as an unknown
	 * graph. Its code is 0 if there was no error. A refusal that is sent
	 * before the body is complete would end the connection. So the rest of
	 * the body is received but not parsed, and then the refusal is sent.
	 */
	struct apsp_err refusal;

	unsigned int member; /* the member that is being read, as an index in
				`members` */
	/* bit m is set once the parser has reached the value of the member m */
	unsigned int seen;

	/* The following members are private to body.c. */
	/* the parser of JSON; owned; NULL after apsp_body_stream_end() */
	struct apsp_json_reader *json;
	const struct apsp_labels *labels; /* borrowed */
	bool fed;			  /* the body has at least one byte */
	char *piece; /* a copy of the piece that the pool parses; owned */
	size_t piece_size;
};

/*
 * Begin to parse a body. The caller has set `syntax`, or `members` and `value`.
 * Labels in the body are looked up in `labels`, which are borrowed. If there
 * are many labels (apsp_reading_labels_are_many()), the thread pool parses
 * small pieces, too, because an unknown label then takes long: it is compared
 * with all labels, in order to suggest similar ones. APSP_ENOMEM.
 */
int apsp_body_stream_begin(struct apsp_request *req,
	const struct apsp_labels *labels, struct apsp_err *err);
void apsp_body_stream_done(struct apsp_body_stream *body);

/*
 * Parse a piece of the body. This function is the body() of each route with
 * APSP_BODY_PIECES.
 * APSP_EMALFORMED: the body does not have its syntax, is not an object, has a
 * member that is not in `members`, or has a text of JSON with a NUL or with
 * bytes that are not UTF-8. APSP_ENOMEM. Also fails with the errors
 * that value() returns.
 */
int apsp_body_stream_feed(struct apsp_request *req, const char *data,
	size_t size, struct apsp_err *err);

/*
 * End the parsing of a complete body. May be called again after it has returned
 * 0. Fails with the error in `refusal`, if there is one. APSP_EMALFORMED: the
 * body is not complete.
 */
int apsp_body_stream_end(struct apsp_request *req, struct apsp_err *err);

#endif
