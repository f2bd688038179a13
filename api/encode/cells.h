/*
 * The cells of a row. A row is a line of CSV or an object of JSON. A function
 * that writes rows calls one of the functions below for each cell. The calls
 * are the same for CSV and for JSON:
 *
 *	apsp_cells_begin(&cells);
 *	apsp_cell_text(&cells, "change", "lost");
 *	apsp_cell_integer(&cells, "steps", 2);
 *	apsp_cells_end(&cells);
 *
 * The same calls write the first row of a CSV, the names of the columns: in the
 * form APSP_CELLS_NAMES, each call appends the name of the cell and ignores the
 * value.
 */
#ifndef APSP_API_ENCODE_CELLS_H
#define APSP_API_ENCODE_CELLS_H

#include <stdint.h>

#include "api/encode/csv_writer.h"
#include "api/encode/json_writer.h"

enum apsp_cells_form {
	APSP_CELLS_JSON,
	APSP_CELLS_CSV,
	APSP_CELLS_NAMES,
};

struct apsp_cells {
	enum apsp_cells_form form;
	struct apsp_json_writer *json; /* borrowed; used only in the form JSON;
					  NULL in the form NAMES */
	struct apsp_csv_writer csv;    /* writes the forms CSV and NAMES */
};

/* Returns cells in the form APSP_CELLS_JSON or APSP_CELLS_CSV. Both forms are
   appended to w->text; JSON is written with `w`. */
static inline struct apsp_cells apsp_cells_of(
	struct apsp_json_writer *w, enum apsp_cells_form form)
{
	return (struct apsp_cells){form, w, {.text = w->text}};
}

/* Returns cells that append the names of columns to `out`. */
static inline struct apsp_cells apsp_cells_names(struct apsp_text *out)
{
	return (struct apsp_cells){APSP_CELLS_NAMES, NULL, {.text = out}};
}

void apsp_cells_begin(struct apsp_cells *cells);
void apsp_cells_end(struct apsp_cells *cells);

/* Append a cell with a text of `size` bytes. */
void apsp_cell_string(struct apsp_cells *cells, const char *name,
	const char *text, size_t size);
/* Append a cell with a NUL-terminated text. */
void apsp_cell_text(
	struct apsp_cells *cells, const char *name, const char *text);

void apsp_cell_integer(
	struct apsp_cells *cells, const char *name, int64_t value);

/* Append a cell with a number. JSON has null for NaN and for infinity. CSV has
   an empty cell for NaN, and inf for infinity. */
void apsp_cell_real(struct apsp_cells *cells, const char *name, double value);

#endif
