/*
 * Proves that the statistics of a table agree with each other. Rows, columns
 * and histograms are added up separately, but all three must count the same
 * pairs of vertices.
 */
#ifndef APSP_COMPUTE_STATISTICS_STATS_PROOF_H
#define APSP_COMPUTE_STATISTICS_STATS_PROOF_H

#include <stdint.h>

#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"
#include "daemon/job/stats_sections.h"

/* All pointers are borrowed. */
struct apsp_stats_proof {
	const struct apsp_stat_form *form;
	/* the content of APSP_SECTION_VERTEX_STATS; the components in it are
	   not read */
	const double *vertices;
	uint32_t n_vertices;
	/* number of pairs of different vertices between which there is a
	   path */
	double n_pairs;
	/* two histograms: of distances, and of hops */
	const struct apsp_histogram *histograms;
	/* total number of arcs of all paths; negative: not known */
	double hops;
};

/* Check that the statistics of rows, the statistics of columns, the histograms
   and n_pairs agree with each other. APSP_EPROOF: they contradict each
   other. */
int apsp_stats_proof_run(
	const struct apsp_stats_proof *proof, struct apsp_err *err);

#endif
