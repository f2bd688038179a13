/*
 * Single values out of a table file, bounds checked whatever the file holds.
 * Each call touches what it reads; the caller ends with apsp_tables_trust().
 *
 * Values that no solver writes, among them a predecessor that is no vertex and
 * an arc that is not there, condemn the tables: APSP_EDAMAGED.
 */
#ifndef APSP_STORAGE_TABLE_READ_H
#define APSP_STORAGE_TABLE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables.h"

#define APSP_NO_PREDECESSOR UINT32_MAX

/* Row i, column j of DISTANCE, decoded; i and j are below n. */
int apsp_tables_read_cell(struct apsp_tables *tables, uint32_t i, uint32_t j,
	struct apsp_cell *out, struct apsp_err *err);

/* The vertex before j on the path i → j, or APSP_NO_PREDECESSOR. */
int apsp_tables_read_predecessor(struct apsp_tables *tables, uint32_t i,
	uint32_t j, uint32_t *out, struct apsp_err *err);

/* Word number `word` of row i of a section of bits. */
int apsp_tables_read_bits(struct apsp_tables *tables, enum apsp_section section,
	uint32_t i, uint32_t word, uint64_t *out, struct apsp_err *err);

/* Merged weight and length of the arc from tail to head, which must exist. */
int apsp_tables_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *out_weight, double *out_length,
	struct apsp_err *err);

/*
 * Count the arcs of the path from → to, which exists, back from its end; stops
 * at limit + 1. A walk of n arcs or more condemns the tables.
 */
int apsp_tables_read_hops(struct apsp_tables *tables, uint32_t from,
	uint32_t to, uint32_t limit, uint32_t *out, struct apsp_err *err);

#endif
