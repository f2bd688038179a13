/*
 * The state machine that finds fields in text; see csv_reader.h. A field is
 * copied only if it is quoted or continues in the next piece of input. All
 * other fields are reported without a copy.
 */
#include "storage/ingest/formats/csv_reader.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* the separator is searched for in at most this many bytes of the first
	   line */
	SNIFF_SIZE = 1 << 16,
	MARK_SIZE = 3,
};

enum state {
	LINE_START,
	COMMENT,
	FIELD_START,
	PLAIN,
	QUOTED,
	QUOTE_SEEN,  /* the last byte was a quote inside a quoted field: it
			closes the field, unless a second quote follows */
	AFTER_QUOTE, /* only blanks may follow */
};

enum {
	KIND_SEPARATOR = 1,
	KIND_END = 2, /* end of a line: LF or CR */
	KIND_BLANK = 4,
};

struct apsp_csv_reader {
	struct apsp_csv_handler handler;
	size_t n_mark; /* number of bytes of the byte order mark that the start
			  of the text has matched so far; MARK_SIZE after the
			  mark, or if there is no mark */
	char separator;
	char rival; /* see apsp_csv_reader_rival() */
	uint8_t kinds[256];
	enum state state;
	bool skip_newline; /* the last byte was CR; if the next byte is LF, skip
			      it */
	size_t index;	   /* index of the next field in the record */
	uint64_t line;
	uint64_t line_offset; /* offset in the text at which the current line
				 begins */
	uint64_t offset; /* offset in the text at which the next piece of input
			    begins */
	struct apsp_text_position place; /* position of the current field */
	bool no_comma; /* a comma is the separator only if no other separator is
			  found */
	size_t sniffed;	  /* number of bytes in `sniff` */
	size_t seen[256]; /* for each byte value, how often it occurs in `sniff`
			     outside quotes */
	bool sniff_quoted; /* `sniff` ends inside quotes */
	/* the bytes kept in `sniff` end with a separator or with a closing
	   quote, so a quote that comes next opens quotes */
	bool sniff_starts;
	size_t held_size; /* number of bytes in `held`; these bytes of the
			     current field were in earlier pieces of input */
	char held[APSP_FIELD_MAX];
	char sniff[SNIFF_SIZE];
};

static void separator_set(struct apsp_csv_reader *f, char separator)
{
	f->separator = separator;
	if (separator == ' ')
		f->kinds[' '] = f->kinds['\t'] = KIND_BLANK | KIND_SEPARATOR;
	else
		f->kinds[(uint8_t)separator] = KIND_SEPARATOR;
}

int apsp_csv_reader_new(char separator, const struct apsp_csv_handler *handler,
	struct apsp_csv_reader **out, struct apsp_err *err)
{
	struct apsp_csv_reader *f = calloc(1, sizeof(*f));

	if (!f)
		return apsp_fail(err, APSP_ENOMEM, "no memory for an upload");
	f->handler = *handler;
	f->line = 1;
	f->kinds['\n'] = f->kinds['\r'] = KIND_END;
	f->kinds[' '] = f->kinds['\t'] = KIND_BLANK;
	f->no_comma = separator == APSP_SEPARATOR_NO_COMMA;
	if (f->no_comma)
		separator = APSP_SEPARATOR_DETECT;
	if (separator != APSP_SEPARATOR_DETECT)
		separator_set(f, separator);
	*out = f;
	return 0;
}

static int too_long(const struct apsp_csv_reader *f, struct apsp_err *err)
{
	return apsp_refuse(err, f->place,
		"a field is longer than %d bytes (is a quote not closed?)",
		APSP_FIELD_MAX);
}

static int hold(struct apsp_csv_reader *f, const char *text, size_t size,
	struct apsp_err *err)
{
	if (size > APSP_FIELD_MAX - f->held_size)
		return too_long(f, err);
	memcpy(f->held + f->held_size, text, size);
	f->held_size += size;
	return 0;
}

