/*
 * Computes statistics of rows; see row_stats.h. One task handles one block of
 * columns in all rows of a strip (row_strip.h). So the sums of these columns
 * stay in the cache. The task also computes one part of each row: the row's
 * sums over this block. Afterwards the parts of each row are added up, in the
 * order of columns.
 */
#include "compute/statistics/row_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/lengths.h"
#include "compute/source_block.h"
#include "compute/statistics/row_stats_state.h"
#include "compute/statistics/stats_proof.h"
#include "daemon/base/auto.h"
#include "daemon/base/err.h"

enum {
	/* number of columns that one task handles */
	COLUMNS = APSP_STAT_COLUMNS,
	/* if a strip (row_strip.h) has fewer cells than this, one thread does
	   all tasks */
	ALONE = 1 << 16,
	/* if distances are not whole numbers, their bins are at first so narrow
	   that 2^7 to 2^8 bins lie between 0 and the shortest length */
	START_BITS = 8,
	/* While a task adds a block of row r, it prefetches the same block of
	   row r + AHEAD. The prefetched block usually comes from the cache of
	   another processor. */
	AHEAD = 4,
	CACHE_LINE = 64, /* size of a cache line in bytes */
	DOUBLES = 5,	 /* number of arrays of doubles in the statistics of
			    columns; they share one block of memory */
};

/* The context of the tasks that add a strip of rows (row_strip.h) to the
   statistics. */
struct batch {
	struct apsp_row_stats *stats;
	const struct apsp_row_strip *strip;
};

APSP_AUTO_DEFINE(stats_end, struct apsp_row_stats, apsp_row_stats_free);

/* Return the first width of the bins of distances. It is 1 if distances are
   whole numbers. Otherwise it is much less than the shortest length. */
static double first_width(const struct apsp_lengths *lengths, bool whole)
{
	double least = INFINITY;
	int exponent;

	if (whole || !lengths->lengths)
		return 1;
	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		if (lengths->lengths[e] != 0)
			least = fmin(least, fabs(lengths->lengths[e]));
	if (isinf(least))
		return 1;
	frexp(least, &exponent);
	exponent -= START_BITS;
	return ldexp(1, exponent > -1000 ? exponent : -1000);
}

/* Make empty statistics of n_vertices columns. The caller ends *out with
   columns_done(), even after APSP_ENOMEM. */
static int columns_init(uint32_t n_vertices, struct apsp_column_stats *out,
	struct apsp_err *err)
{
	size_t padded = ((size_t)n_vertices + COLUMNS - 1) / COLUMNS * COLUMNS;
	/*
	 * The number of elements from the start of one array of doubles to the
	 * start of the next. If it were `padded`, the elements of a column in
	 * two arrays could have addresses with the same low 12 bits. Then the
	 * processor would delay a load from one array until a store to the
	 * other array has ended.
	 */
	size_t apart = padded + COLUMNS / 4;
	struct apsp_stat_columns *block = &out->block;

	*out = (struct apsp_column_stats){.n_vertices = n_vertices};
	block->count = calloc(padded, sizeof(*block->count));
	block->far = calloc(padded, sizeof(*block->far));
	block->sum = calloc(DOUBLES * apart, sizeof(*block->sum));
	if (!block->count || !block->far || !block->sum)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the statistics of %u vertices",
			n_vertices);
	block->harmonic = block->sum + apart;
	block->most = block->harmonic + apart;
	out->sum = block->most + apart;
	out->harmonic = out->sum + apart;
	for (size_t c = 0; c < padded; c++)
		block->most[c] = -INFINITY;
	return 0;
}

static void columns_done(struct apsp_column_stats *stats)
{
	free(stats->block.count);
	free(stats->block.far);
	/* frees all arrays of doubles, because they share one block of
	   memory */
	free(stats->block.sum);
	for (int k = 0; k < APSP_SOURCE_BLOCKS_MOST; k++)
		free(stats->kept[k]);
	*stats = (struct apsp_column_stats){0};
}

