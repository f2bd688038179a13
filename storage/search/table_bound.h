/*
 * Lower bounds of the cost from one vertex to any other, out of its row of the
 * distance table (storage/search/README.md, The table is the guide).
 */
#ifndef APSP_STORAGE_SEARCH_TABLE_BOUND_H
#define APSP_STORAGE_SEARCH_TABLE_BOUND_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/tables/tables.h"

struct apsp_table_bound {
	struct apsp_tables *tables;	   /* borrowed */
	const struct apsp_adjacency *arcs; /* borrowed */
	uint32_t source;
	/* how far a distance may be above the shortest: share and length */
	double share;
	double excess;
	apsp_cost *known; /* by vertex; owned */
};

/* The caller ends *out with apsp_table_bound_done(). APSP_ENOMEM. */
int apsp_table_bound_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	struct apsp_table_bound *out, struct apsp_err *err);
void apsp_table_bound_done(struct apsp_table_bound *bound);

/*
 * At most the cost of the cheapest path source → v; APSP_COST_INFINITY: there
 * is no path. For whole lengths the bound is that cost. APSP_EDAMAGED.
 */
int apsp_table_bound_get(struct apsp_table_bound *bound, uint32_t v,
	apsp_cost *out, struct apsp_err *err);

#endif
