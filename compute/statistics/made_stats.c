/*
 * Adds the statistics that a device has made to the host's statistics; see
 * made_stats.h.
 */
#include "compute/statistics/made_stats.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "compute/row_strip.h"
#include "compute/statistics/row_stats_state.h"

enum {
	COLUMNS = APSP_STAT_COLUMNS,
};

/* The sums over a row, and the total number of arcs of all paths of the row. */
struct row_sums {
	struct apsp_stat_part all;
	double hops;
};

/* Compute the statistics of a strip's last row (row_strip.h), and compare them
   with `made`, the statistics that the device has computed. The host and the
   device add in the same order, so the statistics must be equal bit by bit. */
static int row_compare(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, const struct row_sums *made,
	struct apsp_err *err)
{
	uint32_t count[COLUMNS] = {0}, r = strip->n_rows - 1;
	uint32_t source = strip->first + r;
	int32_t far[COLUMNS] = {0};
	double sum[COLUMNS] = {0}, harmonic[COLUMNS] = {0}, most[COLUMNS] = {0};
	const struct apsp_stat_columns nowhere = {
		count, sum, harmonic, most, far};
	struct apsp_stat_cells *cells = &stats->hands[0].cells;
	size_t n = stats->lengths->n_vertices;
	size_t size = apsp_element_size(stats->form.element);
	const char *distances = (const char *)strip->distances + r * n * size;
	struct row_sums own = {.all = {.most = -INFINITY}};

	for (size_t first = 0; first < n; first += COLUMNS) {
		struct apsp_stat_part part;

		apsp_stat_cells_add(&stats->form, distances + first * size,
			n - first < COLUMNS ? n - first : COLUMNS,
			source - first, &nowhere, cells, &part);
		apsp_stat_part_add(&own.all, &part);
		for (int c = 0;
			stats->form.kind == APSP_DISTANCE_SCALED && c < COLUMNS;
			c++)
			own.hops += cells->hops[c];
	}
	if (stats->form.kind == APSP_DISTANCE_SUM)
		own.hops = stats->last_hops;
	if (made->all.count == own.all.count && made->all.sum == own.all.sum &&
		made->all.harmonic == own.all.harmonic &&
		made->all.most == own.all.most && made->hops == own.hops)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"the device's statistics of source %u are %u, %.17g, %.17g, "
		"%.17g, %.0f, and the host's %u, %.17g, %.17g, %.17g, %.0f",
		source, made->all.count, made->all.sum, made->all.harmonic,
		made->all.most, made->hops, own.all.count, own.all.sum,
		own.all.harmonic, own.all.most, own.hops);
}

/* Replace the statistics of all columns by the statistics that a device has
   computed. `made` points to APSP_N_MADE_COLUMN arrays (made_stats.h). */
static void column_stats_put(struct apsp_column_stats *stats,
	const struct apsp_stat_form *form, const double *made)
{
	struct apsp_stat_columns *block = &stats->block;
	size_t n = stats->n_vertices;

	for (size_t c = 0; c < n; c++) {
		const double *at = made + c;

		block->count[c] = (uint32_t)at[APSP_MADE_COUNT * n];
		stats->sum[c] = at[APSP_MADE_SUM * n];
		stats->harmonic[c] = at[APSP_MADE_HARMONIC * n];
		block->sum[c] = at[APSP_MADE_BLOCK_SUM * n];
		block->harmonic[c] = at[APSP_MADE_BLOCK_HARMONIC * n];
		apsp_stat_columns_put_most(
			form, block, c, at[APSP_MADE_MOST * n]);
	}
}

/*
 * Add the counts of n bins of a device to `bins`; n is at most
 * APSP_HISTOGRAM_BINS. The device's bin b is from b · 2^exponent to (b + 1) ·
 * 2^exponent. This width must be at least the width with which `bins` was
 * initialised. No number in `bins` may be negative.
 */
static void counts_add(
	struct apsp_bins *bins, int exponent, const uint32_t *counts, size_t n)
{
	struct apsp_histogram from = {.width = ldexp(1, exponent)};

	assert(n <= APSP_HISTOGRAM_BINS);
	for (size_t b = 0; b < n; b++)
		from.counts[b] = counts[b];
	apsp_bins_add_histogram(bins, &from);
}

int apsp_made_stats_add(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, struct apsp_err *err)
{
	const struct apsp_made_stats *made = strip->made;
	const uint32_t *words = made->words;
	struct apsp_stats_hand *hand = &stats->hands[0];
	struct row_sums row = {.hops = 0};

	if (made->columns)
		column_stats_put(&stats->columns, &stats->form, made->columns);
	if (!made->rows)
		return 0;
	for (uint32_t r = 0; r < strip->n_rows; r++) {
		const double *from = made->rows + (size_t)r * APSP_N_MADE;

		row = (struct row_sums){
			.all = {.count = (uint32_t)from[APSP_MADE_COUNT],
				.sum = from[APSP_MADE_SUM],
				.harmonic = from[APSP_MADE_HARMONIC],
				.most = from[APSP_MADE_MOST]},
			.hops = made->hops.n > 0 ? made->hops.rows[r]
						 : from[APSP_MADE_HOPS]};
		apsp_row_stats_put(stats, strip->first + r, 0, &row.all);
		stats->made_hops += row.hops;
	}
	counts_add(&hand->distances, (int)words[APSP_MADE_EXPONENT],
		words + APSP_MADE_DISTANCES_AT, APSP_HISTOGRAM_BINS);
	if (made->hops.n > 0)
		counts_add(&hand->hops, 0, made->hops.counts, made->hops.n);
	else
		counts_add(&hand->hops, (int)words[APSP_MADE_HOPS_EXPONENT],
			words + APSP_MADE_HOPS_AT, APSP_HISTOGRAM_BINS);
	return row_compare(stats, strip, &row, err);
}
