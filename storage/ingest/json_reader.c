/*
 * Parses JSON with two state machines; see json_reader.h. The first machine
 * turns bytes into tokens, and the second machine turns tokens into events.
 * Each byte is read once. The end of a number or word is known only when the
 * byte after it is read. Every other token ends with its own last byte.
 */
#include "storage/ingest/json_reader.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/hex.h"
#include "daemon/base/utf8.h"

enum token_state {
	TOKEN_NONE,
	TOKEN_STRING,
	TOKEN_ESCAPE, /* after a backslash */
	TOKEN_HEX,    /* within the four digits of \u */
	TOKEN_ATOM,   /* a number or a word */
};

enum expected {
	EXPECT_VALUE,
	EXPECT_VALUE_OR_END, /* after [ */
	EXPECT_KEY,
	EXPECT_KEY_OR_END, /* after { */
	EXPECT_COLON,
	EXPECT_COMMA_OR_END,
	EXPECT_NOTHING,
};

static const char *const expected_texts[] = {"a value", "a value or ']'",
	"a string as key", "a string as key or '}'", "':'",
	"',' or the closing bracket", "the end of the file"};

struct apsp_json_reader {
	int (*handler)(void *ctx, const struct apsp_json_event *event,
		struct apsp_err *err);
	void *ctx;
	enum token_state token;
	enum expected expected;
	unsigned int depth;
	bool in_object[APSP_JSON_DEPTH_MAX];
	struct apsp_text_position here;	 /* position of the current byte */
	struct apsp_text_position place; /* start of the token */
	unsigned int hex_left;
	uint32_t hex;
	uint32_t high; /* a high surrogate whose low surrogate must follow; 0:
			  there is none */
	size_t size;
	char text[APSP_JSON_TEXT_MAX];
};

int apsp_json_reader_new(
	int (*handler)(void *ctx, const struct apsp_json_event *event,
		struct apsp_err *err),
	void *ctx, struct apsp_json_reader **out, struct apsp_err *err)
{
	struct apsp_json_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	reader->handler = handler;
	reader->ctx = ctx;
	reader->here = (struct apsp_text_position){1, 1, false};
	*out = reader;
	return 0;
}

static int unexpected(const struct apsp_json_reader *reader, const char *text,
	size_t size, struct apsp_err *err)
{
	return apsp_refuse(err, reader->place, "found '%s', expected %s",
		apsp_excerpt_of(text, size).text,
		expected_texts[reader->expected]);
}

static int event(struct apsp_json_reader *reader, enum apsp_json_kind kind,
	struct apsp_err *err)
{
	const struct apsp_json_event event = {
		kind, reader->depth, reader->text, reader->size, reader->place};

	return reader->handler(reader->ctx, &event, err);
}

static bool value_may_come(const struct apsp_json_reader *reader)
{
	return reader->expected == EXPECT_VALUE ||
	       reader->expected == EXPECT_VALUE_OR_END;
}

static void value_ended(struct apsp_json_reader *reader)
{
	reader->expected = reader->depth ? EXPECT_COMMA_OR_END : EXPECT_NOTHING;
}

static int open_bracket(
	struct apsp_json_reader *reader, bool object, struct apsp_err *err)
{
	int r;

	if (!value_may_come(reader))
		return unexpected(reader, object ? "{" : "[", 1, err);
	if (reader->depth == APSP_JSON_DEPTH_MAX)
		return apsp_refuse(err, reader->place,
			"brackets are nested more than %d deep",
			APSP_JSON_DEPTH_MAX);
	r = event(reader, object ? APSP_JSON_OBJECT : APSP_JSON_ARRAY, err);
	reader->in_object[reader->depth++] = object;
	reader->expected = object ? EXPECT_KEY_OR_END : EXPECT_VALUE_OR_END;
	return r;
}

static int close_bracket(
	struct apsp_json_reader *reader, bool object, struct apsp_err *err)
{
	bool allowed = reader->expected == EXPECT_COMMA_OR_END ||
		       reader->expected == (object ? EXPECT_KEY_OR_END
						   : EXPECT_VALUE_OR_END);

	if (!allowed || reader->in_object[reader->depth - 1] != object)
		return unexpected(reader, object ? "}" : "]", 1, err);
	reader->depth--;
	value_ended(reader);
	return event(reader,
		object ? APSP_JSON_OBJECT_END : APSP_JSON_ARRAY_END, err);
}

