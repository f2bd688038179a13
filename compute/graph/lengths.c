/*
 * Turns sorted rows of uploaded arcs into lengths; see lengths.h. Threads pack
 * blocks of rows in place: in each block, the arcs that are not dropped move to
 * the beginning. When all blocks are packed, the gaps between the blocks are
 * closed.
 */
#include "compute/graph/lengths.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/arc_rows.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	LABEL_SIZE = 64, /* size in bytes of a label in a message */
	BLOCK = 1 << 14, /* number of arcs that one task transforms */
	ROWS = 128, /* number of rows of a block; a multiple of 64, so that no
		       two blocks share a word of self_loop */
};

static int out_of_memory(const struct apsp_graph *graph, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the rows of %llu arcs",
		(unsigned long long)graph->n_arcs);
}

static double merge_weights(
	enum apsp_duplicates policy, const double *weights, uint64_t n)
{
	double merged = weights[0];

	for (uint64_t i = 1; i < n; i++) {
		if (policy == APSP_DUPLICATES_SUM)
			merged += weights[i];
		else if (policy == APSP_DUPLICATES_MIN)
			merged = fmin(merged, weights[i]);
		else if (policy == APSP_DUPLICATES_MAX)
			merged = fmax(merged, weights[i]);
		else
			merged = weights[i];
	}
	return merged;
}

static int refuse_duplicate(const struct apsp_graph *graph, uint32_t from,
	uint32_t to, uint64_t n, struct apsp_err *err)
{
	char tail[LABEL_SIZE], head[LABEL_SIZE];

	apsp_graph_label(graph, from, tail, sizeof(tail));
	apsp_graph_label(graph, to, head, sizeof(head));
	return apsp_fail(err, APSP_EDATA,
		"the arc from '%s' to '%s' is given %llu times, which "
		"duplicates=error forbids",
		tail, head, (unsigned long long)n);
}

static int refuse_weight(const struct apsp_graph *graph, uint32_t from,
	uint32_t to, double weight, struct apsp_err *err)
{
	char tail[LABEL_SIZE], head[LABEL_SIZE];

	apsp_graph_label(graph, from, tail, sizeof(tail));
	apsp_graph_label(graph, to, head, sizeof(head));
	if (apsp_profile_accepts(&graph->profile, weight))
		return apsp_fail(err, APSP_EDATA,
			"the arc from '%s' to '%s' has weight %.17g, whose "
			"length is not finite",
			tail, head, weight);
	return apsp_fail(err, APSP_EDATA,
		"the arc from '%s' to '%s' has weight %.17g: %s", tail, head,
		weight, apsp_profile_domain(&graph->profile));
}

/* Whether the rule gives the weight a finite length. 1/w is infinite for the
   smallest weights. */
static bool usable(const struct apsp_profile *profile, double weight)
{
	return apsp_profile_accepts(profile, weight) &&
	       (profile->transform != APSP_TRANSFORM_INV ||
		       isfinite(1 / weight));
}

/* The result of packing a block of rows. */
struct packed {
	/* number of arcs that the block has after packing; they stand at the
	   beginning of the block */
	uint64_t n_arcs;
	double max_weight;
	bool has_negative_loop;
	uint32_t negative_loop;
	int result;
	struct apsp_err err;
};

/* The rows that are being packed, and the results; shared by the threads. */
struct packing {
	const struct apsp_graph *graph;
	struct apsp_lengths *rows;
	/* for each row, the number of arcs that the row still has after
	   packing */
	uint64_t *n_arcs;
	struct packed *blocks;
	size_t n_blocks;
};

static void packing_done(struct packing *packing)
{
	free(packing->n_arcs);
	free(packing->blocks);
}

/* Record that v has a self-loop, which means that v lies on a cycle. The arc
   itself is dropped. */
static void note_self_loop(const struct packing *packing, struct packed *block,
	uint32_t v, double weight)
{
	packing->rows->self_loop[v / 64] |= UINT64_C(1) << (v % 64);
	/* a length can be negative only if there is no transform */
	if (packing->graph->profile.transform == APSP_TRANSFORM_NONE &&
		weight < 0 && !block->has_negative_loop) {
		block->has_negative_loop = true;
		block->negative_loop = v;
	}
}

/* Merge, filter and check the arcs of row v. Store the remaining arcs after the
   earlier rows of the block, from index *to on, and add their number to *to. */
static int pack_row(const struct packing *packing, uint32_t v, uint64_t *to,
	struct packed *block)
{
	const struct apsp_profile *profile = &packing->graph->profile;
	struct apsp_lengths *rows = packing->rows;
	uint64_t end = rows->offsets[v + 1], next;

	for (uint64_t a = rows->offsets[v]; a < end; a = next) {
		uint32_t head = rows->heads[a];
		double weight;

		for (next = a + 1; next < end && rows->heads[next] == head;)
			next++;
		if (next - a > 1 &&
			profile->duplicates == APSP_DUPLICATES_ERROR)
			return refuse_duplicate(
				packing->graph, v, head, next - a, &block->err);
		/* adding 0.0 turns -0 into 0 */
		weight = merge_weights(profile->duplicates, rows->weights + a,
				 next - a) +
			 0.0;
		if (profile->has_min_weight && weight < profile->min_weight)
			continue;
		if (!usable(profile, weight)) {
			if (profile->invalid == APSP_INVALID_DROP)
				continue;
			return refuse_weight(
				packing->graph, v, head, weight, &block->err);
		}
		if (weight > block->max_weight)
			block->max_weight = weight;
		if (head == v) {
			note_self_loop(packing, block, v, weight);
			continue;
		}
		rows->heads[*to] = head;
		rows->weights[(*to)++] = weight;
	}
	return 0;
}

