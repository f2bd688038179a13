/*
 * Suggests values of an attribute in place of a value that no vertex has. The
 * suggestion is appended to a message.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_NEAR_VALUES_H
#define APSP_STORAGE_ATTRIBUTES_NEAR_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/attributes/attributes.h"

enum {
	APSP_NEAR_VALUES_SIZE = 256,
};

/*
 * Suggest other values in place of `value`, which no vertex has in the column.
 * If `value` is a value of another attribute, or the label of a vertex, say so.
 * Otherwise, if `similar` is true, list up to three similar values of the
 * column: first values at an edit distance of at most 2, then values that
 * contain `value`, ignoring ASCII case. If the column has no similar values,
 * list its first values. `attributes` may be NULL if the column is
 * APSP_LABEL_COLUMN. *out begins with "; " or is "". The call takes at most 30
 * ms, plus the time of one search through all labels.
 */
void apsp_near_values_write(const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, uint32_t column,
	const char *value, bool similar, char out[APSP_NEAR_VALUES_SIZE]);

#endif
