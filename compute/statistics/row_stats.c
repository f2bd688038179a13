/*
 * Statistics of rows; see row_stats.h. A task takes some columns of all rows of
 * a strip: sums by target stay in the cache, and each row's sums over those
 * columns are put together afterwards, in the columns' order.
 */
#include "compute/statistics/row_stats.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/plan/footprint.h"
#include "compute/statistics/histogram.h"
#include "compute/statistics/stat_cells.h"
#include "compute/statistics/stats_check.h"
#include "compute/statistics/vertex_components.h"
#include "daemon/base/auto.h"

enum {
	COLUMNS = APSP_STAT_COLUMNS, /* of a task */
	ALONE = 1 << 16, /* cells that are not worth waking threads for */
	START_BITS = 8,	 /* bins below the shortest length, at first */
	/* Rows of a strip lie far apart, and other processors read them last:
	   each is asked for while those before it are added. */
	AHEAD = 4,
	CACHE_LINE = 64, /* bytes */
};

struct hand {
	struct apsp_bins distances;
	struct apsp_bins hops;
	struct apsp_stat_cells cells;
	struct apsp_hop_walk walk; /* where hops are not in the distances */
};

struct apsp_row_stats {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	struct apsp_stat_form form;
	struct apsp_team *team;
	size_t n_blocks;
	struct apsp_stat_columns columns;
	struct apsp_stat_part *parts; /* of a strip's rows, n_blocks each */
	size_t n_parts;
	double *vertices;    /* the section */
	int exponent;	     /* of the distances' first bins */
	uint32_t n_made;     /* rows that a device has summed */
	double made_hops;    /* arcs that all paths of these have together */
	bool has_components; /* of vertices, or an error */
	int components_result;
	struct apsp_err components_err;
	unsigned int width;
	struct hand *hands;
};

/* A strip's rows, for the threads. */
struct batch {
	struct apsp_row_stats *stats;
	const struct apsp_row_strip *strip;
	atomic_bool no_tree;
};

APSP_AUTO_DEFINE(stats_end, struct apsp_row_stats, apsp_row_stats_free);

static bool has_walk(const struct apsp_row_stats *stats)
{
	return stats->integers->kind == APSP_DISTANCE_SUM;
}

/* Narrower than the shortest path by far, and not narrower than needed. */
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

static bool memory_take(struct apsp_row_stats *stats)
{
	size_t n = stats->lengths->n_vertices;
	size_t padded = stats->n_blocks * COLUMNS;
	/* a load waits for a store to an address with the same low 12 bits */
	size_t apart = padded + COLUMNS / 4;
	struct apsp_stat_columns *columns = &stats->columns;

	columns->count = calloc(padded, sizeof(*columns->count));
	columns->far = calloc(padded, sizeof(*columns->far));
	columns->sum = calloc(3 * apart, sizeof(*columns->sum));
	stats->vertices =
		calloc(n * APSP_N_VERTEX_STATS, sizeof(*stats->vertices));
	stats->hands = calloc(stats->width, sizeof(*stats->hands));
	if (!columns->count || !columns->far || !columns->sum ||
		!stats->vertices || !stats->hands)
		return false;
	columns->harmonic = columns->sum + apart;
	columns->most = columns->harmonic + apart;
	for (size_t c = 0; c < padded; c++)
		columns->most[c] = -INFINITY;
	return true;
}

int apsp_row_stats_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, enum apsp_element distance,
	struct apsp_team *team, struct apsp_row_stats **out,
	struct apsp_err *err)
{
	APSP_AUTO(stats_end) struct apsp_row_stats *made = NULL;
	bool below = integers->potentials != NULL, whole;
	double width;

