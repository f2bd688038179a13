/*
 * Lines and words; see lines.h. A line is copied only if it continues in the
 * next piece of input.
 */
#include "storage/ingest/formats/lines.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/utf8.h"

static int too_long(const struct apsp_lines *lines, struct apsp_err *err)
{
	return apsp_refuse(err,
		(struct apsp_text_position){lines->number + 1, 1, false},
		"the line is longer than %d bytes", APSP_LINE_MAX);
}

static int hold(struct apsp_lines *lines, const char *text, size_t size,
	struct apsp_err *err)
{
	if (size > APSP_LINE_MAX - lines->held_size)
		return too_long(lines, err);
	memcpy(lines->held + lines->held_size, text, size);
	lines->held_size += size;
	return 0;
}

static int emit(struct apsp_lines *lines, const char *text, size_t size,
	struct apsp_err *err)
{
	struct apsp_line line = {text, size, 0};
	int r;

	if (size > APSP_LINE_MAX)
		return too_long(lines, err);
	if (lines->held_size > 0) {
		r = hold(lines, text, size, err);
		if (r < 0)
			return r;
		line.text = lines->held;
		line.size = lines->held_size;
		lines->held_size = 0;
	}
	line.number = ++lines->number;
	return lines->on_line(lines, &line, err);
}

int apsp_lines_feed(
	void *parser, const char *data, size_t size, struct apsp_err *err)
{
	struct apsp_lines *lines = parser;
	const char *end = data + size, *newline;
	int r;

	for (; data < end; data = newline + 1) {
		newline = memchr(data, '\n', (size_t)(end - data));
		if (!newline)
			return hold(lines, data, (size_t)(end - data), err);
		r = emit(lines, data, (size_t)(newline - data), err);
		if (r < 0)
			return r;
	}
	return 0;
}

int apsp_lines_end(struct apsp_lines *lines, struct apsp_err *err)
{
	return lines->held_size ? emit(lines, "", 0, err) : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool apsp_line_word(
	const struct apsp_line *line, size_t *at, struct apsp_word *word)
{
	size_t start = *at, end;

	while (start < line->size && is_blank(line->text[start]))
		start++;
	end = start;
	while (end < line->size && !is_blank(line->text[end]))
		end++;
	word->text = line->text + start;
	word->size = end - start;
	word->place =
		(struct apsp_text_position){line->number, start + 1, false};
	*at = end;
	return end > start;
}

bool apsp_word_is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

int apsp_line_count(const struct apsp_line *line, size_t *at, const char *what,
	struct apsp_word *out_word, uint64_t *out, struct apsp_err *err)
{
	uint64_t value = 0;
	bool good;

	apsp_line_word(line, at, out_word);
	good = out_word->size > 0 && out_word->size <= 18;
	for (size_t i = 0; i < out_word->size && good; i++) {
		good = out_word->text[i] >= '0' && out_word->text[i] <= '9';
		value = value * 10 + (uint64_t)(out_word->text[i] - '0');
	}
	if (!good)
		return apsp_refuse(err, out_word->place,
			"found '%s', expected %s as a whole number",
			apsp_excerpt_of(out_word->text, out_word->size).text,
			what);
	*out = value;
	return 0;
}

int apsp_line_vertex(const struct apsp_line *line, size_t *at, const char *what,
	uint64_t n, struct apsp_word *out_word, uint32_t *out,
	struct apsp_err *err)
{
	uint64_t value;
	int r = apsp_line_count(line, at, what, out_word, &value, err);

	if (r < 0)
		return r;
	if (value < 1 || value > n)
		return apsp_refuse(err, out_word->place,
			"found vertex %" PRIu64 ", expected 1 to %" PRIu64,
			value, n);
	*out = (uint32_t)(value - 1);
	return 0;
}

int apsp_line_finish(
	const struct apsp_line *line, size_t at, struct apsp_err *err)
{
	struct apsp_word word;

	if (!apsp_line_word(line, &at, &word))
		return 0;
	return apsp_refuse(err, word.place,
		"found '%s', expected the end of the line",
		apsp_excerpt_of(word.text, word.size).text);
}
