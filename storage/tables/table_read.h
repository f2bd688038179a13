/*
 * Single values out of a table file, with bounds checked whatever the file
 * holds. Each call touches the blocks that it reads; before the caller answers
 * it must call apsp_table_verify_trust().
 *
 * A value that no solver writes, such as a predecessor that is no vertex or an
 * arc that is missing, condemns the tables: APSP_EDAMAGED.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_READ_H
#define APSP_STORAGE_TABLES_TABLE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_tables;

#define APSP_NO_PREDECESSOR UINT32_MAX

struct apsp_cell {
	bool reachable;
	double distance; /* if reachable */
	int64_t hops;	 /* if reachable; -1 where only walking tells */
};

/* Row i, column j of DISTANCE, decoded; i and j are below n. */
int apsp_table_read_cell(struct apsp_tables *tables, uint32_t i, uint32_t j,
	struct apsp_cell *out, struct apsp_err *err);

/*
 * Whether `held`, a distance of real lengths as the table has it, is this sum
 * of a path's lengths in float64, rounded once. False, too, where the sum
 * leaves the normal range of float32: tables of such sums hold float64
 * (compute/tables/README.md, Path sums).
 */
bool apsp_table_read_holds(
	const struct apsp_table_header *header, double held, double sum);

/* The vertex before j on the path i → j, or APSP_NO_PREDECESSOR. */
int apsp_table_read_predecessor(struct apsp_tables *tables, uint32_t i,
	uint32_t j, uint32_t *out, struct apsp_err *err);

/*
 * Have the processor fetch what apsp_table_read_predecessor(i, j) will read, or
 * apsp_table_read_arc() of an arc from tail: tables are larger than any cache,
 * and the fetches of a path's arcs overlap.
 */
void apsp_table_read_fetch(struct apsp_tables *tables, uint32_t i, uint32_t j);
void apsp_table_read_fetch_arcs(struct apsp_tables *tables, uint32_t tail);

/* Word number `word` of row i of a section of bits. */
int apsp_table_read_bits(struct apsp_tables *tables, enum apsp_section section,
	uint32_t i, uint32_t word, uint64_t *out, struct apsp_err *err);

/* Merged weight and length of the arc from tail to head, which must exist. */
int apsp_table_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *out_weight, double *out_length,
	struct apsp_err *err);

#endif
