/*
 * Reads single values and ranges of bytes from a table file. No read goes
 * beyond its section, whatever the file holds. Each call checks the blocks that
 * it reads (apsp_tables_touch()). A caller that has read single values must
 * call apsp_tables_trust() before it uses them in an answer.
 *
 * A read may find a value that no solver writes, such as a predecessor that is
 * no vertex. Then the tables are marked as damaged, and the read fails with
 * APSP_EDAMAGED.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_READ_H
#define APSP_STORAGE_TABLES_TABLE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/table_value.h"
#include "storage/tables/tables.h"

struct apsp_cell {
	bool reachable;
	double distance; /* valid only if `reachable` is true */
	int64_t hops; /* number of arcs of the path; -1 if there is no path, or
			 if lengths are real numbers */
};

/* Fail if the table has widths, because such a table has no distances and no
   predecessors. Functions that read distances or predecessors call this, so
   that ranks of widths are never taken for distances. APSP_EBUG: the table has
   widths. */
static inline int apsp_table_read_no_widths(
	const struct apsp_table_header *header, struct apsp_err *err)
{
	return apsp_table_has_widths(header)
		       ? apsp_fail(err, APSP_EBUG,
				 "a distance or a predecessor was read from a "
				 "table of widths")
		       : 0;
}

/* Read the distance from vertex i to vertex j: row i, column j of the section
   DISTANCE. i and j must be vertices of the graph. The distance from a vertex
   to itself is 0, with 0 hops. */
int apsp_table_read_cell(struct apsp_tables *tables, uint32_t i, uint32_t j,
	struct apsp_cell *out, struct apsp_err *err);

/*
 * Check whether a table of real lengths holds the right distance: `held` must
 * equal `sum` after `sum` is rounded to the table's type. `sum` is the float64
 * sum of a path's lengths. The result is also false if the table holds float32,
 * and the sum is outside the normal range of float32: tables with such sums
 * hold float64 (compute/tables/README.md, Path sums).
 */
bool apsp_table_read_holds(
	const struct apsp_table_header *header, double held, double sum);

/* Return the sum of a path's lengths, rounded to float32 if the table's
   distances are float32. */
double apsp_table_read_rounded(
	const struct apsp_table_header *header, double sum);

/* Read the vertex before j on the path i → j; APSP_NO_PREDECESSOR if there is
   none. */
int apsp_table_read_predecessor(struct apsp_tables *tables, uint32_t i,
	uint32_t j, uint32_t *out, struct apsp_err *err);

/* Read one 64-bit word of row i in a section of bits. */
int apsp_table_read_bits(struct apsp_tables *tables, enum apsp_section section,
	uint32_t i, uint32_t word, uint64_t *out, struct apsp_err *err);

/* Returns 1 if there is an arc from tail to head, otherwise 0. */
int apsp_table_read_has_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, struct apsp_err *err);

/* Read the length and the weight of the arc from tail to head. This arc must
   exist. If parallel arcs were merged, the result is the weight of the merged
   arc. */
int apsp_table_read_arc(struct apsp_tables *tables, uint32_t tail,
	uint32_t head, double *out_weight, double *out_length,
	struct apsp_err *err);

/* Read the length and the weight of the last arc of the path i → j. If parallel
   arcs were merged, the result is the weight of the merged arc. `tail` must be
   the vertex that apsp_table_read_predecessor() has stored for i and j. */
int apsp_table_read_last_arc(struct apsp_tables *tables, uint32_t i,
	uint32_t tail, uint32_t j, double *out_weight, double *out_length,
	struct apsp_err *err);

/* Copy the bytes [at, at + size) of a section to `out`. On success the copy is
   valid. Values that other functions of this file have read are valid only
   after a call of apsp_tables_trust(); this copy needs no such call. */
int apsp_table_read_copy(struct apsp_tables *tables, enum apsp_section section,
	uint64_t at, uint64_t size, void *out, struct apsp_err *err);

#endif
