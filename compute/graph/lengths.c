/*
 * Turns sorted rows of uploaded arcs into lengths; see lengths.h.
 */
#include "compute/graph/lengths.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "compute/graph/arc_rows.h"
#include "compute/graph/row_packing.h"
#include "compute/graph/totals.h"
#include "compute/graph/weight_ranks.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/base/checksum.h"

enum {
	BLOCK = 1 << 14, /* number of arcs that one task transforms */
	ARRAYS = 6,	 /* number of arrays of which a checksum is made */
	CHUNK = 1 << 16, /* number of bytes of an array that one task reads */
	/* arrays of at most this number of chunks are read by one thread */
	ALONE = 16,
};

static int out_of_memory(const struct apsp_graph *graph, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the rows of %llu arcs",
		(unsigned long long)graph->n_arcs);
}

/* Release the memory that merging has left unused at the end of the arrays. If
   realloc() fails, the arrays stay as they are. */
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

/* Return the length that an arc of this weight or share gets. `max` is the
   largest weight or share of all arcs. Lengths are never -0, because logarithms
   are subtracted from 0.0 and not negated. */
static double length_of(
	enum apsp_transform transform, double weight, double max)
{
	switch (transform) {
	case APSP_TRANSFORM_INV:
		return 1 / weight;
	case APSP_TRANSFORM_LOG:
		return 0.0 - log(weight);
	case APSP_TRANSFORM_LOGNORM:
		/* a quotient that is subnormal has lost digits; so subtract
		   logarithms instead of dividing */
		if (weight / max < DBL_MIN)
			return log(max) - log(weight);
		return 0.0 - log(weight / max);
	case APSP_TRANSFORM_NONE:
	/* not reached: fill_lengths() does not call length_of(), because all
	   lengths are 1 */
	case APSP_TRANSFORM_HOPS:
		break;
	}
	return weight;
}

/* The state of transforming all weights into lengths; shared by the threads. */
struct filling {
	struct apsp_lengths *rows;
	const struct apsp_totals *totals;
	enum apsp_transform transform;
	double max;
};

static void block_fill(void *ctx, unsigned int thread, size_t block)
{
	const struct filling *filling = ctx;
	const struct apsp_lengths *rows = filling->rows;
	uint64_t a = block * BLOCK, end = rows->n_arcs;
	uint32_t tail = apsp_lengths_row_of(rows->offsets, rows->n_vertices, a);

	(void)thread;
	if (end - a > BLOCK)
		end = a + BLOCK;
	for (; a < end; a++) {
		while (rows->offsets[tail + 1] <= a)
			tail++;
		rows->lengths[a] = length_of(filling->transform,
			apsp_totals_share(filling->totals, tail, rows->heads[a],
				rows->weights[a]),
			filling->max);
	}
}

/* Compute the lengths. If every length equals its arc's weight, the lengths and
   the weights share one array. If all lengths are 1, there is no array of
   lengths. */
static int fill_lengths(const struct apsp_graph *graph,
	const struct apsp_totals *totals, struct apsp_lengths *rows, double max,
	struct apsp_err *err)
{
	enum apsp_transform transform = graph->profile.transform;
	struct filling filling = {rows, totals, transform, max};

	if (transform == APSP_TRANSFORM_HOPS)
		return 0;
	if (transform == APSP_TRANSFORM_NONE &&
		totals->normalise == APSP_NORMALISE_NONE) {
		rows->lengths = rows->weights;
		return 0;
	}
	rows->lengths = malloc((rows->n_arcs + 1) * sizeof(*rows->lengths));
	if (!rows->lengths)
		return out_of_memory(graph, err);
	apsp_parallel_for((rows->n_arcs + BLOCK - 1) / BLOCK,
		apsp_parallel_processors(), block_fill, &filling);
	return 0;
}

/* Sort, merge and filter the arcs. Even if the function fails, *rows owns the
   arrays that were made. */
static int rows_build(const struct apsp_graph *graph,
	struct apsp_totals *totals, struct apsp_lengths *rows,
	struct apsp_row_facts *facts, struct apsp_err *err)
{
	struct apsp_row_facts unused = {0};
	struct apsp_arc_rows sorted;
	int r;

	r = apsp_arc_rows_sort(graph, &sorted, err);
	if (r < 0)
		return r;
	rows->offsets = sorted.offsets;
	rows->heads = sorted.heads;
	rows->weights = sorted.weights;
	/* if the profile needs shares, duplicates are merged first, because a
	   total is the sum of merged weights */
	if (graph->profile.normalise != APSP_NORMALISE_NONE) {
		r = apsp_row_packing_run(graph, NULL, &sorted, &unused, err);
		if (r == 0)
			r = apsp_totals_build(graph, &sorted, totals, err);
	}
	if (r == 0)
		r = apsp_row_packing_run(graph, totals, &sorted, facts, err);
	if (r < 0)
		return r;
	rows->n_arcs = rows->offsets[rows->n_vertices];
	rows->has_negative_loop = facts->has_negative_loop;
	rows->negative_loop = facts->negative_loop;
	return 0;
}

/* For widest paths: replace the weights or shares in `lengths` by their
   ranks. */
