/*
 * The words that R, pandas and spreadsheets write for a missing value: NA, NaN,
 * null and others, or a blank.
 */
#ifndef APSP_STORAGE_INGEST_MISSING_VALUE_H
#define APSP_STORAGE_INGEST_MISSING_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a text means a missing value: it is empty, or it is NA, NaN, null or
   a similar word, in upper or lower case. */
bool apsp_missing_value(const char *text, size_t size);

#endif
