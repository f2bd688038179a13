/*
 * Suggests values of an attribute in place of a value that no vertex has. The
 * suggestion is the end of a sentence in a message.
 */
#ifndef APSP_STORAGE_ATTRIBUTES_NEAR_VALUES_H
#define APSP_STORAGE_ATTRIBUTES_NEAR_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "storage/attributes/attributes.h"

enum {
	APSP_NEAR_VALUES_SIZE = 256,
};

/* The column that stands for the labels of vertices. */
#define APSP_LABEL_COLUMN UINT32_MAX

/*
 * Write what to try in place of `value`, which no vertex has in the column: the
 * attribute that has this value; or else up to three similar values, which
 * differ in two characters or in case, or which contain the value; or else the
 * first values of the column. `attributes` may be NULL if the column is
 * APSP_LABEL_COLUMN. *out begins with "; " or is "". Takes up to 30 ms and the
 * time to search all labels.
 */
void apsp_near_values_write(const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, uint32_t column,
	const char *value, char out[APSP_NEAR_VALUES_SIZE]);

/* Write only the attribute that has this value. Returns false, and *out is "",
   if no attribute has it. */
bool apsp_near_values_elsewhere(const struct apsp_labels *labels,
	const struct apsp_attributes *attributes, const char *value,
	char out[APSP_NEAR_VALUES_SIZE]);

#endif