static size_t digits_skip(const char *text, size_t at, size_t size)
{
	while (at < size && text[at] >= '0' && text[at] <= '9')
		at++;
	return at;
}

static bool is_number(const char *text, size_t size)
{
	size_t at = text[0] == '-', start = at;

	at = digits_skip(text, at, size);
	if (at == start || (text[start] == '0' && at > start + 1))
		return false;
	if (at < size && text[at] == '.') {
		start = at + 1;
		at = digits_skip(text, start, size);
		if (at == start)
			return false;
	}
	if (at < size && (text[at] == 'e' || text[at] == 'E')) {
		start = at + 1;
		if (start < size && (text[start] == '-' || text[start] == '+'))
			start++;
		at = digits_skip(text, start, size);
		if (at == start)
			return false;
	}
	return at == size;
}

static int atom_ended(struct apsp_json_reader *reader, struct apsp_err *err)
{
	static const char *const words[] = {"true", "false", "null"};
	const bool number = is_number(reader->text, reader->size);
	bool known = number;

	reader->token = TOKEN_NONE;
	for (size_t i = 0; i < 3 && !known; i++)
		known = reader->size == strlen(words[i]) &&
			memcmp(reader->text, words[i], reader->size) == 0;
	if (!known || !value_may_come(reader))
		return unexpected(reader, reader->text, reader->size, err);
	value_ended(reader);
	return event(reader, number ? APSP_JSON_NUMBER : APSP_JSON_WORD, err);
}

static int append(struct apsp_json_reader *reader, char c, struct apsp_err *err)
{
	if (reader->size == APSP_JSON_TEXT_MAX)
		return apsp_refuse(err, reader->place,
			"a string or number is longer than %d bytes",
			APSP_JSON_TEXT_MAX);
	reader->text[reader->size++] = c;
	return 0;
}

/* Append a character as UTF-8. */
static int append_character(
	struct apsp_json_reader *reader, uint32_t c, struct apsp_err *err)
{
	char bytes[4];
	int n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	int r = 0;

	for (int i = n - 1; i > 0; i--, c >>= 6)
		bytes[i] = (char)(0x80 | (c & 0x3f));
	bytes[0] = n == 1 ? (char)c : (char)(0xff << (8 - n) | c);
	for (int i = 0; i < n && r == 0; i++)
		r = append(reader, bytes[i], err);
	return r;
}

static int lone_surrogate(
	const struct apsp_json_reader *reader, struct apsp_err *err)
{
	return apsp_refuse(err, reader->here,
		"an escape is half of a surrogate pair, expected both halves");
}

static int hex_byte(
	struct apsp_json_reader *reader, char c, struct apsp_err *err)
{
	int digit = apsp_hex_digit(c);
	uint32_t code;

	if (digit < 0)
		return apsp_refuse(err, reader->here,
			"expected four hexadecimal digits after \\u");
	reader->hex = reader->hex << 4 | (uint32_t)digit;
	if (--reader->hex_left > 0)
		return 0;
	reader->token = TOKEN_STRING;
	code = reader->hex;
	if (reader->high) {
		if (code < 0xdc00 || code > 0xdfff)
			return lone_surrogate(reader, err);
		code = 0x10000 + ((reader->high - 0xd800) << 10) +
		       (code - 0xdc00);
		reader->high = 0;
	} else if (code >= 0xd800 && code <= 0xdbff) {
		reader->high = code;
		return 0;
	} else if (code >= 0xdc00 && code <= 0xdfff) {
		return lone_surrogate(reader, err);
	}
	return append_character(reader, code, err);
}

