/*
 * The cells of a row, which is a row of CSV or an object of JSON. A function
 * that writes rows calls the functions below once for each cell, whatever the
 * form is:
 *
 *	apsp_cells_begin(&cells);
 *	apsp_cell_text(&cells, "change", "lost");
 *	apsp_cell_integer(&cells, "steps", 2);
 *	apsp_cells_end(&cells);
 *
 * The same function writes the names of the columns of CSV: in the form
 * APSP_CELLS_NAMES, each call appends the name of the cell and ignores the
 * value.
 */
#ifndef APSP_API_ENCODE_CELLS_H
#define APSP_API_ENCODE_CELLS_H

#include <stdbool.h>
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
	struct apsp_json_writer *json; /* borrowed; only in JSON */
	struct apsp_csv_writer csv;    /* in the other forms */
};

/* Returns cells that are appended to w->text: cells of CSV, or the members of
   an object that `w` writes. */
static inline struct apsp_cells apsp_cells_of(
	struct apsp_json_writer *w, bool csv)
{
	return (struct apsp_cells){
		csv ? APSP_CELLS_CSV : APSP_CELLS_JSON, w, {.text = w->text}};
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

void apsp_cell_integer(
	struct apsp_cells *cells, const char *name, int64_t value);

/* Append a cell with a number. JSON has null for NaN and for infinity. CSV has
   an empty cell for NaN, and inf for infinity. */
void apsp_cell_real(struct apsp_cells *cells, const char *name, double value);

#endif
