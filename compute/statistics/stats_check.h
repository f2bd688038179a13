/*
 * The check that the statistics of a table agree with each other: rows, columns
 * and histograms are added up separately, and count the same pairs.
 */
#ifndef APSP_COMPUTE_STATISTICS_STATS_CHECK_H
#define APSP_COMPUTE_STATISTICS_STATS_CHECK_H

#include <stdint.h>

#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"
#include "daemon/base/stats_sections.h"

/* All borrowed. */
struct apsp_stats_check {
	const struct apsp_stat_form *form;
	const double *vertices; /* the section's rows up to the components */
	uint32_t n_vertices;
	double n_pairs;				 /* pairs with a path */
	const struct apsp_histogram *histograms; /* of distances and of hops */
	double hops; /* arcs of all paths together; negative: not counted */
};

/* Compare rows, columns and histograms with each other and with n_pairs.
   APSP_EPROOF: they differ. */
int apsp_stats_check_run(
	const struct apsp_stats_check *check, struct apsp_err *err);

#endif
