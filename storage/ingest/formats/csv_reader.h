/*
 * Parses separated text (RFC 4180 and similar) into a stream of fields.
 *
 * Quoted fields may contain doubled quotes, separators and newlines. Lines end
 * with LF, CRLF or CR; the last line needs no newline. Blanks around a field
 * are dropped. Blank lines and lines that start with # or % are skipped. A byte
 * order mark at the beginning is skipped. If blanks separate the fields, a run
 * of blanks is one separator.
 */
#ifndef APSP_STORAGE_INGEST_FORMATS_CSV_READER_H
#define APSP_STORAGE_INGEST_FORMATS_CSV_READER_H

#include <stddef.h>

#include "daemon/base/err.h"
#include "storage/ingest/text_position.h"

enum {
	APSP_FIELD_MAX = 1 << 16, /* largest number of bytes of one field,
				     including the blanks around it */
};

/*
 * Find the separator in the first line that is not blank. It is a tab if the
 * line has a tab; tabs at the end of a line that also has commas or semicolons
 * do not count. If the line has no tab, the separator is a comma or a
 * semicolon, whichever is more frequent. If the line has neither, the separator
 * is a blank if the line has blanks, otherwise a comma.
 */
#define APSP_SEPARATOR_DETECT '\0'
/* Find the separator as APSP_SEPARATOR_DETECT does, but take commas for decimal
   commas: a comma is the separator only if the line has no other separator, or
   if a quoted field follows a comma. In such a file, numbers with commas are
   quoted. */
#define APSP_SEPARATOR_NO_COMMA '\1'

struct apsp_field {
	const char *text; /* valid only until the handler's function returns */
	size_t size;
	size_t index; /* index of the field in its record, from 0 */
	struct apsp_text_position place;
};

/* Functions that the reader calls. If one returns a negative result, the
   parsing ends and apsp_csv_reader_feed() returns that result. */
struct apsp_csv_handler {
	int (*field)(void *ctx, const struct apsp_field *field,
		struct apsp_err *err);
	/* Called after the n_fields fields of a record. `place` is the
	   beginning of the record's last line. */
	int (*record)(void *ctx, size_t n_fields,
		struct apsp_text_position place, struct apsp_err *err);
	void *ctx;
};

struct apsp_csv_reader;

/* Make a reader. `separator` is a byte, APSP_SEPARATOR_DETECT or
   APSP_SEPARATOR_NO_COMMA. *handler is copied. The caller ends *out with
   free(). APSP_ENOMEM. */
int apsp_csv_reader_new(char separator, const struct apsp_csv_handler *handler,
	struct apsp_csv_reader **out, struct apsp_err *err);

/*
 * Parse the next bytes. APSP_EDATA: a field is too long, or text follows a
 * closing quote. Also fails with the errors of the handler's functions.
 */
int apsp_csv_reader_feed(struct apsp_csv_reader *fields, const char *data,
	size_t size, struct apsp_err *err);

/* Return the separator. It is known when the first field is reported. */
char apsp_csv_reader_separator(const struct apsp_csv_reader *fields);

/* Return another byte that the first line has outside quotes, and that may be
   the separator: a semicolon or a comma. '\0': there is no such byte, or the
   separator was not searched for. */
char apsp_csv_reader_rival(const struct apsp_csv_reader *fields);

/* End the last record. APSP_EDATA: a quote is not closed. Also fails with the
   errors of the handler's functions. */
int apsp_csv_reader_end(struct apsp_csv_reader *fields, struct apsp_err *err);

#endif