/* Report a field. It consists of the bytes in f->held, followed by `size` bytes
   at `text`. */
static int emit(struct apsp_csv_reader *f, const char *text, size_t size,
	bool quoted, struct apsp_err *err)
{
	struct apsp_field field = {text, size, f->index++, f->place};
	int r;

	if (size > APSP_FIELD_MAX)
		return too_long(f, err);
	if (f->held_size > 0) {
		r = hold(f, text, size, err);
		if (r < 0)
			return r;
		field.text = f->held;
		field.size = f->held_size;
		f->held_size = 0;
	}
	while (!quoted && field.size > 0 &&
		(f->kinds[(uint8_t)field.text[field.size - 1]] & KIND_BLANK))
		field.size--;
	return f->handler.field(f->handler.ctx, &field, err);
}

/* Byte c at offset `at` ends a line. End the line's record, if the line has
   one. */
static int line_end(
	struct apsp_csv_reader *f, char c, uint64_t at, struct apsp_err *err)
{
	const struct apsp_text_position place = {f->line, 1, false};
	size_t n = f->index;

	f->skip_newline = c == '\r';
	f->line++;
	f->line_offset = at + 1;
	f->index = 0;
	f->state = LINE_START;
	return n ? f->handler.record(f->handler.ctx, n, place, err) : 0;
}

/* End a field before c, which is a separator or line end at offset `at`. */
static int field_end(struct apsp_csv_reader *f, const char *text, size_t size,
	bool quoted, char c, uint64_t at, struct apsp_err *err)
{
	int r = emit(f, text, size, quoted, err);

	if (r < 0)
		return r;
	f->state = FIELD_START;
	if (f->kinds[(uint8_t)c] & KIND_END)
		return line_end(f, c, at, err);
	return 0;
}

/* Parse a byte at the start of a line or field; blanks do not change the
   state. */
static int start_byte(struct apsp_csv_reader *f, const char *p, uint64_t at,
	struct apsp_err *err)
{
	uint8_t kind = f->kinds[(uint8_t)*p];

	if (f->state == LINE_START) {
		if (kind & KIND_BLANK)
			return 0;
		if (kind & KIND_END)
			return line_end(f, *p, at, err);
		if (*p == '#' || *p == '%') {
			f->state = COMMENT;
			return 0;
		}
		f->state = FIELD_START;
	}
	if (kind & KIND_BLANK)
		return 0;
	f->place = (struct apsp_text_position){
		f->line, at - f->line_offset + 1, false};
	if (*p == '"')
		f->state = QUOTED;
	else if (kind & KIND_SEPARATOR)
		return emit(f, p, 0, false, err);
	else if ((kind & KIND_END) && f->separator == ' ')
		return line_end(f, *p, at, err); /* blanks end the line */
	else if (kind & KIND_END)
		return field_end(f, p, 0, false, *p, at, err);
	else
		f->state = PLAIN;
	return 0;
}

/* Parse a byte in the state QUOTE_SEEN (directly after a quote inside a quoted
   field) or AFTER_QUOTE (after a closing quote and blanks). */
static int quote_byte(struct apsp_csv_reader *f, const char *p, uint64_t at,
	struct apsp_err *err)
{
	uint8_t kind = f->kinds[(uint8_t)*p];
	const struct apsp_text_position place = {
		f->line, at - f->line_offset + 1, false};

	if (f->state == QUOTE_SEEN && *p == '"') {
		f->state = QUOTED;
		return hold(f, p, 1, err);
	}
	if (kind & (KIND_SEPARATOR | KIND_END))
		return field_end(f, p, 0, true, *p, at, err);
	f->state = AFTER_QUOTE;
	if (kind & KIND_BLANK)
		return 0;
	return apsp_refuse(err, place,
		"text follows a closing quote, expected a separator or the "
		"line's end");
}

