/*
 * Cells and rows of opened tables, as the daemon reads them.
 */
#ifndef APSP_TESTS_ASK_TABLE_H
#define APSP_TESTS_ASK_TABLE_H

#include <stdlib.h>

#include "storage/tables/table_read.h"
#include "storage/tables/table_row.h"
#include "storage/tables/tables.h"

static inline int ask_table_cell(struct apsp_tables *tables, uint32_t i,
	uint32_t j, struct apsp_cell *out)
{
	int r = apsp_table_read_cell(tables, i, j, out, NULL);

	return r < 0 ? r : apsp_tables_trust(tables, NULL);
}

static inline int ask_table_row(struct apsp_tables *tables, uint32_t i,
	double *distance, uint32_t *hops)
{
	void *raw = malloc(tables->header.n_vertices * sizeof(double));
	int r = APSP_ENOMEM;

	if (raw)
		r = apsp_table_row_distances(
			tables, i, raw, distance, hops, NULL);
	free(raw);
	return r;
}

static inline int ask_table_predecessors(struct apsp_tables *tables, uint32_t i)
{
	size_t n = tables->header.n_vertices;
	uint32_t *predecessor = malloc(n * sizeof(*predecessor));
	void *raw = malloc(n * sizeof(double));
	int r = apsp_table_row_predecessors(tables, i, raw, predecessor, NULL);

	free(predecessor);
	free(raw);
	return r;
}

#endif
