/*
 * Stores statistics as pieces, and adds pieces to statistics; see
 * stats_pieces.h.
 */
#include "compute/statistics/stats_pieces.h"

#include <math.h>
#include <string.h>

#include "compute/statistics/row_stats_state.h"
#include "compute/source_block.h"

enum {
	/* number of statistics of each row in a piece (stats_pieces.h) */
	ROW_STATS = 4,
};

/* A piece stores these statistics for each row, in this order. In the table,
   they are statistics of the row's source. */
static const enum apsp_vertex_stat of_row[ROW_STATS] = {APSP_STAT_REACHES,
	APSP_STAT_DISTANCE_OUT, APSP_STAT_HARMONIC_OUT, APSP_STAT_FARTHEST_OUT};

void apsp_stats_pieces_keep(struct apsp_row_stats *stats)
{
	stats->columns.keeps = true;
}

/* Store the first source of source block k in *first, and return the source
   after the last source of the block. */
static uint32_t block_sources(uint32_t n_vertices, uint32_t k, uint32_t *first)
{
	*first = k * apsp_source_block_rows(n_vertices);
	return apsp_source_block_end(n_vertices, *first);
}

/* Return the size of a piece in bytes. */
static size_t piece_bytes(uint32_t n_vertices, uint32_t piece)
{
	size_t n = n_vertices, rows;
	uint32_t first;

	if (piece >= apsp_source_blocks(n_vertices))
		return sizeof(struct apsp_last_piece) + 2 * n * sizeof(double);
	rows = block_sources(n_vertices, piece, &first) - first;
	return (2 * n + ROW_STATS * rows) * sizeof(double);
}

static int fail_message(struct apsp_err *err)
{
	return apsp_fail(
		err, APSP_ENOMEM, "no memory for a message about statistics");
}

/* Return the address of the statistic of_row[q] of the vertex `source`. */
static double *row_at(struct apsp_row_stats *stats, uint32_t source, int q)
{
	size_t n = stats->lengths->n_vertices;

	return stats->vertices + of_row[q] * n + source;
}

static void last_give(struct apsp_row_stats *stats, struct apsp_last_piece *out)
{
	size_t n = stats->lengths->n_vertices;
	const struct apsp_stat_columns *columns = &stats->columns.block;

	apsp_row_stats_join_bins(stats);
	apsp_bins_store(&stats->hands[0].distances, &out->histograms[0]);
	apsp_bins_store(&stats->hands[0].hops, &out->histograms[1]);
	out->n_hops = stats->hands[0].n_hops;
	out->hops_past_scale = stats->hands[0].hops_past_scale;
	for (size_t c = 0; c < n; c++) {
		double most = apsp_stat_columns_most(&stats->form, columns, c);

		out->columns[c] = columns->count[c];
		out->columns[n + c] = columns->count[c] > 0 ? most : -INFINITY;
	}
}

int apsp_stats_piece_give(struct apsp_row_stats *stats, uint32_t piece,
	struct apsp_message *message, struct apsp_err *err)
{
	uint32_t n = stats->lengths->n_vertices, first, end;
	bool last = piece >= apsp_source_blocks(n);
	size_t sums = 2 * (size_t)n;
	double *to;

	if (!last && !stats->columns.kept[piece])
		return apsp_fail(err, APSP_EBUG,
			"statistics of source block %u were not kept", piece);
	to = apsp_message_extend(message, piece_bytes(n, piece));
	if (!to)
		return fail_message(err);
	if (last) {
		last_give(stats, (struct apsp_last_piece *)to);
		return 0;
	}
	memcpy(to, stats->columns.kept[piece], sums * sizeof(*to));
	to += sums;
	end = block_sources(n, piece, &first);
	for (uint32_t source = first; source < end; source++)
		for (int q = 0; q < ROW_STATS; q++)
			*to++ = *row_at(stats, source, q);
	return 0;
}

/* Another process has stored the histogram `from`. Check whether it can have
   come from bins that were initialised in the same way as `bins`. */
static bool bins_fit(
	const struct apsp_bins *bins, const struct apsp_histogram *from)
{
	int exponent;

	return from->first == bins->first && isfinite(from->width) &&
	       from->width > 0 && frexp(from->width, &exponent) == 0.5;
}

/* Another process has found n_paths paths to the vertex of column c. `most` is
   the largest distance of these paths; -INFINITY: there are no paths. Add
   n_paths to the column's count, and replace the column's largest distance if
   `most` is larger. */
static void column_stats_add_paths(struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, size_t c, uint32_t n_paths,
	double most)
{
	struct apsp_stat_columns *block = &stats->block;
	double own = block->count[c] > 0
			     ? apsp_stat_columns_most(form, block, c)
			     : -INFINITY;

	block->count[c] += n_paths;
	apsp_stat_columns_put_most(form, block, c, fmax(own, most));
}

static int last_take(struct apsp_row_stats *stats,
	const struct apsp_last_piece *from, struct apsp_err *err)
{
	size_t n = stats->lengths->n_vertices;
	struct apsp_bins *distances = &stats->hands[0].distances;
	struct apsp_bins *hops = &stats->hands[0].hops;

	if (!bins_fit(distances, &from->histograms[0]) ||
		!bins_fit(hops, &from->histograms[1]))
		return apsp_fail(err, APSP_EPROOF,
			"another process sent an impossible histogram");
	apsp_bins_add_histogram(distances, &from->histograms[0]);
	apsp_bins_add_histogram(hops, &from->histograms[1]);
	stats->hands[0].n_hops += from->n_hops;
	stats->hands[0].hops_past_scale |= from->hops_past_scale != 0;
	for (size_t c = 0; c < n; c++)
		column_stats_add_paths(&stats->columns, &stats->form, c,
			(uint32_t)from->columns[c], from->columns[n + c]);
	return 0;
}

int apsp_stats_piece_take(struct apsp_row_stats *stats, uint32_t piece,
	struct apsp_message *message, struct apsp_err *err)
{
	uint32_t n = stats->lengths->n_vertices, first, end;
	const double *from = apsp_message_next(message, piece_bytes(n, piece));
	int r;

	if (!from)
		return fail_message(err);
	if (piece >= apsp_source_blocks(n))
		return last_take(
			stats, (const struct apsp_last_piece *)from, err);
	r = apsp_row_stats_take_block(stats, piece, from, err);
	if (r < 0)
		return r;
	from += 2 * (size_t)n;
	end = block_sources(n, piece, &first);
	for (uint32_t source = first; source < end; source++)
		for (int q = 0; q < ROW_STATS; q++)
			*row_at(stats, source, q) = *from++;
	return 0;
}
