/* CSV; see csv_writer.h. */
#include "api/encode/csv_writer.h"

#include <math.h>
#include <string.h>

#include "api/encode/real.h"

static void begin(struct apsp_csv_writer *w)
{
	if (w->filled)
		apsp_text_byte(w->text, ',');
	w->filled = true;
}

/*
 * Whether a cell needs quotes. Programs that read CSV guess the separator from
 * the first line, as storage/ingest/formats/csv_reader.h does. So a cell needs
 * quotes if it contains any character that such a program could take for the
 * separator. A cell that begins or ends with a blank needs quotes, because
 * these programs cut off blanks. A cell that begins with # or % needs quotes,
 * because its line could look like a comment.
 */
static bool needs_quotes(const char *text, size_t size)
{
	static const bool separates[256] = {['"'] = true,
		[','] = true,
		[';'] = true,
		['\t'] = true,
		['\n'] = true,
		['\r'] = true};

	for (size_t i = 0; i < size; i++)
		if (separates[(unsigned char)text[i]])
			return true;
	return size > 0 && (text[0] == ' ' || text[size - 1] == ' ' ||
				   text[0] == '#' || text[0] == '%');
}

void apsp_csv_string(struct apsp_csv_writer *w, const char *text, size_t size)
{
	begin(w);
	if (!needs_quotes(text, size)) {
		apsp_text_append(w->text, text, size);
		return;
	}
	apsp_text_byte(w->text, '"');
	for (size_t i = 0; i < size; i++) {
		if (text[i] == '"')
			apsp_text_byte(w->text, '"');
		apsp_text_byte(w->text, text[i]);
	}
	apsp_text_byte(w->text, '"');
}

void apsp_csv_text(struct apsp_csv_writer *w, const char *text)
{
	apsp_csv_string(w, text, strlen(text));
}

void apsp_csv_real(struct apsp_csv_writer *w, double value)
{
	if (!isfinite(value)) {
		apsp_csv_text(w, isnan(value) ? ""
				 : value < 0  ? "-inf"
					      : "inf");
		return;
	}
	begin(w);
	apsp_real_append(w->text, value);
}

void apsp_csv_integer(struct apsp_csv_writer *w, int64_t value)
{
	begin(w);
	apsp_integer_append(w->text, value);
}

void apsp_csv_row_end(struct apsp_csv_writer *w)
{
	apsp_text_byte(w->text, '\n');
	w->filled = false;
}
