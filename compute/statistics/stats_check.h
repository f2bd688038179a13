/*
 * Whether the statistics of a table agree with each other: rows, columns and
 * histograms are added up apart from each other, and tell of the same pairs.
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
	const double *vertices; /* the section, but for components */
	uint32_t n_vertices;
	double n_pairs;				 /* with a path */
	const struct apsp_histogram *histograms; /* of distances and of hops */
	double hops; /* arcs of all paths together; negative: not counted */
};

/* Rows against columns, and both against n_pairs. APSP_EPROOF. */
int apsp_stats_check_vertices(
	const struct apsp_stats_check *check, struct apsp_err *err);

/* Histograms against rows and n_pairs. APSP_EPROOF. */
int apsp_stats_check_histograms(
	const struct apsp_stats_check *check, struct apsp_err *err);

#endif
