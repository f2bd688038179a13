/*
 * Statistics of tables as JSON (storage/tables/table_stats.h). Means are over
 * the pairs that have a path; those that have none are counted beside.
 */
#ifndef APSP_API_STATISTICS_STATS_JSON_H
#define APSP_API_STATISTICS_STATS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "api/reading.h"
#include "storage/tables/table_stats.h"

enum {
	APSP_STATS_BINS_DEFAULT = 100,
	APSP_STATS_COLUMNS = 12,
};

/* Of the whole graph, histograms in at most n_bins bins. NULL: no memory. */
json_t *apsp_stats_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint64_t n_bins);

/* How many columns these statistics have: the last two are of betweenness. */
size_t apsp_stats_n_columns(const struct apsp_table_stats *stats);

/* The names of what is told of a vertex. */
extern const char *const apsp_stats_columns[APSP_STATS_COLUMNS];

/* Its apsp_stats_n_columns() values; NaN where nothing defines one, vertices as
 * indices. */
void apsp_stats_values(const struct apsp_table_stats *stats, uint32_t v,
	double out[APSP_STATS_COLUMNS]);
bool apsp_stats_column_is_vertex(size_t column);

/* Of a vertex. NULL: no memory. */
json_t *apsp_stats_vertex_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint32_t v);

#endif
