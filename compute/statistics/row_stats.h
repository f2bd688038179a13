/*
 * Statistics of the table's rows (daemon/base/stats_sections.h): values that
 * labs compute from distances. Each value is added up in one order, so that its
 * bits do not depend on the algorithm, the sizes of the strips or the number of
 * threads.
 */
#ifndef APSP_COMPUTE_STATISTICS_ROW_STATS_H
#define APSP_COMPUTE_STATISTICS_ROW_STATS_H

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "compute/statistics/made_stats.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"
#include "daemon/base/stats_sections.h"

#define APSP_NO_HOPS UINT32_MAX /* no path */

struct apsp_row_stats;

/*
 * Make empty statistics. `lengths` and `integers` are borrowed until the caller
 * frees *out. `distance` is the element type of the rows, and `width` is the
 * number of threads. APSP_ENOMEM.
 */
int apsp_row_stats_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element distance,
	unsigned int width, struct apsp_row_stats **out, struct apsp_err *err);
void apsp_row_stats_free(struct apsp_row_stats *stats);

/*
 * If distances are path sums, call this for each row before its strip is added:
 * it counts the row's paths by their numbers of arcs. hops[v] is the number of
 * arcs of the path to v; APSP_NO_HOPS: there is no path. `thread` is the number
 * of the calling thread in its loop, and is below the width.
 */
void apsp_row_stats_hops(struct apsp_row_stats *stats, unsigned int thread,
	const uint32_t *hops);

/*
 * Call this for a strip whose statistics a device has made, if distances are
 * path sums. hops[v] is the number of arcs of the path to v in the strip's last
 * row. apsp_row_stats_made() compares the sum of these numbers with the
 * device's sum.
 */
void apsp_row_stats_last_hops(
	struct apsp_row_stats *stats, const uint32_t *hops);

/*
 * Add the statistics of a strip. Its rows belong to the next sources and have
 * been proved. The loop over the rows also runs the tasks of `beside`, unless
 * `beside` is NULL. APSP_ENOMEM.
 */
int apsp_row_stats_rows(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip,
	const struct apsp_parallel_part *beside, struct apsp_err *err);

/* The form in which distances are stored; owned by `stats`. */
const struct apsp_stat_form *apsp_row_stats_form(
	const struct apsp_row_stats *stats);

/*
 * Add the statistics that a device has made of a strip (strip->made, which must
 * not be NULL). The strip's rows belong to the next sources. The host also adds
 * up the strip's last row, and compares the sums with the device's sums. If
 * strip->made has no rows, the caller calls apsp_row_stats_rows() next.
 * APSP_EPROOF: the device's statistics of the last row differ from the host's.
 */
int apsp_row_stats_made(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, struct apsp_err *err);

/* Whether a device has made the statistics of the rows. */
static inline bool apsp_row_stats_are_made(const struct apsp_row_strip *strip)
{
	return strip->made && strip->made->rows;
}

/* For tests and the self-test: whether a and b hold the same statistics, bit by
   bit. Both must have been made with a width of 1, and must not be finished
   yet. */
bool apsp_row_stats_same(struct apsp_row_stats *a, struct apsp_row_stats *b);

/*
 * Finish after the last row, and prove the statistics (stats_proof.h).
 * `n_reachable` is the number of pairs with a path in the closure; it includes
 * the pairs of a vertex with itself. *out_vertices, which `stats` owns, gets
 * the rows of APSP_SECTION_VERTEX_STATS. out_histograms gets the histograms of
 * distances and of hops. APSP_EPROOF: the statistics contradict each other or
 * n_reachable; APSP_ENOMEM.
 */
int apsp_row_stats_finish(struct apsp_row_stats *stats, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err);

#endif
