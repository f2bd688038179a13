/*
 * Histograms of distances, hops, differences and widths as JSON.
 *
 * The rank of a width is its index, counted from 1, in the descending list of
 * all widths. The solver has counted the pairs of each rank, or of a few
 * neighbouring ranks. The sum of these counts up to a rank is the number of
 * pairs that are at least as wide.
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
 * histogram has at most n_bins thresholds: widths for which it has the number
 * of pairs that are at least as wide. APSP_EDAMAGED: the content of the table
 * file has changed. APSP_ENOMEM.
 */
int apsp_width_stats_json(struct apsp_tables *tables,
	const struct apsp_table_stats *stats, uint64_t n_bins, json_t **out,
	struct apsp_err *err);

/* Returns the histogram as JSON. Neighbouring bins are joined until at most
   n_bins are left. NULL: out of memory. */
json_t *apsp_histogram_json(const struct apsp_histogram *h, uint64_t n_bins);

#endif
