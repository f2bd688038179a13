/*
 * Statistics of the table's rows and columns (daemon/job/stats_sections.h).
 * Examples for a vertex: the number of vertices that it reaches, and the sum of
 * their distances. Each sum is always added up in the same order. So its bits
 * do not depend on the algorithm, on how many rows are added at a time
 * (row_strip.h) or on the number of threads. Sums of rows are added in the
 * order of targets, and sums of columns by source blocks (source_block.h).
 */
#ifndef APSP_COMPUTE_STATISTICS_ROW_STATS_H
#define APSP_COMPUTE_STATISTICS_ROW_STATS_H

#include "compute/graph/components.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/row_strip.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/err.h"
#include "daemon/job/stats_sections.h"

#define APSP_NO_HOPS UINT32_MAX /* number of hops if there is no path */

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
 * Count the paths of a row by their numbers of arcs: for each k, count the
 * paths of k arcs. hops[v] is the number of arcs of the path to vertex v;
 * APSP_NO_HOPS: there is no path. If distances are path sums and the host
 * computes the statistics of a strip (row_strip.h), call this for each row of
 * the strip before apsp_row_stats_rows(). `thread` is the number of the calling
 * thread, and is less than the `width` of `stats`.
 */
void apsp_row_stats_hops(struct apsp_row_stats *stats, unsigned int thread,
	const uint32_t *hops);

/*
 * Add up the numbers of arcs of all paths in the last row of a strip
 * (row_strip.h). hops[v] is the number of arcs of the path to vertex v;
 * APSP_NO_HOPS: there is no path. If distances are path sums and a device has
 * computed the strip's statistics, call this before apsp_made_stats_add(),
 * which compares the total with the total that the device has computed.
 */
void apsp_row_stats_last_hops(
	struct apsp_row_stats *stats, const uint32_t *hops);

/*
 * Compute the statistics of a strip of rows on the host, and add them to
 * `stats`. The strip must begin with the row after the last added row. After
 * apsp_stats_pieces_keep(), whole source blocks may be skipped between two
 * strips. The rows must have been proved. The threads also run the tasks of
 * `beside`, unless `beside` is NULL. APSP_ENOMEM. APSP_EBUG:
 * apsp_stats_pieces_keep() was called, and the strip begins with an earlier row
 * or skips a part of a source block.
 */
int apsp_row_stats_rows(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip,
	const struct apsp_parallel_part *beside, struct apsp_err *err);

/* Whether a and b hold the same statistics, bit by bit. Used by tests and by
   the self-test. Both must have been made for one thread (a `width` of 1), and
   must not be finished yet. */
bool apsp_row_stats_same(struct apsp_row_stats *a, struct apsp_row_stats *b);

/*
 * Call this after the last row. It finishes the statistics and proves them
 * (stats_proof.h). `components` must include the weak components. `n_reachable`
 * is the number of ordered pairs (u, v) with a path from u to v, as counted in
 * the closure; the pairs (v, v) are included. *out_vertices gets the content of
 * APSP_SECTION_VERTEX_STATS, which `stats` owns. out_histograms[0] gets the
 * histogram of distances, and out_histograms[1] gets the histogram of hops.
 * APSP_EPROOF: the statistics contradict each other or n_reachable; APSP_EBUG:
 * `stats` keeps source blocks, and the sums of a source block are missing;
 * APSP_ENOMEM.
 */
int apsp_row_stats_finish(struct apsp_row_stats *stats,
	const struct apsp_components *components, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err);

#endif