	made = calloc(1, sizeof(*made));
	whole = made != NULL;
	if (whole) {
		made->lengths = lengths;
		made->integers = integers;
		made->form = (struct apsp_stat_form){.kind = integers->kind,
			.element = distance,
			.scale = (double)integers->scale,
			.below = below};
		made->team = team;
		made->n_blocks =
			((size_t)lengths->n_vertices + COLUMNS - 1) / COLUMNS;
		made->width = apsp_team_width(team);
		whole = memory_take(made);
	}
	width = first_width(lengths, integers->kind != APSP_DISTANCE_SUM);
	if (whole)
		made->exponent = ilogb(width);
	for (unsigned int t = 0; whole && t < made->width; t++) {
		apsp_bins_init(&made->hands[t].distances, width, below);
		apsp_bins_init(&made->hands[t].hops, 1, false);
		whole = !has_walk(made) ||
			apsp_hop_walk_init(
				&made->hands[t].walk, lengths->n_vertices);
	}
	if (!whole)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the statistics of %u vertices",
			lengths->n_vertices);
	*out = APSP_TAKE(made);
	return 0;
}

void apsp_row_stats_free(struct apsp_row_stats *stats)
{
	if (!stats)
		return;
	for (unsigned int t = 0; stats->hands && t < stats->width; t++)
		apsp_hop_walk_done(&stats->hands[t].walk);
	free(stats->hands);
	free(stats->columns.count);
	free(stats->columns.far);
	free(stats->columns.sum);
	free(stats->parts);
	free(stats->vertices);
	free(stats);
}

static void ahead_fetch(const char *row, size_t size)
{
	for (size_t at = 0; at < size; at += CACHE_LINE)
		__builtin_prefetch(row + at);
}

static void block_add(void *ctx, unsigned int thread, size_t block)
{
	struct batch *batch = ctx;
	struct apsp_row_stats *stats = batch->stats;
	struct hand *hand = &stats->hands[thread];
	size_t n = stats->lengths->n_vertices, first = block * COLUMNS;
	size_t width = n - first < COLUMNS ? n - first : COLUMNS;
	const struct apsp_stat_columns columns = {
		.count = stats->columns.count + first,
		.sum = stats->columns.sum + first,
		.harmonic = stats->columns.harmonic + first,
		.most = stats->columns.most + first,
		.far = stats->columns.far + first,
	};
	const char *rows = batch->strip->distances;
	size_t size = apsp_element_size(stats->form.element);

	for (uint32_t r = 0; r < batch->strip->n_rows; r++) {
		struct apsp_stat_part *part =
			&stats->parts[r * stats->n_blocks + block];

		if (r + AHEAD < batch->strip->n_rows)
			ahead_fetch(rows + ((r + AHEAD) * n + first) * size,
				width * size);
		apsp_stat_cells_add(&stats->form, rows + (r * n + first) * size,
			width, batch->strip->first + r - first, &columns,
			&hand->cells, part);
		if (part->count > 0)
			apsp_stat_cells_bin(&stats->form, &hand->cells, part,
				&hand->distances, &hand->hops);
	}
}

void apsp_row_stats_hops(
	struct apsp_row_stats *stats, unsigned int thread, const uint32_t *hops)
{
	size_t n = stats->lengths->n_vertices;

	for (size_t first = 0; first < n; first += COLUMNS)
		apsp_stat_hops_bin(hops + first,
			n - first < COLUMNS ? n - first : COLUMNS,
			&stats->hands[thread].hops);
}

static void row_walk(void *ctx, unsigned int thread, size_t row)
{
	struct batch *batch = ctx;
	struct apsp_row_stats *stats = batch->stats;
	struct hand *hand = &stats->hands[thread];

	if (!apsp_hop_walk_row(&hand->walk, batch->strip->predecessors, row,
		    batch->strip->first + (uint32_t)row)) {
		atomic_store(&batch->no_tree, true);
		return;
	}
	apsp_row_stats_hops(stats, thread, hand->walk.hops);
}

/* The components, which need no rows; done once, beside the first strip. */
static void components_find(void *ctx, unsigned int thread, size_t i)
{
	struct apsp_row_stats *stats = ctx;
	size_t n = stats->lengths->n_vertices;

	(void)thread;
	(void)i;
	stats->components_result = apsp_vertex_components(stats->lengths,
		stats->vertices + APSP_STAT_STRONG * n,
		stats->vertices + APSP_STAT_WEAK * n, &stats->components_err);
	stats->has_components = true;
}

