/*
 * Building compressed sparse rows from uploaded arcs; see lengths.h. A counting
 * sort by tail is followed by a sort of each row by head. Both are stable, so
 * duplicates stay in the order of the upload (storage/ingest/README.md, Arcs
 * are stored as uploaded).
 */
#include "compute/graph/lengths.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "compute/graph/arc_sum.h"
#include "compute/graph/row_pack.h"
#include "compute/graph/row_sort.h"
#include "compute/graph/split_sort.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	BLOCK = 1 << 14, /* arcs transformed by a thread at a time */
};

static int out_of_memory(const struct apsp_graph *graph, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the rows of %llu arcs",
		(unsigned long long)graph->n_arcs);
}

/* The counting sort by tail, shared by the threads. */
struct sorting {
	const struct apsp_graph *graph;
	struct apsp_split_sort sort;
	struct apsp_lengths *rows;
};

static void sorting_done(struct sorting *sorting)
{
	apsp_split_sort_done(&sorting->sort);
}

static void part_count(
	void *ctx, unsigned int part, uint64_t first, uint64_t end)
{
	const struct sorting *sorting = ctx;
	const struct apsp_graph *graph = sorting->graph;
	struct apsp_arc_window window = {first, first, end};
	uint64_t *counts = apsp_split_sort_places(&sorting->sort, part);

	while (apsp_graph_window_next(graph, &window))
		for (uint64_t a = window.first; a < window.end; a++)
			counts[graph->arcs[a].from] += !apsp_arc_is_dropped(
				&graph->profile, &graph->arcs[a]);
}

static void part_place(
	void *ctx, unsigned int part, uint64_t first, uint64_t end)
{
	const struct sorting *sorting = ctx;
	const struct apsp_graph *graph = sorting->graph;
	struct apsp_arc_window window = {first, first, end};
	uint64_t *places = apsp_split_sort_places(&sorting->sort, part);

	while (apsp_graph_window_next(graph, &window))
		for (uint64_t a = window.first; a < window.end; a++) {
			const struct apsp_arc *arc = &graph->arcs[a];
			uint64_t place;

			if (apsp_arc_is_dropped(&graph->profile, arc))
				continue;
			place = places[arc->from]++;
			sorting->rows->heads[place] = arc->to;
			sorting->rows->weights[place] = arc->weight;
		}
}

/*
 * Fill offsets, heads and weights with every arc; duplicates become neighbours.
 * The pages of the upload leave memory as soon as they have been read.
 */
static int sort_arcs(const struct apsp_graph *graph, struct apsp_lengths *rows,
	struct apsp_err *err)
{
	APSP_AUTO(sorting_done)
	struct sorting sorting = {.graph = graph, .rows = rows};
	size_t n = graph->n_vertices;
	int r = apsp_split_sort_init(&sorting.sort, graph->n_arcs, n, err);

	if (r < 0)
		return r;
	rows->offsets = malloc((n + 1) * sizeof(*rows->offsets));
	if (!rows->offsets)
		return out_of_memory(graph, err);
	apsp_split_sort_run(&sorting.sort, part_count, &sorting);
	rows->n_arcs = apsp_split_sort_sum(&sorting.sort, rows->offsets);
	rows->heads = malloc((rows->n_arcs + 1) * sizeof(*rows->heads));
	rows->weights = malloc((rows->n_arcs + 1) * sizeof(*rows->weights));
	if (!rows->heads || !rows->weights)
		return out_of_memory(graph, err);
	apsp_split_sort_run(&sorting.sort, part_place, &sorting);
	r = apsp_row_sort(graph->n_vertices, rows->offsets, rows->heads,
		rows->weights, err);
	if (r < 0)
		return r;
	return apsp_arc_sum_check(graph,
		&(const struct apsp_arc_rows){
			rows->offsets, rows->heads, rows->weights},
		err);
}

static int pack(const struct apsp_graph *graph, struct apsp_lengths *rows,
	double *out_max_weight, struct apsp_err *err)
{
	struct apsp_packed_rows packed = {.offsets = rows->offsets,
		.heads = rows->heads,
		.weights = rows->weights,
		.self_loop = rows->self_loop};
	int r = apsp_row_pack(graph, &packed, err);

	if (r < 0)
		return r;
	rows->n_arcs = packed.n_arcs;
	rows->has_negative_loop = packed.has_negative_loop;
	rows->negative_loop = packed.negative_loop;
	*out_max_weight = packed.max_weight;
	return 0;
}