int apsp_row_stats_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element distance,
	unsigned int width, struct apsp_row_stats **out, struct apsp_err *err)
{
	APSP_AUTO(stats_end) struct apsp_row_stats *made = NULL;
	size_t n = lengths->n_vertices;
	bool below = integers->potentials != NULL;
	double bin_width =
		first_width(lengths, integers->kind != APSP_DISTANCE_SUM);
	int r;

	made = calloc(1, sizeof(*made));
	if (!made)
		return apsp_fail(err, APSP_ENOMEM, "no memory for statistics");
	made->lengths = lengths;
	made->integers = integers;
	made->form = (struct apsp_stat_form){.kind = integers->kind,
		.element = distance,
		.scale = (double)integers->scale,
		.below = below,
		.exponent = ilogb(bin_width)};
	made->n_blocks = (n + COLUMNS - 1) / COLUMNS;
	made->width = width;
	made->vertices =
		calloc(n * APSP_N_VERTEX_STATS, sizeof(*made->vertices));
	made->hands = calloc(width, sizeof(*made->hands));
	if (!made->vertices || !made->hands)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the statistics of %zu vertices", n);
	r = columns_init(lengths->n_vertices, &made->columns, err);
	if (r < 0)
		return r;
	for (unsigned int t = 0; t < width; t++) {
		apsp_bins_init(&made->hands[t].distances, bin_width, below);
		apsp_bins_init(&made->hands[t].hops, 1, false);
	}
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_row_stats_free(struct apsp_row_stats *stats)
{
	if (!stats)
		return;
	free(stats->hands);
	columns_done(&stats->columns);
	free(stats->parts);
	free(stats->vertices);
	free(stats);
}

/* Call this before a strip (row_strip.h) of n_rows rows is added, whose first
   row is that of `source`. If stats->keeps is true, check that the strip's rows
   follow the earlier rows, and allocate memory for the source blocks that end
   in the strip. APSP_ENOMEM; APSP_EBUG: the strip begins with a wrong row. */
static int columns_begin(struct apsp_column_stats *stats, uint32_t source,
	uint32_t n_rows, struct apsp_err *err)
{
	uint32_t n = stats->n_vertices, rows = apsp_source_block_rows(n);
	bool follows = source == stats->next;
	bool is_window = source > stats->next && source % rows == 0 &&
			 stats->next % rows == 0;

	if (!stats->keeps)
		return 0;
	if (!follows && !is_window)
		return apsp_fail(err, APSP_EBUG,
			"the row of source %u came, and the row of source %u "
			"is next in its block of %u sources",
			source, stats->next, rows);
	stats->next = source + n_rows;
	for (uint32_t k = source / rows;
		source < n && apsp_source_block_end(n, source) <= stats->next;
		k++) {
		stats->kept[k] = malloc(2 * sizeof(double) * n);
		if (!stats->kept[k])
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for statistics");
		source = apsp_source_block_end(n, source);
	}
	return 0;
}

/*
 * Call this when the last row of a source block (a range of sources) was added
 * to the APSP_STAT_COLUMNS columns from `first` on. `source` is the source of
 * this row. Add the block's sums in these columns to the sums of the earlier
 * blocks, or keep the block's sums. Then begin the next block in these columns.
 */
static void columns_end_block(
	struct apsp_column_stats *stats, uint32_t source, size_t first)
{
	struct apsp_stat_columns *block = &stats->block;
	size_t n = stats->n_vertices, end = first + COLUMNS;
	double *kept = NULL;

	if (stats->keeps)
		kept = stats->kept[source /
				   apsp_source_block_rows(stats->n_vertices)];
	for (size_t c = first; kept && c < end && c < n; c++) {
		kept[c] = block->sum[c];
		kept[n + c] = block->harmonic[c];
	}
	for (size_t c = first; c < end; c++) {
		if (!kept) {
			stats->sum[c] += block->sum[c];
			stats->harmonic[c] += block->harmonic[c];
		}
		block->sum[c] = 0;
		block->harmonic[c] = 0;
	}
}

/* The rows of the current source block are added to the arrays in stats->block.
   Return pointers to column `first` of these arrays. `first` is a multiple of
   APSP_STAT_COLUMNS. */
static struct apsp_stat_columns columns_from(
	const struct apsp_column_stats *stats, size_t first)
{
	const struct apsp_stat_columns *block = &stats->block;

	return (struct apsp_stat_columns){
		.count = block->count + first,
		.sum = block->sum + first,
		.harmonic = block->harmonic + first,
		.most = block->most + first,
		.far = block->far + first,
	};
}

static void block_add(void *ctx, unsigned int thread, size_t block)
{
	struct batch *batch = ctx;
	struct apsp_row_stats *stats = batch->stats;
	struct apsp_stats_hand *hand = &stats->hands[thread];
	size_t n = stats->lengths->n_vertices, first = block * COLUMNS;
	size_t width = n - first < COLUMNS ? n - first : COLUMNS;
	const struct apsp_stat_columns columns =
		columns_from(&stats->columns, first);
	uint32_t source = batch->strip->first;
	uint32_t end = apsp_source_block_end((uint32_t)n, source);
	const char *rows = batch->strip->distances;
	size_t size = apsp_element_size(stats->form.element);

	for (uint32_t r = 0; r < batch->strip->n_rows; r++, source++) {
		struct apsp_stat_part *part =
			&stats->parts[r * stats->n_blocks + block];

		if (r + AHEAD < batch->strip->n_rows)
			for (size_t at = 0; at < width * size; at += CACHE_LINE)
				__builtin_prefetch(
					rows + at +
					((r + AHEAD) * n + first) * size);
		apsp_stat_cells_add(&stats->form, rows + (r * n + first) * size,
			width, source - first, &columns, &hand->cells, part);
		if (part->count > 0)
			apsp_stat_cells_bin(&stats->form, &hand->cells, part,
				&hand->distances, &hand->hops);
		if (stats->form.kind == APSP_DISTANCE_SCALED) {
			hand->n_hops += (uint64_t)hand->cells.n_hops;
			hand->hops_past_scale |=
				hand->cells.most_hops >= stats->form.scale;
		}
		if (source + 1 == end) {
			columns_end_block(&stats->columns, source, first);
			if (end < n)
				end = apsp_source_block_end((uint32_t)n, end);
		}
	}
}

void apsp_row_stats_hops(
	struct apsp_row_stats *stats, unsigned int thread, const uint32_t *hops)
{
	struct apsp_stats_hand *hand = &stats->hands[thread];
	size_t n = stats->lengths->n_vertices;

	for (size_t first = 0; first < n; first += COLUMNS)
		hand->n_hops += apsp_stat_hops_bin(hops + first,
			n - first < COLUMNS ? n - first : COLUMNS, &hand->hops);
}

int apsp_row_stats_rows(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip,
	const struct apsp_parallel_part *beside, struct apsp_err *err)
{
	struct batch batch = {.stats = stats, .strip = strip};
	size_t n_parts = strip->n_rows * stats->n_blocks;
	size_t cells = (size_t)strip->n_rows * stats->lengths->n_vertices;
	int r;

	if (n_parts > stats->n_parts) {
		free(stats->parts);
		stats->n_parts = 0;
		stats->parts = malloc(n_parts * sizeof(*stats->parts));
		if (!stats->parts)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for statistics");
		stats->n_parts = n_parts;
	}
	r = columns_begin(&stats->columns, strip->first, strip->n_rows, err);
	if (r < 0)
		return r;
	apsp_parallel_parts(
		(const struct apsp_parallel_part[]){
			{stats->n_blocks, block_add, &batch},
			beside ? *beside : (struct apsp_parallel_part){.n = 0}},
		2, cells < ALONE ? 1 : stats->width);
	for (uint32_t row = 0; row < strip->n_rows; row++) {
		const struct apsp_stat_part *parts =
			stats->parts + row * stats->n_blocks;
		struct apsp_stat_part all = {.most = -INFINITY};

		for (size_t b = 0; b < stats->n_blocks; b++)
			apsp_stat_part_add(&all, &parts[b]);
		apsp_row_stats_put(stats, strip->first + row, 0, &all);
	}
	return 0;
}

void apsp_row_stats_last_hops(
	struct apsp_row_stats *stats, const uint32_t *hops)
{
	stats->last_hops = 0;
	for (uint32_t v = 0; v < stats->lengths->n_vertices; v++)
		stats->last_hops += hops[v] == APSP_NO_HOPS ? 0 : hops[v];
}

/* Whether a and b are the same, bit by bit, including the sums of the current
   source block. */
static bool column_stats_same(const struct apsp_column_stats *a,
	const struct apsp_column_stats *b, const struct apsp_stat_form *form)
{
	const struct apsp_stat_columns *x = &a->block, *y = &b->block;
	size_t n = a->n_vertices, size = n * sizeof(double);

	for (size_t c = 0; c < n; c++)
		if (apsp_stat_columns_most(form, x, c) !=
			apsp_stat_columns_most(form, y, c))
			return false;
	return memcmp(x->count, y->count, n * sizeof(*x->count)) == 0 &&
	       memcmp(x->sum, y->sum, size) == 0 &&
	       memcmp(x->harmonic, y->harmonic, size) == 0 &&
	       memcmp(a->sum, b->sum, size) == 0 &&
	       memcmp(a->harmonic, b->harmonic, size) == 0;
}

static bool bins_same(struct apsp_bins *a, struct apsp_bins *b)
{
	struct apsp_histogram of_a, of_b;

	apsp_bins_store(a, &of_a);
	apsp_bins_store(b, &of_b);
	return memcmp(&of_a, &of_b, sizeof(of_a)) == 0;
}

bool apsp_row_stats_same(struct apsp_row_stats *a, struct apsp_row_stats *b)
{
	size_t n = a->lengths->n_vertices, numbers = n * sizeof(double);

	return column_stats_same(&a->columns, &b->columns, &a->form) &&
	       memcmp(a->vertices, b->vertices,
		       numbers * APSP_N_VERTEX_STATS) == 0 &&
	       bins_same(&a->hands[0].distances, &b->hands[0].distances) &&
	       bins_same(&a->hands[0].hops, &b->hands[0].hops);
}

void apsp_row_stats_join_bins(struct apsp_row_stats *stats)
{
	struct apsp_stats_hand *hand = &stats->hands[0];

	for (unsigned int t = 1; t < stats->width; t++) {
		apsp_bins_merge(&hand->distances, &stats->hands[t].distances);
		apsp_bins_merge(&hand->hops, &stats->hands[t].hops);
		hand->n_hops += stats->hands[t].n_hops;
		stats->hands[t].n_hops = 0;
		hand->hops_past_scale |= stats->hands[t].hops_past_scale;
	}
}

/* Add `kept`, the sums of the next source block, to the sums of the blocks
   before it. */
static void next_join(struct apsp_column_stats *stats, const double *kept)
{
	size_t n = stats->n_vertices;

	for (size_t c = 0; c < n; c++) {
		stats->sum[c] += kept[c];
		stats->harmonic[c] += kept[n + c];
	}
	stats->n_joined++;
}

/* Join the source blocks before block `end`: add the sums of each block to
   stats->sum and stats->harmonic, unless the block was joined before. Call this
   only for statistics that keep source blocks (stats->keeps). APSP_EBUG: the
   sums of a block are missing. */
static int columns_join(
	struct apsp_column_stats *stats, uint32_t end, struct apsp_err *err)
{
	while (stats->n_joined < end) {
		double **kept = &stats->kept[stats->n_joined];

		if (!*kept)
			return apsp_fail(err, APSP_EBUG,
				"statistics of source block %u are missing",
				stats->n_joined);
		next_join(stats, *kept);
		free(*kept);
		*kept = NULL;
	}
	return 0;
}

int apsp_row_stats_take_block(struct apsp_row_stats *stats, uint32_t block,
	const double *kept, struct apsp_err *err)
{
	struct apsp_column_stats *columns = &stats->columns;
	int r = columns_join(columns, block, err);

	if (r < 0)
		return r;
	if (columns->n_joined != block || columns->kept[block])
		return apsp_fail(err, APSP_EBUG,
			"statistics of source block %u come twice or too late",
			block);
	next_join(columns, kept);
	return 0;
}

int apsp_row_stats_finish(struct apsp_row_stats *stats,
	const struct apsp_components *components, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err)
{
	struct apsp_stats_hand *hand = &stats->hands[0];
	uint32_t n = stats->lengths->n_vertices;
	/* Whether the total number of arcs of all paths is known. It is known
	   if distances are path sums or are integers that contain hops. */
	bool has_hops = stats->form.kind == APSP_DISTANCE_SUM ||
			stats->form.kind == APSP_DISTANCE_SCALED;
	struct apsp_stats_proof proof = {.form = &stats->form,
		.vertices = stats->vertices,
		.n_vertices = n,
		.n_pairs = (double)(n_reachable - n),
		.histograms = out_histograms,
		.hops = -1};
	int r = 0;

	if (stats->columns.keeps)
		r = columns_join(&stats->columns, apsp_source_blocks(n), err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < n; v++) {
		const struct apsp_column_stats *columns = &stats->columns;
		const struct apsp_stat_part all = {
			.count = columns->block.count[v],
			.sum = columns->sum[v],
			.harmonic = columns->harmonic[v],
			.most = apsp_stat_columns_most(
				&stats->form, &columns->block, v)};

		apsp_row_stats_put(stats, v, 1, &all);
	}
	apsp_row_stats_join_bins(stats);
	if (hand->hops_past_scale)
		return apsp_fail(err, APSP_EPROOF,
			"the statistics have paths with as many arcs as the "
			"scale");
	if (has_hops)
		proof.hops = stats->made_hops + (double)hand->n_hops;
	apsp_bins_store(&hand->distances, &out_histograms[0]);
	apsp_bins_store(stats->integers->kind == APSP_DISTANCE_HOPS
				? &hand->distances
				: &hand->hops,
		&out_histograms[1]);
	r = apsp_stats_proof_run(&proof, err);
	if (r < 0)
		return r;
	for (uint32_t v = 0; v < n; v++) {
		double *at = stats->vertices + v;

		at[APSP_STAT_STRONG * (size_t)n] =
			apsp_components_least(components, v);
		at[APSP_STAT_WEAK * (size_t)n] = components->weak[v];
	}
	*out_vertices = stats->vertices;
	return 0;
}
