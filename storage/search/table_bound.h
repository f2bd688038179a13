/*
 * Lower bounds of the cost from one vertex to all others, from its row of the
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
	/* the most by which a distance may exceed the least: a fraction of it,
	   and a length */
	double share;
	double excess;
	bool exact;	/* distances are exact, and hops are known */
	double *least;	/* by vertex: no path is shorter; INFINITY if there is
			   no path; owned */
	uint32_t *hops; /* by vertex, if exact; owned */
	double largest; /* largest finite magnitude in least */
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
 * A lower bound of the cost of the cheapest path source → v, or
 * APSP_PATH_COST_INFINITY if there is no path. For whole lengths, the bound
 * equals that cost.
 */
apsp_path_cost apsp_table_bound_least(
	const struct apsp_table_bound *bound, uint32_t v);

/*
 * An upper bound of the costs of all shortest paths source → v, or
 * APSP_PATH_COST_INFINITY if there is no path.
 */
apsp_path_cost apsp_table_bound_most(
	const struct apsp_table_bound *bound, uint32_t v);

#endif
