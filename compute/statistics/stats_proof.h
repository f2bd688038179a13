/*
 * The proof that the statistics of a table agree with each other: rows, columns
 * and histograms are added up separately, and must count the same pairs.
 */
#ifndef APSP_COMPUTE_STATISTICS_STATS_PROOF_H
#define APSP_COMPUTE_STATISTICS_STATS_PROOF_H

#include <stdint.h>

#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"
#include "daemon/base/stats_sections.h"

/* All borrowed. */
struct apsp_stats_proof {
	const struct apsp_stat_form *form;
	/* the rows of APSP_SECTION_VERTEX_STATS, except the components */
	const double *vertices;
	uint32_t n_vertices;
	double n_pairs; /* number of pairs of different vertices with a path */
	/* two histograms: of distances, and of hops */
	const struct apsp_histogram *histograms;
	double hops; /* number of arcs in all paths; negative: not known */
};

/* Compare rows, columns and histograms with each other and with n_pairs.
   APSP_EPROOF: they differ. */
int apsp_stats_proof_run(
	const struct apsp_stats_proof *proof, struct apsp_err *err);

#endif
