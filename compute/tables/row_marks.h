/*
 * Marks of rows: weighted sums of a row's words (kernels/mark.clh). The kernel
 * that makes a row computes its mark, and so does the host from the copy that
 * it received. Two rows that differ in one word have different marks.
 */
#ifndef APSP_COMPUTE_TABLES_ROW_MARKS_H
#define APSP_COMPUTE_TABLES_ROW_MARKS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* The weights of the weighted sum of a row's words that is the row's mark (a
   checksum). Both arrays are owned. */
struct apsp_row_weights {
	uint16_t *narrow; /* weights of words of 16 bits: one for each column */
	/* weights of words of 32 bits: two for each column, because an element
	   may have two words */
	uint32_t *wide;
};

/* The marks that the device computed: in each array, one word for each row. All
   arrays are borrowed. */
struct apsp_row_marks {
	/* marks of rows of distances; NULL: the host made all distances */
	const uint32_t *distances;
	/* A word is 0 if the host made the distances of that row. NULL: the
	   host made the distances of no row. */
	const uint32_t *summed;
	const uint32_t *predecessors;
};

/* Compute the weights for rows of n columns. The caller ends *out with
   apsp_row_weights_done(). APSP_ENOMEM. */
int apsp_row_weights_init(
	struct apsp_row_weights *out, uint32_t n, struct apsp_err *err);
void apsp_row_weights_done(struct apsp_row_weights *weights);

/* The mark of a row of n elements. A mark has 16 bits if the elements have 8 or
   16 bits, otherwise 32. */
uint32_t apsp_row_mark(const struct apsp_row_weights *weights, const void *row,
	uint32_t n, enum apsp_element element);

#endif
