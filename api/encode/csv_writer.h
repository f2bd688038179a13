/*
 * A writer of CSV. It appends the CSV to a text, cell by cell. Commas separate
 * cells. A cell has quotes only if it needs them (RFC 4180). A row ends with a
 * line feed, as in the files that NumPy, pandas and R write on Linux.
 */
#ifndef APSP_API_ENCODE_CSV_WRITER_H
#define APSP_API_ENCODE_CSV_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/encode/text.h"

/* Initialize a writer with {.text = …}. The text is borrowed. */
struct apsp_csv_writer {
	struct apsp_text *text;
	bool filled; /* the present row has at least one cell */
};

void apsp_csv_string(struct apsp_csv_writer *w, const char *text, size_t size);

/* Write a NUL-terminated text; "" is an empty cell. */
void apsp_csv_text(struct apsp_csv_writer *w, const char *text);

/* Write a number in the shortest form (api/encode/real.h), or inf or -inf. NaN
   is an empty cell. */
void apsp_csv_real(struct apsp_csv_writer *w, double value);
void apsp_csv_integer(struct apsp_csv_writer *w, int64_t value);
void apsp_csv_row_end(struct apsp_csv_writer *w);

#endif