static void vertex_put(struct apsp_row_stats *stats, uint32_t v, int in,
	const struct apsp_stat_part *all)
{
	size_t n = stats->lengths->n_vertices;
	double *at = stats->vertices + v;

	at[(APSP_STAT_REACHES + in) * n] = all->count;
	at[(APSP_STAT_DISTANCE_OUT + in) * n] = all->sum;
	at[(APSP_STAT_HARMONIC_OUT + in) * n] = all->harmonic;
	at[(APSP_STAT_FARTHEST_OUT + in) * n] =
		all->count > 0 ? all->most : (double)NAN;
}

/* Put a row's parts together. */
static void row_finish(struct apsp_row_stats *stats, uint32_t source,
	const struct apsp_stat_part *parts)
{
	struct apsp_stat_part all = {.most = -INFINITY};

	for (size_t b = 0; b < stats->n_blocks; b++) {
		all.count += parts[b].count;
		all.sum += parts[b].sum;
		all.harmonic += parts[b].harmonic;
		all.most = fmax(all.most, parts[b].most);
	}
	vertex_put(stats, source, 0, &all);
}

int apsp_row_stats_rows(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, const struct apsp_team_part *beside,
	struct apsp_err *err)
{
	struct batch batch = {.stats = stats, .strip = strip};
	size_t n_parts = strip->n_rows * stats->n_blocks;
	size_t cells = (size_t)strip->n_rows * stats->lengths->n_vertices;

	if (n_parts > stats->n_parts) {
		free(stats->parts);
		stats->n_parts = 0;
		stats->parts = malloc(n_parts * sizeof(*stats->parts));
		if (!stats->parts)
			return apsp_fail(
				err, APSP_ENOMEM, "no memory for statistics");
		stats->n_parts = n_parts;
	}
	apsp_team_parts(cells < ALONE ? NULL : stats->team,
		(const struct apsp_team_part[]){
			{stats->has_components ? 0 : 1, components_find, stats},
			{stats->n_blocks, block_add, &batch},
			{has_walk(stats) && !strip->has_hops ? strip->n_rows
							     : 0,
				row_walk, &batch},
			beside ? *beside : (struct apsp_team_part){.n = 0}},
		4);
	if (atomic_load(&batch.no_tree))
		return apsp_fail(err, APSP_EPROOF,
			"the predecessors from the sources %u to %u are no "
			"trees",
			strip->first, strip->first + strip->n_rows - 1);
	for (uint32_t r = 0; r < strip->n_rows; r++)
		row_finish(stats, strip->first + r,
			stats->parts + r * stats->n_blocks);
	return 0;
}

const struct apsp_stat_form *apsp_row_stats_form(
	const struct apsp_row_stats *stats)
{
	return &stats->form;
}

int apsp_row_stats_exponent(const struct apsp_row_stats *stats)
{
	return stats->exponent;
}

/* How many arcs the paths of row r have together; negative: they are no tree.
 */
static double hops_walk(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, uint32_t r)
{
	struct apsp_hop_walk *walk = &stats->hands[0].walk;
	double hops = 0;

	if (!apsp_hop_walk_row(walk, strip->predecessors, r, strip->first + r))
		return -1;
	for (uint32_t v = 0; v < walk->n_vertices; v++)
		hops += walk->hops[v] == APSP_NO_HOPS ? 0 : walk->hops[v];
	return hops;
}

static int row_compare(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, uint32_t r, struct apsp_err *err)
{
	size_t n = stats->lengths->n_vertices;
	size_t row = n * apsp_element_size(stats->form.element);
	struct apsp_made_row made = apsp_made_stats_row(strip->made, r), own;

	own = apsp_made_row_sum(&stats->form,
		(const char *)strip->distances + r * row, n, strip->first + r,
		&stats->hands[0].cells);
	if (has_walk(stats))
		own.hops = hops_walk(stats, strip, r);
	return apsp_made_row_compare(&made, &own, strip->first + r, err);
}

