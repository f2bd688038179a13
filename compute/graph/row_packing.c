/*
 * Packs rows of arcs; see row_packing.h. Threads pack blocks of rows in place:
 * in each block, the arcs that are not dropped move to the beginning. When all
 * blocks are packed, the gaps between the blocks are closed.
 */
#include "compute/graph/row_packing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/base/exact_sum.h"
#include "daemon/job/profile_domain.h"

enum {
	LABEL_SIZE = 64, /* size in bytes of a label in a message */
	ROWS = 128, /* number of rows of a block; a multiple of 64, so that no
		       two blocks share a word of self_loop */
};

static double merge_weights(
	enum apsp_duplicates policy, const double *weights, uint64_t n)
{
	double merged = weights[0];

	if (n > 1 && policy == APSP_DUPLICATES_SUM)
		return apsp_exact_sum_of(weights, n);
	for (uint64_t i = 1; i < n; i++) {
		if (policy == APSP_DUPLICATES_MIN)
			merged = fmin(merged, weights[i]);
		else if (policy == APSP_DUPLICATES_MAX)
			merged = fmax(merged, weights[i]);
		else
			merged = weights[i];
	}
	return merged;
}

/* Refuse an arc with APSP_EDATA. The message begins with "the arc from … to …",
   and ends with the text that `format` makes. */
__attribute__((format(printf, 5, 6))) static int arc_refuse(
	const struct apsp_graph *graph, uint32_t from, uint32_t to,
	struct apsp_err *err, const char *format, ...)
{
	char tail[LABEL_SIZE], head[LABEL_SIZE], rest[sizeof(err->message)];
	va_list args;

	apsp_graph_label(graph, from, tail, sizeof(tail));
	apsp_graph_label(graph, to, head, sizeof(head));
	va_start(args, format);
	vsnprintf(rest, sizeof(rest), format, args);
	va_end(args);
	return apsp_fail(err, APSP_EDATA, "the arc from '%s' to '%s' %s", tail,
		head, rest);
}

/* Refuse an arc because the transform does not accept its weight, or the share
   of its weight. */
static int refuse_weight(const struct apsp_graph *graph,
	const struct apsp_totals *totals, uint32_t from, uint32_t to,
	double weight, struct apsp_err *err)
{
	double value = apsp_totals_share(totals, from, to, weight);
	char share[LABEL_SIZE] = "";

	if (totals->normalise != APSP_NORMALISE_NONE)
		snprintf(share, sizeof(share), ", a share %.17g of %.17g",
			value, apsp_totals_of(totals, from, to));
	return arc_refuse(graph, from, to, err, "has weight %.17g%s: %s",
		weight, share,
		apsp_profile_value_refusal(&graph->profile, value));
}

/* The result of packing a block of rows. */
struct packed {
	/* number of arcs of the block after packing; these arcs are at the
	   beginning of the block */
	uint64_t n_arcs;
	/* the largest of the block's weights (or shares) whose length under the
	   profile is finite; dropped arcs also count */
	double max;
	bool has_negative_loop;
	uint32_t negative_loop;
	int result;
	struct apsp_err err;
};

/* The rows that are being packed, and the results; shared by the threads. */
struct packing {
	const struct apsp_graph *graph;
	/* NULL: only merge duplicates */
	const struct apsp_totals *totals;
	struct apsp_arc_rows *rows;
	struct apsp_row_facts *facts;
	/* for each row, the number of its arcs after packing */
	uint64_t *n_arcs;
	struct packed *blocks;
	size_t n_blocks;
};

static void packing_done(struct packing *packing)
{
	free(packing->n_arcs);
	free(packing->blocks);
}

/* Record that v has a self-loop, and so lies on a cycle. The caller drops the
   self-loop itself. */
static void note_self_loop(const struct packing *packing, struct packed *block,
	uint32_t v, double weight)
{
	packing->facts->self_loop[v / 64] |= UINT64_C(1) << (v % 64);
	/* a length can be negative only if there is no transform */
	if (packing->graph->profile.transform == APSP_TRANSFORM_NONE &&
		weight < 0 && !block->has_negative_loop) {
		block->has_negative_loop = true;
		block->negative_loop = v;
	}
}

static bool is_left_out(const struct apsp_graph *graph, uint32_t v)
{
	return graph->left_out && graph->left_out[v / 64] >> v % 64 & 1;
}

/* Whether the profile drops the arc because of its weight (option min_weight)
   or because of one of its two vertices (option without). */
static bool is_dropped(const struct apsp_graph *graph, uint32_t tail,
	uint32_t head, double weight)
{
	const struct apsp_profile *profile = &graph->profile;

	return (profile->has_min_weight && weight < profile->min_weight) ||
	       is_left_out(graph, tail) || is_left_out(graph, head);
}

/* Refuse an arc because its total, by which its weight is divided, is missing
   or not above 0. Totals are the values that vertices have in the attribute
   that normalise_by names. */
static int refuse_total(const struct apsp_graph *graph,
	const struct apsp_totals *totals, uint32_t tail, uint32_t head,
	struct apsp_err *err)
{
	double total = apsp_totals_of(totals, tail, head);
	char label[LABEL_SIZE], found[LABEL_SIZE] = "no number";

