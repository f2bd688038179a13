/*
 * Parses JSON (RFC 8259) in pieces of any size into a stream of events.
 */
#ifndef APSP_STORAGE_INGEST_JSON_READER_H
#define APSP_STORAGE_INGEST_JSON_READER_H

#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/ingest/text_position.h"

enum {
	APSP_JSON_DEPTH_MAX = 32,
	/* largest number of bytes of one string or number */
	APSP_JSON_TEXT_MAX = 1 << 16,
};

enum apsp_json_kind {
	APSP_JSON_OBJECT, /* an object begins */
	APSP_JSON_OBJECT_END,
	APSP_JSON_ARRAY, /* an array begins */
	APSP_JSON_ARRAY_END,
	APSP_JSON_KEY,
	APSP_JSON_STRING,
	APSP_JSON_NUMBER, /* the event's text follows JSON's grammar of
			     numbers */
	APSP_JSON_WORD,	  /* true, false, null */
};

struct apsp_json_event {
	enum apsp_json_kind kind;
	unsigned int depth; /* number of containers around the value */
	const char *text; /* text of a key or of a value, unescaped; borrowed */
	size_t size;
	struct apsp_text_position place;
};

struct apsp_json_reader;

/*
 * Make a reader that calls handler() for each event; a negative result of
 * handler() ends the parsing. The caller ends *out with free(). APSP_ENOMEM.
 */
int apsp_json_reader_new(
	int (*handler)(void *ctx, const struct apsp_json_event *event,
		struct apsp_err *err),
	void *ctx, struct apsp_json_reader **out, struct apsp_err *err);

/* Parse the next bytes. APSP_EDATA: the text is not JSON or exceeds a limit.
   Also fails with the errors of handler(). */
int apsp_json_reader_feed(struct apsp_json_reader *reader, const char *data,
	size_t size, struct apsp_err *err);

/* Call this at the end of the text. APSP_EDATA: the JSON value is
   incomplete. */
int apsp_json_reader_end(struct apsp_json_reader *reader, struct apsp_err *err);

/* Fail with APSP_EDATA: "found a number '3', expected <expected>". */
int apsp_json_event_refuse(const struct apsp_json_event *event,
	const char *expected, struct apsp_err *err);

#endif
