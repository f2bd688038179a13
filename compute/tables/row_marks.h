/*
 * A row's mark is a checksum: the weighted sum of the row's words, after each
 * word was mixed (kernels/mark.clh). The kernel that makes a row also computes
 * the row's mark. When the host has received the row, it computes the mark
 * again, and compares the two marks. Two rows that differ in exactly one word
 * always have different marks.
 */
#ifndef APSP_COMPUTE_TABLES_ROW_MARKS_H
#define APSP_COMPUTE_TABLES_ROW_MARKS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The weights of a row's words. Each word is multiplied by its weight, and the
   products are added up to the row's mark. Both arrays are owned. */
struct apsp_row_weights {
	uint16_t *narrow; /* weights for words of 16 bits: one weight for each
			     column */
	/* weights for words of 32 bits: two weights for each column, because an
	   element can have two words */
	uint32_t *wide;
};

/* The marks (checksums) that the device computed for rows. Each array has one
   word for each row. All arrays are borrowed. */
struct apsp_row_marks {
	/* marks of rows of distances; NULL: the host made all distances */
	const uint32_t *distances;
	/* One word for each row: 0 if the host made the distances of the row.
	   Then `distances` has no mark of this row. NULL: the device made all
	   distances. Used only if `distances` is not NULL. */
	const uint32_t *summed;
	const uint32_t *predecessors;
};

/* Compute the weights for rows of n columns. The caller ends *out with
   apsp_row_weights_done(). APSP_ENOMEM. */
int apsp_row_weights_init(
	struct apsp_row_weights *out, uint32_t n, struct apsp_err *err);
void apsp_row_weights_done(struct apsp_row_weights *weights);

/* Return the mark of a row of n elements. A mark has 16 bits if the elements
   have 8 or 16 bits, otherwise 32 bits. */
uint32_t apsp_row_mark(const struct apsp_row_weights *weights, const void *row,
	uint32_t n, enum apsp_element element);

#endif