int apsp_row_stats_made(struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip, struct apsp_err *err)
{
	const struct apsp_made_stats *made = strip->made;

	if (made->columns)
		apsp_made_stats_columns(made, &stats->form,
			stats->lengths->n_vertices, &stats->columns);
	if (!made->rows)
		return 0;
	/* while the device makes the next rows */
	if (!stats->has_components)
		components_find(stats, 0, 0);
	for (uint32_t r = 0; r < strip->n_rows; r++) {
		struct apsp_made_row row = apsp_made_stats_row(made, r);

		vertex_put(stats, strip->first + r, 0, &row.all);
		stats->made_hops += row.hops;
	}
	stats->n_made += strip->n_rows;
	apsp_made_stats_bins(
		made, &stats->hands[0].distances, &stats->hands[0].hops);
	return row_compare(stats, strip, strip->n_rows - 1, err);
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
	const struct apsp_stat_columns *x = &a->columns, *y = &b->columns;

	for (size_t c = 0; c < n; c++)
		if (apsp_stat_columns_most(&a->form, x, c) !=
			apsp_stat_columns_most(&b->form, y, c))
			return false;
	return memcmp(a->vertices, b->vertices,
		       numbers * APSP_N_VERTEX_STATS) == 0 &&
	       memcmp(x->count, y->count, n * sizeof(*x->count)) == 0 &&
	       memcmp(x->sum, y->sum, numbers) == 0 &&
	       memcmp(x->harmonic, y->harmonic, numbers) == 0 &&
	       bins_same(&a->hands[0].distances, &b->hands[0].distances) &&
	       bins_same(&a->hands[0].hops, &b->hands[0].hops);
}

/* Put the hands' bins together. */
static void histograms_make(
	struct apsp_row_stats *stats, struct apsp_histogram out[2])
{
	struct hand *all = &stats->hands[0];

	for (unsigned int t = 1; t < stats->width; t++) {
		apsp_bins_merge(&all->distances, &stats->hands[t].distances);
		apsp_bins_merge(&all->hops, &stats->hands[t].hops);
	}
	apsp_bins_store(&all->distances, &out[0]);
	apsp_bins_store(stats->integers->kind == APSP_DISTANCE_HOPS
				? &all->distances
				: &all->hops,
		&out[1]);
}

/* How many arcs all paths have; negative: unknown, but for a device's rows. */
static double hops_made(const struct apsp_row_stats *stats)
{
	bool all = stats->n_made == stats->lengths->n_vertices;

	return all && stats->form.kind != APSP_DISTANCE_HOPS ? stats->made_hops
							     : -1;
}

int apsp_row_stats_finish(struct apsp_row_stats *stats, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err)
{
	const struct apsp_stat_columns *columns = &stats->columns;
	uint32_t n = stats->lengths->n_vertices;
	const struct apsp_stats_check check = {.form = &stats->form,
		.vertices = stats->vertices,
		.n_vertices = n,
		.n_pairs = (double)(n_reachable - n),
		.histograms = out_histograms,
		.hops = hops_made(stats)};
	int r;

	for (uint32_t v = 0; v < n; v++) {
		const struct apsp_stat_part all = {columns->count[v],
			columns->sum[v], columns->harmonic[v],
			apsp_stat_columns_most(&stats->form, columns, v)};

		vertex_put(stats, v, 1, &all);
	}
	r = apsp_stats_check_vertices(&check, err);
	if (r < 0)
		return r;
	histograms_make(stats, out_histograms);
	r = apsp_stats_check_histograms(&check, err);
	if (r < 0)
		return r;
	if (!stats->has_components)
		components_find(stats, 0, 0);
	if (stats->components_result < 0) {
		*err = stats->components_err;
		return stats->components_result;
	}
	*out_vertices = stats->vertices;
	return 0;
}
