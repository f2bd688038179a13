/*
 * Statistics of the rows on their way to the file
 * (daemon/base/stats_sections.h): what labs compute from distances. Each number
 * is added up in one order, by source and by target, so that all algorithms,
 * chunks and numbers of threads give the same bits.
 */
#ifndef APSP_COMPUTE_STATISTICS_ROW_STATS_H
#define APSP_COMPUTE_STATISTICS_ROW_STATS_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/row_strip.h"
#include "compute/statistics/hop_walk.h"
#include "compute/statistics/made_stats.h"
#include "compute/team.h"
#include "daemon/base/err.h"
#include "daemon/base/stats_sections.h"

struct apsp_row_stats;

/*
 * All arguments are borrowed until the caller frees *out; distance is the rows'
 * element, team may be NULL. APSP_ENOMEM.
 */
int apsp_row_stats_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element distance,
	struct apsp_team *team, struct apsp_row_stats **out,
	struct apsp_err *err);
void apsp_row_stats_free(struct apsp_row_stats *stats);

/*
 * Count the arcs of the paths of a row, n_vertices numbers of which
 * APSP_NO_HOPS are none; such a row's strip has has_hops. thread is that of a
 * loop on the team, of which each may count at a time.
 */
void apsp_row_stats_hops(struct apsp_row_stats *stats, unsigned int thread,
	const uint32_t *hops);

/*
 * Add the rows of a strip that has passed its checks, the next ones in the
 * order of sources. The same threads do `beside`, unless it is NULL.
 * APSP_ENOMEM; APSP_EPROOF: predecessors are no tree.
 */
int apsp_row_stats_rows(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, const struct apsp_team_part *beside,
	struct apsp_err *err);

/* How the rows' distances are to be read, and 2 to which power the bins of
   distances are wide at first. */
const struct apsp_stat_form *apsp_row_stats_form(
	const struct apsp_row_stats *stats);
int apsp_row_stats_exponent(const struct apsp_row_stats *stats);

/*
 * Take over what a device made of the next rows, strip->made, which is not
 * NULL; one of the rows is summed here, too, and compared. Where the device
 * left the rows to the host, apsp_row_stats_rows() comes next. APSP_EPROOF: it
 * differs, or predecessors are no tree.
 */
int apsp_row_stats_made(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, struct apsp_err *err);

/* Whether apsp_row_stats_made() takes the rows over. */
static inline bool apsp_row_stats_are_made(const struct apsp_row_strip *strip)
{
	return strip->made && strip->made->rows;
}

/* Whether both, made without a team, hold the same bits before they are
   finished. */
bool apsp_row_stats_same(struct apsp_row_stats *a, struct apsp_row_stats *b);

/*
 * Finish after the last row, whose number of pairs with a path must be that of
 * the closure, n_reachable (each vertex with itself included). *out_vertices,
 * which stats owns, are the rows of APSP_SECTION_VERTEX_STATS, out_histograms
 * those of distances and of hops. APSP_EPROOF, APSP_ENOMEM.
 */
int apsp_row_stats_finish(struct apsp_row_stats *stats, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err);

#endif
