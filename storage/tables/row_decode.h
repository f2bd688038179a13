/*
 * Decodes the elements of a row, in loops that the compiler vectorizes. The
 * input is a copy of the file's row. The result is false if it has a value that
 * no solver writes.
 */
#ifndef APSP_STORAGE_TABLES_ROW_DECODE_H
#define APSP_STORAGE_TABLES_ROW_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

/*
 * Decode DISTANCE of whole lengths: distances (INFINITY: no path) and hops
 * (UINT32_MAX: no path).
 */
bool apsp_row_decode_v(const struct apsp_table_header *header, const void *raw,
	double *distance, uint32_t *hops);

/* Decode DISTANCE of real lengths. */
bool apsp_row_decode_sums(const struct apsp_table_header *header,
	const void *raw, double *distance);

/* Decode PREDECESSOR; UINT32_MAX: none. */
bool apsp_row_decode_predecessors(const struct apsp_table_header *header,
	const void *raw, uint32_t *predecessor);

#endif