/* Parse bytes inside quotes up to the next quote. Returns the number of parsed
   bytes. */
static int64_t quoted_bytes(struct apsp_csv_reader *f, const char *p,
	const char *end, uint64_t at, struct apsp_err *err)
{
	const char *quote = memchr(p, '"', (size_t)(end - p));
	const char *stop = quote ? quote : end;
	int r = hold(f, p, (size_t)(stop - p), err);

	if (r < 0)
		return r;
	for (const char *c = p; c < stop; c++) {
		if (*c == '\n') {
			f->line++;
			f->line_offset = at + (uint64_t)(c - p) + 1;
		}
	}
	if (!quote)
		return end - p;
	f->state = QUOTE_SEEN;
	return quote + 1 - p;
}

/* Parse bytes of a field that is not quoted. Returns the number of parsed
   bytes. */
static int64_t plain_bytes(struct apsp_csv_reader *f, const char *p,
	const char *end, uint64_t at, struct apsp_err *err)
{
	const char *q = p;
	int r;

	while (q < end &&
		!(f->kinds[(uint8_t)*q] & (KIND_SEPARATOR | KIND_END)))
		q++;
	if (q == end) {
		r = hold(f, p, (size_t)(q - p), err);
		return r < 0 ? r : q - p;
	}
	r = field_end(
		f, p, (size_t)(q - p), false, *q, at + (uint64_t)(q - p), err);
	return r < 0 ? r : q + 1 - p;
}

/* Parse some bytes from p on, depending on the state. Returns the number of
   parsed bytes. */
static int64_t step(struct apsp_csv_reader *f, const char *p, const char *end,
	uint64_t at, struct apsp_err *err)
{
	int r = 0;

	if (f->skip_newline) {
		f->skip_newline = false;
		if (*p == '\n') {
			f->line_offset++;
			return 1;
		}
	}
	if (f->state == LINE_START || f->state == FIELD_START)
		r = start_byte(f, p, at, err);
	else if (f->state == COMMENT && (f->kinds[(uint8_t)*p] & KIND_END))
		r = line_end(f, *p, at, err);
	else if (f->state == QUOTED)
		return quoted_bytes(f, p, end, at, err);
	else if (f->state == QUOTE_SEEN || f->state == AFTER_QUOTE)
		r = quote_byte(f, p, at, err);
	if (r < 0)
		return r;
	/* if start_byte() has set the state to PLAIN, it has not parsed the
	   byte, so parse the byte here */
	return f->state == PLAIN ? plain_bytes(f, p, end, at, err) : 1;
}

/* Parse all bytes. The separator is already known, or the bytes are in a
   comment or a blank line, where the separator does not matter. */
static int run(struct apsp_csv_reader *f, const char *data, size_t size,
	struct apsp_err *err)
{
	const char *end = data + size;
	const uint64_t base = f->offset;
	int64_t used;

	f->offset += size;
	for (const char *p = data; p < end; p += used) {
		used = step(f, p, end, base + (uint64_t)(p - data), err);
		if (used < 0)
			return (int)used;
	}
	return 0;
}

/* Find the separator in the kept line, then parse the line. A blank line has no
   separator. */
