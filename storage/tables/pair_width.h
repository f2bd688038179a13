/*
 * Reads the widths of pairs from a table of widest paths
 * (apsp_table_has_widths()). The width of a pair is the largest width of its
 * paths. It is 0 if there is no path, and INFINITY for a vertex and itself. So
 * a pair has a path over arcs of width w or more if and only if its width is at
 * least w. Vertex indices must be below n. All functions fail with
 * APSP_EDAMAGED if the file is damaged.
 */
#ifndef APSP_STORAGE_TABLES_PAIR_WIDTH_H
#define APSP_STORAGE_TABLES_PAIR_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/tables.h"

/* Read the width of the pair from → to. Takes two reads of the file. */
int apsp_pair_width_read(struct apsp_tables *tables, uint32_t from, uint32_t to,
	double *out, struct apsp_err *err);

/* Read the rank of the width of the pair from → to (daemon/job/table_file.h).
   The rank is INFINITY if there is no path, and 0 if `from` and `to` are
   equal. */
int apsp_pair_width_rank(struct apsp_tables *tables, uint32_t from, uint32_t to,
	double *out, struct apsp_err *err);

/* Read the width that belongs to a rank: the rank of a pair, or the rank of an
   arc, which is its length in a table of widest paths. */
int apsp_pair_width_of_rank(struct apsp_tables *tables, double rank,
	double *out, struct apsp_err *err);

/* Read the width of source → v for every v. `raw` is the caller's memory for a
   copy of the row, 8 bytes for each vertex. */
int apsp_pair_width_row(struct apsp_tables *tables, uint32_t source, void *raw,
	double *out, struct apsp_err *err);

/* Facts about all widths of a table. */
struct apsp_width_facts {
	bool whole;  /* all widths are whole numbers */
	bool single; /* float32 holds every width exactly */
};

/* Read all widths of a table, and find out the facts about them. */
int apsp_pair_width_facts(struct apsp_tables *tables,
	struct apsp_width_facts *out, struct apsp_err *err);

#endif
