/*
 * Histograms as JSON: of distances and the like, and of widths.
 *
 * The solver has counted the pairs of each rank of a width, or of a few
 * neighbouring ranks. Added up from the widest on, the counts are the numbers
 * of pairs of at least a width.
 */
#ifndef APSP_API_STATISTICS_HISTOGRAMS_H
#define APSP_API_STATISTICS_HISTOGRAMS_H

#include <stdint.h>

#include "api/encode/json.h"
#include "daemon/base/err.h"
#include "daemon/job/stats_sections.h"
#include "storage/tables/table_stats.h"
#include "storage/tables/tables.h"

/*
 * Make an object with the members widest, narrowest and width_histogram. The
 * histogram has at most n_bins thresholds. APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_width_stats_json(struct apsp_tables *tables,
	const struct apsp_table_stats *stats, uint64_t n_bins, json_t **out,
	struct apsp_err *err);

/* Returns the histogram with at most n_bins bins: neighbouring bins are joined
   until there are no more. NULL: out of memory. */
json_t *apsp_histogram_json(const struct apsp_histogram *h, uint64_t n_bins);

#endif
