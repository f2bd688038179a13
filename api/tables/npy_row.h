/*
 * A row of a table as elements of a NumPy array.
 */
#ifndef APSP_API_TABLES_NPY_ROW_H
#define APSP_API_TABLES_NPY_ROW_H

#include <stddef.h>

#include "api/encode/text.h"
#include "storage/tables/row_reader.h"

enum apsp_npy_cell {
	APSP_NPY_F4, /* distances or hops; infinity: no path */
	APSP_NPY_F8,
	APSP_NPY_I4, /* predecessors; -1: none */
	APSP_NPY_B1, /* reachable */
};

char apsp_npy_cell_kind(enum apsp_npy_cell cell); /* as NumPy names it */
unsigned int apsp_npy_cell_size(enum apsp_npy_cell cell);

/* The elements of one value, or F8 for several. */
enum apsp_npy_cell apsp_npy_cell_of(unsigned int values);

/*
 * Append n elements of a value of the row; in F8 any value: a predecessor as a
 * number, reachable as 0 or 1. The text must be aligned to the element, which
 * headers and rows of one element are.
 */
void apsp_npy_row_append(struct apsp_text *text, enum apsp_npy_cell cell,
	enum apsp_row_value value, const struct apsp_row *row, size_t n);

#endif