static int fill_ranks(struct apsp_lengths *rows, struct apsp_err *err)
{
	struct apsp_weight_ranks ranks;
	int r = apsp_weight_ranks_make(
		rows->lengths, rows->n_arcs, &ranks, err);

	if (r < 0)
		return r;
	if (rows->lengths != rows->weights)
		free(rows->lengths);
	rows->lengths = ranks.ranks;
	rows->ladder = ranks.ladder;
	rows->n_ranks = ranks.n_ranks;
	return 0;
}

/* The arrays of which a checksum is made, divided into chunks; shared by the
   threads. */
struct checking {
	struct {
		const void *data;
		size_t size;
	} arrays[ARRAYS];
	/* the sum of the checksums of all chunks, modulo 2^64; each checksum is
	   multiplied by another odd number */
	_Atomic uint64_t sum;
};

static size_t chunks_of(size_t size)
{
	return (size + CHUNK - 1) / CHUNK;
}

static void chunk_check(void *ctx, unsigned int thread, size_t chunk)
{
	struct checking *checking = ctx;
	uint64_t place = 2 * chunk + 1;
	size_t left;
	int k = 0;

	(void)thread;
	for (; chunk >= chunks_of(checking->arrays[k].size); k++)
		chunk -= chunks_of(checking->arrays[k].size);
	left = checking->arrays[k].size - chunk * CHUNK;
	atomic_fetch_add(&checking->sum,
		place * apsp_checksum((const char *)checking->arrays[k].data +
					      chunk * CHUNK,
				left < CHUNK ? left : CHUNK));
}

uint64_t apsp_lengths_checksum(const struct apsp_lengths *l)
{
	size_t n = l->n_vertices, m = l->n_arcs, n_chunks = 0;
	bool other = l->lengths != l->weights;
	struct checking checking = {
		.arrays = {{l->offsets, (n + 1) * sizeof(*l->offsets)},
			{l->heads, m * sizeof(*l->heads)},
			{l->weights, m * sizeof(*l->weights)},
			{l->lengths, other ? m * sizeof(*l->lengths) : 0},
			{l->ladder, l->n_ranks * sizeof(*l->ladder)},
			{l->self_loop, (n / 64 + 1) * sizeof(*l->self_loop)}}};

	for (int k = 0; k < ARRAYS; k++)
		if (!checking.arrays[k].data)
			checking.arrays[k].size = 0;
	for (int k = 0; k < ARRAYS; k++)
		n_chunks += chunks_of(checking.arrays[k].size);
	apsp_parallel_for(n_chunks,
		n_chunks > ALONE ? apsp_parallel_processors() : 1, chunk_check,
		&checking);
	return checking.sum;
}

int apsp_lengths_check(const struct apsp_lengths *lengths, struct apsp_err *err)
{
	if (apsp_lengths_checksum(lengths) == lengths->checksum)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"the arcs in memory are not the arcs that were made from the "
		"graph's file");
}

int apsp_lengths_build(const struct apsp_graph *graph, struct apsp_lengths *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_lengths_done) struct apsp_lengths rows = {0};
	APSP_AUTO(apsp_totals_done) struct apsp_totals totals = {0};
	struct apsp_row_facts facts = {0};
	int r;

	rows.n_vertices = graph->n_vertices;
	rows.self_loop = calloc(
		(size_t)graph->n_vertices / 64 + 1, sizeof(*rows.self_loop));
	if (!rows.self_loop)
		return out_of_memory(graph, err);
	facts.self_loop = rows.self_loop;
	r = rows_build(graph, &totals, &rows, &facts, err);
	if (r < 0)
		return r;
	shrink(&rows);
	r = fill_lengths(graph, &totals, &rows, facts.max, err);
	if (r == 0 && graph->profile.path == APSP_PATH_WIDEST)
		r = fill_ranks(&rows, err);
	if (r < 0)
		return r;
	rows.checksum = apsp_lengths_checksum(&rows);
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
	free(lengths->ladder);
	free(lengths->self_loop);
	apsp_in_arcs_done(&lengths->in);
	*lengths = (struct apsp_lengths){0};
}

void apsp_in_arcs_done(struct apsp_in_arcs *in)
{
	free(in->offsets);
	free(in->tails);
	free(in->arcs);
	*in = (struct apsp_in_arcs){0};
}

int apsp_lengths_select(const struct apsp_lengths *lengths, const uint8_t *kept,
	struct apsp_lengths *out, struct apsp_err *err)
{
	uint32_t n = lengths->n_vertices;
	uint64_t n_kept = 0;

	for (uint64_t e = 0; e < lengths->n_arcs; e++)
		n_kept += kept[e] != 0;
	*out = (struct apsp_lengths){.n_vertices = n, .n_arcs = n_kept};
	out->offsets = malloc(((size_t)n + 1) * sizeof(*out->offsets));
	out->heads = malloc((n_kept + 1) * sizeof(*out->heads));
	if (lengths->lengths)
		out->lengths = malloc((n_kept + 1) * sizeof(*out->lengths));
	if (!out->offsets || !out->heads || (lengths->lengths && !out->lengths))
		return apsp_fail(err, APSP_ENOMEM, "select arcs");
	out->offsets[0] = 0;
	for (uint64_t u = 0, i = 0; u < n; out->offsets[++u] = i)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++) {
			if (!kept[e])
				continue;
			out->heads[i] = lengths->heads[e];
			if (out->lengths)
				out->lengths[i] = lengths->lengths[e];
			i++;
		}
	return 0;
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
