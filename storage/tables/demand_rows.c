/*
 * Finds rows on demand by vertex; see demand_rows.h.
 */
#include "storage/tables/demand_rows.h"

#include <stdlib.h>

#include "daemon/base/auto.h"

APSP_AUTO_DEFINE(rows_end, struct apsp_demand_rows, apsp_demand_rows_free);

int apsp_demand_rows_new(uint64_t n_vertices, struct apsp_demand_rows **out,
	struct apsp_err *err)
{
	APSP_AUTO(rows_end)
	struct apsp_demand_rows *rows = calloc(1, sizeof(*rows));
	bool good = rows != NULL;

	for (int d = 0; good && d < APSP_N_DEMANDS; d++) {
		rows->of[d] = calloc(n_vertices, sizeof(*rows->of[d]));
		good = rows->of[d] != NULL;
	}
	if (!good)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	*out = APSP_TAKE(rows);
	return 0;
}

void apsp_demand_rows_free(struct apsp_demand_rows *rows)
{
	if (!rows)
		return;
	if (rows->drop)
		rows->drop(rows);
	for (int d = 0; d < APSP_N_DEMANDS; d++)
		free(rows->of[d]);
	free(rows);
}

const unsigned char *apsp_demand_rows_find(const struct apsp_demand_rows *rows,
	enum apsp_demand demand, uint64_t vertex)
{
	const struct apsp_demand_row *found = atomic_load_explicit(
		&rows->of[demand][vertex], memory_order_acquire);

	return found ? atomic_load_explicit(&found->bytes, memory_order_acquire)
		     : NULL;
}

const unsigned char *apsp_demand_rows_get(const struct apsp_demand_rows *rows,
	const struct apsp_table_header *header, enum apsp_section section,
	uint64_t row)
{
	enum apsp_demand demand;
	size_t at = apsp_demand_at(header, section, &demand);
	const unsigned char *bytes = apsp_demand_rows_find(rows, demand, row);

	return bytes ? bytes + at : NULL;
}