static int escape_byte(
	struct apsp_json_reader *reader, char c, struct apsp_err *err)
{
	static const char names[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *name = c ? strchr(names, c) : NULL;

	if (c == 'u') {
		reader->token = TOKEN_HEX;
		reader->hex_left = 4;
		reader->hex = 0;
		return 0;
	}
	if (reader->high)
		return lone_surrogate(reader, err);
	if (!name)
		return apsp_refuse(err, reader->here,
			"found an unknown escape, expected one of "
			"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
	reader->token = TOKEN_STRING;
	return append(reader, meanings[name - names], err);
}

static int string_byte(
	struct apsp_json_reader *reader, char c, struct apsp_err *err)
{
	if (c == '\\') {
		reader->token = TOKEN_ESCAPE;
		return 0;
	}
	if (reader->high)
		return lone_surrogate(reader, err);
	if ((uint8_t)c < 0x20)
		return apsp_refuse(err, reader->here,
			"a string has a control character, expected an escape "
			"(is a quote not closed?)");
	if (c != '"')
		return append(reader, c, err);
	reader->token = TOKEN_NONE;
	if (reader->expected == EXPECT_KEY ||
		reader->expected == EXPECT_KEY_OR_END) {
		reader->expected = EXPECT_COLON;
		return event(reader, APSP_JSON_KEY, err);
	}
	if (!value_may_come(reader))
		return unexpected(reader, reader->text, reader->size, err);
	value_ended(reader);
	return event(reader, APSP_JSON_STRING, err);
}

static bool is_atom(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.';
}

/* Parse a byte that is outside of strings, numbers and words. */
static int plain_byte(
	struct apsp_json_reader *reader, char c, struct apsp_err *err)
{
	reader->place = reader->here;
	reader->size = 0;
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		return 0;
	case '{':
	case '[':
		return open_bracket(reader, c == '{', err);
	case '}':
	case ']':
		return close_bracket(reader, c == '}', err);
	case '"':
		reader->token = TOKEN_STRING;
		return 0;
	case ',':
		if (reader->expected != EXPECT_COMMA_OR_END)
			return unexpected(reader, &c, 1, err);
		reader->expected = reader->in_object[reader->depth - 1]
					   ? EXPECT_KEY
					   : EXPECT_VALUE;
		return 0;
	case ':':
		if (reader->expected != EXPECT_COLON)
			return unexpected(reader, &c, 1, err);
		reader->expected = EXPECT_VALUE;
		return 0;
	default:
		if (!is_atom(c))
			return unexpected(reader, &c, 1, err);
		reader->token = TOKEN_ATOM;
		return append(reader, c, err);
	}
}

static int byte(struct apsp_json_reader *reader, char c, struct apsp_err *err)
{
	int r;

	switch (reader->token) {
	case TOKEN_STRING:
		return string_byte(reader, c, err);
	case TOKEN_ESCAPE:
		return escape_byte(reader, c, err);
	case TOKEN_HEX:
		return hex_byte(reader, c, err);
	case TOKEN_ATOM:
		if (is_atom(c))
			return append(reader, c, err);
		r = atom_ended(reader, err);
		return r < 0 ? r : plain_byte(reader, c, err);
	case TOKEN_NONE:
		break;
	}
	return plain_byte(reader, c, err);
}

int apsp_json_reader_feed(struct apsp_json_reader *reader, const char *data,
	size_t size, struct apsp_err *err)
{
	int r;

	for (size_t i = 0; i < size; i++) {
		r = byte(reader, data[i], err);
		if (r < 0)
			return r;
		reader->here.column++;
		if (data[i] == '\n') {
			reader->here.line++;
			reader->here.column = 1;
		}
	}
	return 0;
}

int apsp_json_reader_end(struct apsp_json_reader *reader, struct apsp_err *err)
{
	int r = 0;

	if (reader->token == TOKEN_ATOM)
		r = atom_ended(reader, err);
	if (r < 0)
		return r;
	if (reader->token != TOKEN_NONE)
		return apsp_refuse(err, reader->place,
			"the string that begins here is not closed");
	if (reader->expected != EXPECT_NOTHING)
		return apsp_refuse(err, reader->here,
			"the file ends, expected %s",
			expected_texts[reader->expected]);
	return 0;
}

int apsp_json_event_refuse(const struct apsp_json_event *event,
	const char *expected, struct apsp_err *err)
{
	static const char *const kinds[] = {"an object", "the end of an object",
		"an array", "the end of an array", "a key", "a string",
		"a number", "a word"};
	struct apsp_excerpt found = apsp_excerpt_of(event->text, event->size);

	return apsp_refuse(err, event->place, "found %s%s%s%s, expected %s",
		kinds[event->kind], event->size ? " '" : "", found.text,
		event->size ? "'" : "", expected);
}
