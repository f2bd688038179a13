/*
 * Reads the statistics of a table file (daemon/job/stats_sections.h). The
 * solver has computed the statistics while it wrote the rows.
 */
#ifndef APSP_STORAGE_TABLES_TABLE_STATS_H
#define APSP_STORAGE_TABLES_TABLE_STATS_H

#include <math.h>

#include "daemon/base/err.h"
#include "daemon/job/stats_sections.h"
#include "storage/tables/tables.h"

struct apsp_table_stats {
	uint64_t n_vertices;
	double *vertices; /* APSP_N_VERTEX_STATS arrays, each with n_vertices
			     elements; owned */
	struct apsp_histogram distances;
	struct apsp_histogram hops;
	double *betweenness; /* one number for each vertex; NULL: betweenness
				was not requested; owned */
};

/*
 * Copy the statistics, in time linear in n_vertices. The caller ends *out with
 * apsp_table_stats_done(). APSP_EDAMAGED: the tables are damaged. APSP_ETABLES:
 * the file has no statistics. APSP_ENOMEM.
 */
int apsp_table_stats_load(struct apsp_tables *tables,
	struct apsp_table_stats *out, struct apsp_err *err);
void apsp_table_stats_done(struct apsp_table_stats *stats);

/*
 * Read the betweenness of one vertex; NaN if it is undefined. Returns 1, or 0
 * if the file has no betweenness. APSP_EDAMAGED: the tables are damaged.
 */
int apsp_table_stats_betweenness(struct apsp_tables *tables, uint32_t v,
	double *out, struct apsp_err *err);

/* Return one statistic of a vertex. */
static inline double apsp_table_stats_get(const struct apsp_table_stats *stats,
	enum apsp_vertex_stat stat, uint64_t v)
{
	return stats->vertices[stat * stats->n_vertices + v];
}

/*
 * Return a / b, for two sums of statistics. NaN: b is 0, or a or b is infinite.
 * (A sum of 1/d is infinite if a distance d is 0. A sum of distances is
 * infinite if it is above the largest double.)
 */
static inline double apsp_table_stats_ratio(double a, double b)
{
	return b != 0 && isfinite(a) && isfinite(b) ? a / b : (double)NAN;
}

#endif
