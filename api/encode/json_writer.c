/* JSON; see json_writer.h. */
#include "api/encode/json_writer.h"

#include <assert.h>
#include <math.h>

#include "api/encode/real.h"

/* Append the comma before a value, unless the value is the first of its array
   or follows its key. */
static void begin(struct apsp_json_writer *w)
{
	uint64_t bit = UINT64_C(1) << w->depth;

	if (w->keyed)
		w->keyed = false;
	else if (w->filled & bit)
		apsp_text_byte(w->text, ',');
	/* values at depth 0 are lines, which have no commas between them */
	if (w->depth > 0)
		w->filled |= bit;
}

static void open(struct apsp_json_writer *w, char bracket)
{
	begin(w);
	apsp_text_byte(w->text, bracket);
	assert(w->depth < APSP_JSON_NEST_MAX);
	w->depth++;
	w->filled &= ~(UINT64_C(1) << w->depth);
}

static void close_with(struct apsp_json_writer *w, char bracket)
{
	assert(w->depth > 0 && !w->keyed);
	w->depth--;
	apsp_text_byte(w->text, bracket);
}

void apsp_json_object(struct apsp_json_writer *w)
{
	open(w, '{');
}

void apsp_json_object_end(struct apsp_json_writer *w)
{
	close_with(w, '}');
}

void apsp_json_array(struct apsp_json_writer *w)
{
	open(w, '[');
}

void apsp_json_array_end(struct apsp_json_writer *w)
{
	close_with(w, ']');
}

/* Write an escape for `byte`. Returns the number of bytes written. */
static size_t escape(unsigned char byte, char out[6])
{
	static const char hex[] = "0123456789ABCDEF";
	static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";

	out[0] = '\\';
	for (const char *name = names; *name; name += 2) {
		if ((unsigned char)*name != byte)
			continue;
		out[1] = name[1];
		return 2;
	}
	memcpy(out + 1, "u00", 3);
	out[4] = hex[byte >> 4];
	out[5] = hex[byte & 15];
	return 6;
}

/*
 * Copy a text. Each byte that needs an escape is replaced by its escape.
 * Returns the number of bytes written.
 */
static size_t escaped(const char *text, size_t size, char *out)
{
	char *at = out;

	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];

		if (byte < 0x20 || byte == '"' || byte == '\\')
			at += escape(byte, at);
		else
			*at++ = (char)byte;
	}
	return (size_t)(at - out);
}

/* Whether any of the 8 bytes of a word needs an escape. */
static bool needs_escape(uint64_t bytes)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
	uint64_t quotes = bytes ^ ones * '"', slashes = bytes ^ ones * '\\';

	/*
	 * the terms set the high bit of each byte that needs an escape: a byte
	 * below 0x20, a quote or a backslash (hasless() and haszero() in S. E.
	 * Anderson, Bit Twiddling Hacks). A borrow may set the high bit of
	 * another byte, too, but only if a lower byte needs an escape. So the
	 * result is right
	 */
	return (((bytes - ones * 0x20) & ~bytes) | ((quotes - ones) & ~quotes) |
		       ((slashes - ones) & ~slashes)) &
	       high;
}

/* Copy up to 7 bytes to out, and return them in one word for needs_escape(). */
static uint64_t copy_few(const char *text, size_t size, char *out)
{
	uint64_t bytes = UINT64_C(0x2020202020202020);
	uint32_t first, last;

	if (size < 4) {
		for (size_t i = 0; i < size; i++) {
			out[i] = text[i];
			bytes = bytes << 8 | (unsigned char)text[i];
		}
		return bytes;
	}
	/* copy the first 4 and the last 4 bytes of the text; they may
	   overlap */
	memcpy(&first, text, sizeof(first));
	memcpy(&last, text + size - sizeof(last), sizeof(last));
	memcpy(out, &first, sizeof(first));
	memcpy(out + size - sizeof(last), &last, sizeof(last));
	return (uint64_t)first << 32 | last;
}

static void quoted(struct apsp_text *out, const char *text, size_t size)
{
	/* in the worst case each byte becomes an escape of 6 bytes */
	char *begin = apsp_text_reserve(out, 6 * size + 2), *at = begin;
	uint64_t bytes;

	if (!begin)
		return;
	*at++ = '"';
	for (; size >= sizeof(bytes); text += 8, size -= 8) {
		memcpy(&bytes, text, sizeof(bytes));
		memcpy(at, &bytes, sizeof(bytes));
		at += needs_escape(bytes) ? escaped(text, 8, at) : 8;
	}
	bytes = copy_few(text, size, at);
	at += needs_escape(bytes) ? escaped(text, size, at) : size;
	*at++ = '"';
	out->size += (size_t)(at - begin);
}

void apsp_json_key(struct apsp_json_writer *w, const char *name)
{
	assert(!w->keyed);
	begin(w);
	quoted(w->text, name, strlen(name));
	apsp_text_byte(w->text, ':');
	w->keyed = true;
}

void apsp_json_string(struct apsp_json_writer *w, const char *text, size_t size)
{
	begin(w);
	quoted(w->text, text, size);
}

void apsp_json_real(struct apsp_json_writer *w, double value)
{
	if (!isfinite(value)) {
		apsp_json_nothing(w);
		return;
	}
	begin(w);
	apsp_real_append(w->text, value);
}

void apsp_json_integer(struct apsp_json_writer *w, int64_t value)
{
	begin(w);
	apsp_integer_append(w->text, value);
}

static void word(struct apsp_json_writer *w, const char *text)
{
	begin(w);
	apsp_text_string(w->text, text);
}

void apsp_json_boolean(struct apsp_json_writer *w, bool value)
{
	word(w, value ? "true" : "false");
}

void apsp_json_nothing(struct apsp_json_writer *w)
{
	word(w, "null");
}

void apsp_json_line_end(struct apsp_json_writer *w)
{
	assert(w->depth == 0);
	apsp_text_byte(w->text, '\n');
}