static int sniff_end(struct apsp_csv_reader *f, struct apsp_err *err)
{
	const size_t blanks = f->seen[' '], semicolons = f->seen[';'];
	const size_t commas = f->no_comma ? 0 : f->seen[','];
	const size_t size = f->sniffed;
	size_t tabs = f->seen['\t'], end = size;

	/* if the line has commas or semicolons, the tabs at its end do not
	   separate fields, so do not count them */
	while (commas + semicolons > 0 && !f->sniff_quoted &&
		strchr(" \t\r\n", f->sniff[end - 1]))
		tabs -= f->sniff[--end] == '\t';
	if (size == blanks + tabs + f->seen['\n'] + f->seen['\r'])
		f->separator = APSP_SEPARATOR_DETECT;
	else if (tabs)
		separator_set(f, '\t');
	else if (semicolons > commas)
		separator_set(f, ';');
	else if (commas || !blanks)
		separator_set(f, ',');
	else
		separator_set(f, ' ');
	/* names may have a comma or a semicolon, so these are rivals of tabs
	   only if they are as many */
	if (f->separator == '\t' && semicolons >= tabs)
		f->rival = ';';
	else if (f->separator == '\t' && commas >= tabs)
		f->rival = ',';
	else if (f->separator == ';')
		f->rival = commas ? ',' : '\0';
	else if (f->separator == ',')
		f->rival = semicolons ? ';' : '\0';
	memset(f->seen, 0, sizeof(f->seen));
	f->sniffed = 0;
	return run(f, f->sniff, size, err);
}

/*
 * Parse one byte before the separator is known. Comments and blank lines are
 * parsed immediately. The first line with fields is kept until the separator is
 * found.
 */
static int sniff_byte(struct apsp_csv_reader *f, char c, struct apsp_err *err)
{
	const bool ends = f->kinds[(uint8_t)c] & KIND_END;
	bool quote;

	if (f->sniffed == 0 && (f->state == COMMENT || ends || c == ' ' ||
				       c == '#' || c == '%'))
		return run(f, &c, 1, err);
	quote = c == '"' &&
		(f->sniffed == 0 || f->sniff_starts || f->sniff_quoted);
	f->sniff_quoted ^= quote;
	/* a comma directly before a quoted field is a separator: after a
	   decimal comma, there would be a digit */
	if (quote && f->sniff_quoted && f->sniffed > 0 &&
		f->sniff[f->sniffed - 1] == ',')
		f->no_comma = false;
	f->sniff_starts = quote || strchr(",;\t ", c);
	f->seen[(uint8_t)c] += !f->sniff_quoted;
	f->sniff[f->sniffed++] = c;
	if ((ends && !f->sniff_quoted) || f->sniffed == SNIFF_SIZE)
		return sniff_end(f, err);
	return 0;
}

static int text_feed(struct apsp_csv_reader *fields, const char *data,
	size_t size, struct apsp_err *err)
{
	int r;

	for (; !fields->separator && size > 0; data++, size--) {
		r = sniff_byte(fields, *data, err);
		if (r < 0)
			return r;
	}
	return run(fields, data, size, err);
}

int apsp_csv_reader_feed(struct apsp_csv_reader *fields, const char *data,
	size_t size, struct apsp_err *err)
{
	static const char mark[] = "\xef\xbb\xbf";

	/* Skip a byte order mark, even if its bytes arrive in several calls. If
	   the text begins with only a part of a mark, parse this part as text.
	 */
	while (fields->n_mark < MARK_SIZE && size > 0 &&
		*data == mark[fields->n_mark]) {
		fields->n_mark++;
		data++;
		size--;
	}
	if (size > 0 && fields->n_mark < MARK_SIZE) {
		size_t n = fields->n_mark;
		int r;

		fields->n_mark = MARK_SIZE;
		r = text_feed(fields, mark, n, err);
		if (r < 0)
			return r;
	}
	return text_feed(fields, data, size, err);
}

char apsp_csv_reader_separator(const struct apsp_csv_reader *fields)
{
	return fields->separator;
}

char apsp_csv_reader_rival(const struct apsp_csv_reader *fields)
{
	return fields->rival;
}

int apsp_csv_reader_end(struct apsp_csv_reader *fields, struct apsp_err *err)
{
	int r = 0;

	if (!fields->separator)
		r = sniff_end(fields, err);
	if (r < 0 || fields->state == LINE_START || fields->state == COMMENT)
		return r;
	if (fields->state == QUOTED)
		return apsp_refuse(err, fields->place,
			"the quote that begins here is not closed");
	return run(fields, "\n", 1, err);
}
