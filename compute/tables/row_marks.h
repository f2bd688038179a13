/*
 * A row's mark is a checksum: the weighted sum of the row's words, after each
 * word was mixed (kernels/mark.clh). The kernel or the function that makes a
 * row also computes the row's mark. Before the row is written to the table
 * file, the host computes the mark again from memory, and compares the two
 * marks. Two rows that differ in exactly one word always have different marks.
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

/* The marks (checksums) of rows. Each array has one word for each row. All
   arrays are borrowed. */
struct apsp_row_marks {
	/* computed by the device, or by the host where the host made the path
	   sums (sums.h) */
	const uint32_t *distances;
	const uint32_t *predecessors; /* computed by the device */
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

/* Return the mark of the row that has these n sums, rounded to float32. So the
   mark also proves that whoever made the row has rounded the sums rightly. */
uint32_t apsp_row_mark_rounded(
	const struct apsp_row_weights *weights, const double *sums, uint32_t n);

#endif
