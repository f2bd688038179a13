/*
 * Statistics of a table of widest paths (daemon/job/stats_sections.h), as
 * JSON: how many pairs stay connected at each threshold of the weights.
 */
#ifndef APSP_API_STATISTICS_WIDTH_STATS_H
#define APSP_API_STATISTICS_WIDTH_STATS_H

#include "api/encode/json.h"
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/tables/table_stats.h"
#include "storage/tables/tables.h"

/*
 * Make an object with the members widest, narrowest and width_histogram. The
 * histogram has at most n_bins thresholds. APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_width_stats_json(struct apsp_tables *tables,
	const struct apsp_table_stats *stats, uint64_t n_bins, json_t **out,
	struct apsp_err *err);

#endif
