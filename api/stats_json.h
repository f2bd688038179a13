/*
 * Statistics of tables as JSON (storage/tables/table_stats.h). Means are over
 * the pairs that have a path; those that have none are counted beside.
 */
#ifndef APSP_API_STATS_JSON_H
#define APSP_API_STATS_JSON_H

#include <jansson.h>

#include "api/reading.h"
#include "storage/tables/table_stats.h"

enum {
	APSP_STATS_BINS_DEFAULT = 100,
};

/* Of the whole graph, histograms in at most n_bins bins. NULL: no memory. */
json_t *apsp_stats_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint64_t n_bins);

/* Of a vertex. NULL: no memory. */
json_t *apsp_stats_vertex_json(const struct apsp_reading *reading,
	const struct apsp_table_stats *stats, uint32_t v);

#endif