static void block_pack(void *ctx, unsigned int thread, size_t b)
{
	const struct packing *packing = ctx;
	uint32_t n = packing->graph->n_vertices, v = (uint32_t)b * ROWS;
	struct packed *block = &packing->blocks[b];
	uint64_t first = packing->rows->offsets[v], to = first, before;

	(void)thread;
	block->max_weight = -INFINITY;
	for (uint32_t end = n - v < ROWS ? n : v + ROWS;
		v < end && block->result >= 0; v++) {
		before = to;
		block->result = pack_row(packing, v, &to, block);
		packing->n_arcs[v] = to - before;
	}
	block->n_arcs = to - first;
}

/* Combine the results of all blocks. If packing failed in some blocks, return
   the error of the first of these blocks. */
static int blocks_join(
	struct packing *packing, double *out_max_weight, struct apsp_err *err)
{
	struct apsp_lengths *rows = packing->rows;

	*out_max_weight = -INFINITY;
	for (size_t b = 0; b < packing->n_blocks; b++) {
		const struct packed *block = &packing->blocks[b];

		if (block->result < 0)
			return apsp_fail(err, (enum apsp_code)block->result,
				"%s", block->err.message);
		*out_max_weight = fmax(*out_max_weight, block->max_weight);
		if (block->has_negative_loop && !rows->has_negative_loop) {
			rows->has_negative_loop = true;
			rows->negative_loop = block->negative_loop;
		}
	}
	return 0;
}

/* Close the gaps between blocks and set the offsets of the packed rows. */
static void blocks_close(struct packing *packing)
{
	struct apsp_lengths *rows = packing->rows;
	uint64_t to = 0;

	for (size_t b = 0; b < packing->n_blocks; b++) {
		uint64_t from = rows->offsets[b * ROWS];
		uint64_t n = packing->blocks[b].n_arcs;

		if (from != to) {
			memmove(rows->heads + to, rows->heads + from,
				n * sizeof(*rows->heads));
			memmove(rows->weights + to, rows->weights + from,
				n * sizeof(*rows->weights));
		}
		to += n;
	}
	rows->n_arcs = to;
	for (uint32_t v = 0; v < packing->graph->n_vertices; v++)
		rows->offsets[v + 1] = rows->offsets[v] + packing->n_arcs[v];
}

/*
 * Merge, filter and check the sorted arcs as the graph's profile demands.
 * *out_max_weight becomes the largest weight; weights of self-loops count, too,
 * although self-loops are dropped. APSP_EDATA: an arc must be refused. The
 * message names the first such arc in the order of tails, then heads.
 */
static int pack(const struct apsp_graph *graph, struct apsp_lengths *rows,
	double *out_max_weight, struct apsp_err *err)
{
	size_t n = graph->n_vertices;
	APSP_AUTO(packing_done)
	struct packing packing = {.graph = graph,
		.rows = rows,
		.n_blocks = (n + ROWS - 1) / ROWS};
	int r;

	packing.n_arcs = calloc(n + 1, sizeof(*packing.n_arcs));
	packing.blocks = calloc(packing.n_blocks + 1, sizeof(*packing.blocks));
	if (!packing.n_arcs || !packing.blocks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to pack the rows of %zu vertices", n);
	apsp_parallel_for(packing.n_blocks, apsp_parallel_processors(),
		block_pack, &packing);
	r = blocks_join(&packing, out_max_weight, err);
	if (r >= 0)
		blocks_close(&packing);
	return r;
}

/* Release the part of the arrays that is unused after merging. If realloc()
   fails, the arrays stay as they are. */
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

/* Return the length of a weight. Lengths are never -0, because logarithms are
   subtracted from 0.0 and not negated. */
static double length_of(
	enum apsp_transform transform, double weight, double max_weight)
{
	switch (transform) {
	case APSP_TRANSFORM_INV:
		return 1 / weight;
	case APSP_TRANSFORM_LOG:
		return 0.0 - log(weight);
	case APSP_TRANSFORM_LOGNORM:
		/* if the quotient is subnormal, it has lost digits, so
		   logarithms are subtracted instead */
		if (weight / max_weight < DBL_MIN)
			return log(max_weight) - log(weight);
		return 0.0 - log(weight / max_weight);
	case APSP_TRANSFORM_NONE:
	case APSP_TRANSFORM_HOPS:
		/* fill_lengths() does not call this function for these
		   transforms */
		break;
	}
	return weight;
}

/* The state of transforming all weights into lengths; shared by the threads. */
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

/* Compute the lengths. If every length equals its arc's weight, the lengths and
   the weights share one array. If all lengths are 1, there is no array of
   lengths. */
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
		apsp_parallel_processors(), block_fill, &filling);
	return 0;
}

int apsp_lengths_build(const struct apsp_graph *graph, struct apsp_lengths *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_lengths_done) struct apsp_lengths rows = {0};
	struct apsp_arc_rows sorted;
	double max_weight = 0;
	int r;

	rows.n_vertices = graph->n_vertices;
	rows.self_loop = calloc(
		(size_t)graph->n_vertices / 64 + 1, sizeof(*rows.self_loop));
	if (!rows.self_loop)
		return out_of_memory(graph, err);
	r = apsp_arc_rows_sort(graph, &sorted, err);
	if (r < 0)
		return r;
	rows.offsets = sorted.offsets;
	rows.heads = sorted.heads;
	rows.weights = sorted.weights;
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
