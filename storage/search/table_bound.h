/*
 * Lower bounds of the cost from one vertex to any other, out of its row of the
 * distance table (storage/search/README.md, The table is the guide).
 */
#ifndef APSP_STORAGE_SEARCH_TABLE_BOUND_H
#define APSP_STORAGE_SEARCH_TABLE_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/tables/tables.h"

struct apsp_table_bound {
	struct apsp_tables *tables;	   /* borrowed */
	const struct apsp_adjacency *arcs; /* borrowed */
	uint32_t source;
	/* how far a distance may be off the shortest: share and length */
	double share;
	double excess;
	bool exact;	/* it is not off at all, and hops are known */
	double *least;	/* by vertex: a length that no path is below; INFINITY:
			   there is no path. Owned */
	uint32_t *hops; /* by vertex, where exact; owned */
	double largest; /* magnitude of least, those of INFINITY apart */
};

/*
 * Read the source's row. The caller ends *out with apsp_table_bound_done().
 * APSP_ENOMEM, APSP_EDAMAGED.
 */
int apsp_table_bound_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	struct apsp_table_bound *out, struct apsp_err *err);
void apsp_table_bound_done(struct apsp_table_bound *bound);

/*
 * At most the cost of the cheapest path source → v; APSP_PATH_COST_INFINITY:
 * there is no path. For whole lengths the bound is that cost.
 */
apsp_path_cost apsp_table_bound_least(
	const struct apsp_table_bound *bound, uint32_t v);

/*
 * At least the cost of the cheapest path source → v, with all paths that are as
 * long; APSP_PATH_COST_INFINITY: there is no path.
 */
apsp_path_cost apsp_table_bound_most(
	const struct apsp_table_bound *bound, uint32_t v);

#endif
