/*
 * Statistics of tables as JSON (storage/tables/table_stats.h). Means are over
 * the pairs that have a path; the number of other pairs is a member of its own.
 */
#ifndef APSP_API_STATISTICS_STATS_JSON_H
#define APSP_API_STATISTICS_STATS_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "api/encode/json_writer.h"
#include "api/reading.h"
#include "storage/tables/table_stats.h"

enum {
	APSP_STATS_BINS_DEFAULT = 100,
	APSP_STATS_COLUMNS = 12,
};

/*
 * The statistics of the whole graph, with histograms of at most n_bins bins.
 * NULL: no memory.
 */
json_t *apsp_stats_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint64_t n_bins);

/* The number of columns; the last two exist only with betweenness. */
size_t apsp_stats_n_columns(const struct apsp_table_stats *stats);

/* The names of a vertex's values. */
extern const char *const apsp_stats_columns[APSP_STATS_COLUMNS];

/*
 * Store the apsp_stats_n_columns() values of a vertex: NaN for a number that
 * nothing defines, and the index for a vertex.
 */
void apsp_stats_values(const struct apsp_table_stats *stats, uint32_t v,
	double out[APSP_STATS_COLUMNS]);
bool apsp_stats_column_is_vertex(size_t column);

/* Append the values of a vertex as an object. */
void apsp_stats_vertex_write(struct apsp_json_writer *w,
	const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint32_t v);

#endif
