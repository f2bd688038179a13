/*
 * Elements of a row as numbers: loops that the compiler makes vectors of. Input
 * is a copy of the file's row; a value that no solver writes gives false.
 */
#ifndef APSP_STORAGE_TABLES_ROW_DECODE_H
#define APSP_STORAGE_TABLES_ROW_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/table_file.h"

/*
 * DISTANCE of whole lengths: distances (INFINITY: no path) and hops
 * (UINT32_MAX).
 */
bool apsp_row_decode_v(const struct apsp_table_header *header, const void *raw,
	double *distance, uint32_t *hops);

/* DISTANCE of real lengths. */
bool apsp_row_decode_sums(const struct apsp_table_header *header,
	const void *raw, double *distance);

/* PREDECESSOR; UINT32_MAX: none. */
bool apsp_row_decode_predecessors(const struct apsp_table_header *header,
	const void *raw, uint32_t *predecessor);

#endif
