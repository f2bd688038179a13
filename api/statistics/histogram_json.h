/*
 * A histogram as JSON (api/statistics/README.md, Statistics are the solver's,
 * of the distances that are served).
 */
#ifndef APSP_API_STATISTICS_HISTOGRAM_JSON_H
#define APSP_API_STATISTICS_HISTOGRAM_JSON_H

#include <stdint.h>

#include "api/encode/json.h"
#include "daemon/job/stats_sections.h"

/* Returns the histogram with at most n_bins bins: neighbouring bins are joined
   until there are no more. NULL: out of memory. */
json_t *apsp_histogram_json(const struct apsp_histogram *h, uint64_t n_bins);

#endif