	apsp_graph_label(graph,
		totals->normalise == APSP_NORMALISE_INPUT ? head : tail, label,
		sizeof(label));
	if (!isnan(total))
		snprintf(found, sizeof(found), "%.17g", total);
	return apsp_fail(err, APSP_EDATA,
		"the vertex '%s' has %s in the attribute '%s', by which "
		"normalise_by divides; expected a number above 0",
		label, found, graph->profile.normalise_by);
}

/*
 * Decide whether to keep an arc, after duplicates were merged. Returns 1 if the
 * arc stays in its row, and 0 if it is dropped. APSP_EDATA: the arc is refused.
 */
static int arc_judge(const struct packing *packing, uint32_t tail,
	uint32_t head, double weight, struct packed *block)
{
	const struct apsp_profile *profile = &packing->graph->profile;
	const struct apsp_totals *totals = packing->totals;
	bool has_total, fits;
	double value;

	if (!totals)
		return weight < 0 ? arc_refuse(packing->graph, tail, head,
					    &block->err,
					    "has weight %.17g: normalise needs "
					    "weights of 0 or more",
					    weight)
				  : 1;
	value = apsp_totals_share(totals, tail, head, weight);
	has_total = !packing->graph->totals ||
		    apsp_totals_of(totals, tail, head) > 0;
	fits = has_total && !apsp_profile_value_refusal(profile, value);
	/* take the maximum over all arcs, including the arcs that are dropped
	   below (compute/graph/README.md, Transforms) */
	if (fits && value > block->max)
		block->max = value;
	if (is_dropped(packing->graph, tail, head, weight))
		return 0;
	if (!has_total)
		return refuse_total(
			packing->graph, totals, tail, head, &block->err);
	if (profile->has_min_share && value < profile->min_share)
		return 0;
	if (!fits && profile->invalid == APSP_INVALID_DROP)
		return 0;
	if (!fits)
		return refuse_weight(packing->graph, totals, tail, head, weight,
			&block->err);
	if (head == tail)
		note_self_loop(packing, block, tail, weight);
	return head != tail;
}

/* Merge, filter and check the arcs of row v. Store the remaining arcs after the
   earlier rows of the block, from index *to on, and add their number to *to. */
static int pack_row(const struct packing *packing, uint32_t v, uint64_t *to,
	struct packed *block)
{
	enum apsp_duplicates duplicates = packing->graph->profile.duplicates;
	struct apsp_arc_rows *rows = packing->rows;
	uint64_t end = rows->offsets[v + 1], next;

	for (uint64_t a = rows->offsets[v]; a < end; a = next) {
		uint32_t head = rows->heads[a];
		double weight;
		int r;

		for (next = a + 1; next < end && rows->heads[next] == head;)
			next++;
		if (next - a > 1 && duplicates == APSP_DUPLICATES_ERROR)
			return arc_refuse(packing->graph, v, head, &block->err,
				"is given %llu times, which duplicates=error "
				"forbids",
				(unsigned long long)(next - a));
		/* adding 0.0 turns -0 into 0 */
		weight =
			merge_weights(duplicates, rows->weights + a, next - a) +
			0.0;
		r = arc_judge(packing, v, head, weight, block);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
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
	block->max = -INFINITY;
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
static int blocks_join(struct packing *packing, struct apsp_err *err)
{
	struct apsp_row_facts *facts = packing->facts;

	facts->max = -INFINITY;
	for (size_t b = 0; b < packing->n_blocks; b++) {
		const struct packed *block = &packing->blocks[b];

		if (block->result < 0)
			return apsp_fail(err, (enum apsp_code)block->result,
				"%s", block->err.message);
		facts->max = fmax(facts->max, block->max);
		if (block->has_negative_loop && !facts->has_negative_loop) {
			facts->has_negative_loop = true;
			facts->negative_loop = block->negative_loop;
		}
	}
	return 0;
}

/* Close the gaps between blocks and set the offsets of the packed rows. */
static void blocks_close(struct packing *packing)
{
	struct apsp_arc_rows *rows = packing->rows;
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
	for (uint32_t v = 0; v < packing->graph->n_vertices; v++)
		rows->offsets[v + 1] = rows->offsets[v] + packing->n_arcs[v];
}

int apsp_row_packing_run(const struct apsp_graph *graph,
	const struct apsp_totals *totals, struct apsp_arc_rows *rows,
	struct apsp_row_facts *facts, struct apsp_err *err)
{
	size_t n = graph->n_vertices;
	APSP_AUTO(packing_done)
	struct packing packing = {.graph = graph,
		.totals = totals,
		.rows = rows,
		.facts = facts,
		.n_blocks = (n + ROWS - 1) / ROWS};
	int r;

	packing.n_arcs = calloc(n + 1, sizeof(*packing.n_arcs));
	packing.blocks = calloc(packing.n_blocks + 1, sizeof(*packing.blocks));
	if (!packing.n_arcs || !packing.blocks)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to pack the rows of %zu vertices", n);
	apsp_parallel_for(packing.n_blocks, apsp_parallel_processors(),
		block_pack, &packing);
	r = blocks_join(&packing, err);
	if (r >= 0)
		blocks_close(&packing);
	return r;
}
