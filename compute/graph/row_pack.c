/*
 * Packing rows in place, in blocks of rows in parallel; see row_pack.h. The
 * arcs that remain of a block first move to its beginning. When all blocks are
 * done, the gaps between them are closed.
 */
#include "compute/graph/row_pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	LABEL_SIZE = 64, /* of a label in a message */
	ROWS = 128,	 /* of a block: whole words of the self-loops' bits */
};

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
	char tail[LABEL_SIZE];
	char head[LABEL_SIZE];

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
	enum apsp_transform transform = graph->profile.transform;
	char tail[LABEL_SIZE];
	char head[LABEL_SIZE];

	apsp_graph_label(graph, from, tail, sizeof(tail));
	apsp_graph_label(graph, to, head, sizeof(head));
	if (apsp_transform_accepts(transform, weight))
		return apsp_fail(err, APSP_EDATA,
			"the arc from '%s' to '%s' has weight %.17g, whose "
			"length is not finite",
			tail, head, weight);
	return apsp_fail(err, APSP_EDATA,
		"the arc from '%s' to '%s' has weight %.17g: %s", tail, head,
		weight, apsp_transform_domain(transform));
}

/* Whether the weight has a finite length; 1/w of the smallest weights has not.
 */
static bool usable(enum apsp_transform transform, double weight)
{
	return apsp_transform_accepts(transform, weight) &&
	       (transform != APSP_TRANSFORM_INV || isfinite(1 / weight));
}

/* The result of packing a block of rows. */
struct packed {
	uint64_t n_arcs; /* remaining, at the beginning of the block */
	double max_weight;
	bool has_negative_loop;
	uint32_t negative_loop;
	int result;
	struct apsp_err err;
};

/* All rows, shared by the threads. */
struct packing {
	const struct apsp_graph *graph;
	struct apsp_packed_rows *rows;
	uint64_t *n_arcs; /* remaining in each row */
	struct packed *blocks;
	size_t n_blocks;
};

static void packing_done(struct packing *packing)
{
	free(packing->n_arcs);
	free(packing->blocks);
}

/* Remember a self-loop, which is dropped: its vertex lies on a cycle. */
static void note_self_loop(const struct packing *packing, struct packed *block,
	uint32_t v, double weight)
{
	packing->rows->self_loop[v / 64] |= UINT64_C(1) << (v % 64);
	/* other transforms do not give negative lengths */
	if (packing->graph->profile.transform == APSP_TRANSFORM_NONE &&
		weight < 0 && !block->has_negative_loop) {
		block->has_negative_loop = true;
		block->negative_loop = v;
	}
}

/*
 * Merge, filter and check the arcs of row v, and append those that remain to
 * the block's, which end at *to.
 */
static int pack_row(const struct packing *packing, uint32_t v, uint64_t *to,
	struct packed *block)
{
	const struct apsp_profile *profile = &packing->graph->profile;
	struct apsp_packed_rows *rows = packing->rows;
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
		/* -0 becomes 0 */
		weight = merge_weights(profile->duplicates, rows->weights + a,
				 next - a) +
			 0.0;
		if (profile->has_min_weight && weight < profile->min_weight)
			continue;
		if (!usable(profile->transform, weight)) {
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

/* Combine the results of the blocks; the first failed one decides. */
static int blocks_join(struct packing *packing, struct apsp_err *err)
{
	struct apsp_packed_rows *rows = packing->rows;

	rows->max_weight = -INFINITY;
	for (size_t b = 0; b < packing->n_blocks; b++) {
		const struct packed *block = &packing->blocks[b];

		if (block->result < 0)
			return apsp_fail(err, (enum apsp_code)block->result,
				"%s", block->err.message);
		rows->max_weight = fmax(rows->max_weight, block->max_weight);
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
	struct apsp_packed_rows *rows = packing->rows;
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

int apsp_row_pack(const struct apsp_graph *graph, struct apsp_packed_rows *rows,
	struct apsp_err *err)
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
	apsp_parallel_for(
		packing.n_blocks, apsp_parallel_width(), block_pack, &packing);
	r = blocks_join(&packing, err);
	if (r >= 0)
		blocks_close(&packing);
	return r;
}