/* Shrink the arrays after merging; a failure does no harm. */
static void shrink(struct apsp_lengths *rows)
{
	void *smaller;

	smaller =
		realloc(rows->heads, (rows->n_arcs + 1) * sizeof(*rows->heads));
	if (smaller)
		rows->heads = smaller;
	smaller = realloc(
		rows->weights, (rows->n_arcs + 1) * sizeof(*rows->weights));
	if (smaller)
		rows->weights = smaller;
}

/* Subtracting from 0.0 avoids lengths of -0. */
static double length_of(
	enum apsp_transform transform, double weight, double max_weight)
{
	switch (transform) {
	case APSP_TRANSFORM_INV:
		return 1 / weight;
	case APSP_TRANSFORM_LOG:
		return 0.0 - log(weight);
	case APSP_TRANSFORM_LOGNORM:
		/* a subnormal quotient has lost digits */
		if (weight / max_weight < DBL_MIN)
			return log(max_weight) - log(weight);
		return 0.0 - log(weight / max_weight);
	case APSP_TRANSFORM_NONE:
	case APSP_TRANSFORM_HOPS:
		break; /* fill_lengths() does not call this */
	}
	return weight;
}

/* The lengths of all arcs, shared by the threads. */
struct filling {
	struct apsp_lengths *rows;
	enum apsp_transform transform;
	double max_weight;
};

static void block_fill(void *ctx, unsigned int thread, size_t block)
{
	const struct filling *filling = ctx;
	const struct apsp_lengths *rows = filling->rows;
	uint64_t a = block * BLOCK, end = rows->n_arcs;

	(void)thread;
	if (end - a > BLOCK)
		end = a + BLOCK;
	for (; a < end; a++)
		rows->lengths[a] = length_of(filling->transform,
			rows->weights[a], filling->max_weight);
}

/* Lengths that equal the weights share their array; lengths of 1 have no array.
 */
static int fill_lengths(const struct apsp_graph *graph,
	struct apsp_lengths *rows, double max_weight, struct apsp_err *err)
{
	enum apsp_transform transform = graph->profile.transform;
	struct filling filling = {rows, transform, max_weight};

	if (transform == APSP_TRANSFORM_NONE)
		rows->lengths = rows->weights;
	if (transform == APSP_TRANSFORM_NONE ||
		transform == APSP_TRANSFORM_HOPS)
		return 0;
	rows->lengths = malloc((rows->n_arcs + 1) * sizeof(*rows->lengths));
	if (!rows->lengths)
		return out_of_memory(graph, err);
	apsp_parallel_for((rows->n_arcs + BLOCK - 1) / BLOCK,
		apsp_parallel_width(), block_fill, &filling);
	return 0;
}

int apsp_lengths_build(const struct apsp_graph *graph, struct apsp_lengths *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_lengths_done) struct apsp_lengths rows = {0};
	double max_weight = 0;
	int r;

	rows.n_vertices = graph->n_vertices;
	rows.self_loop = calloc(
		(size_t)graph->n_vertices / 64 + 1, sizeof(*rows.self_loop));
	if (!rows.self_loop)
		return out_of_memory(graph, err);
	r = sort_arcs(graph, &rows, err);
	if (r < 0)
		return r;
	r = pack(graph, &rows, &max_weight, err);
	if (r < 0)
		return r;
	shrink(&rows);

	r = fill_lengths(graph, &rows, max_weight, err);
	if (r < 0)
		return r;
	*out = APSP_TAKE(rows);
	return 0;
}

void apsp_lengths_done(struct apsp_lengths *lengths)
{
	free(lengths->offsets);
	free(lengths->heads);
	if (lengths->lengths != lengths->weights)
		free(lengths->lengths);
	free(lengths->weights);
	free(lengths->self_loop);
	*lengths = (struct apsp_lengths){0};
}

void apsp_lengths_drop_weights(struct apsp_lengths *lengths)
{
	if (lengths->weights == lengths->lengths)
		return;
	free(lengths->weights);
	lengths->weights = NULL;
}

uint32_t apsp_lengths_row_of(
	const uint64_t *offsets, uint32_t n_rows, uint64_t at)
{
	uint32_t low = 0, high = n_rows;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (offsets[middle] <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

uint64_t apsp_lengths_find(
	const struct apsp_lengths *lengths, uint32_t tail, uint32_t head)
{
	uint64_t low = lengths->offsets[tail];
	uint64_t high = lengths->offsets[tail + 1];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (lengths->heads[middle] < head)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == lengths->offsets[tail + 1] || lengths->heads[low] != head)
		return APSP_NO_ARC;
	return low;
}
