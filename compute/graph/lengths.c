/*
 * From uploaded arcs to compressed sparse rows; see lengths.h. A counting sort
 * by tail, then a sort of each row by head: both stable, so that duplicates
 * stay in the order of the upload (storage/ingest/README.md, Arcs are stored as
 * uploaded).
 */
#include "compute/graph/lengths.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "compute/graph/counting_sort.h"
#include "compute/graph/row_sort.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"

enum {
	LABEL_SIZE = 64, /* of a label in a message */
	BLOCK = 1 << 14, /* arcs that a thread takes at a time */
};

static int out_of_memory(const struct apsp_graph *graph, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the rows of %llu arcs",
		(unsigned long long)graph->n_arcs);
}

/* invalid=drop drops an arc before its weight can take part in a sum. */
static bool dropped_at_once(
	const struct apsp_profile *profile, const struct apsp_arc *arc)
{
	return profile->invalid == APSP_INVALID_DROP &&
	       !apsp_transform_accepts(profile->transform, arc->weight);
}

static void count_arcs(const struct apsp_graph *graph,
	const struct apsp_arc_window *window, uint64_t *offsets)
{
	for (uint64_t a = window->first; a < window->end; a++)
		if (!dropped_at_once(&graph->profile, &graph->arcs[a]))
			apsp_counting_sort_count(offsets, graph->arcs[a].from);
}

static void place_arcs(const struct apsp_graph *graph,
	const struct apsp_arc_window *window, struct apsp_lengths *rows)
{
	for (uint64_t a = window->first; a < window->end; a++) {
		const struct apsp_arc *arc = &graph->arcs[a];
		uint64_t place;

		if (dropped_at_once(&graph->profile, arc))
			continue;
		place = apsp_counting_sort_place(rows->offsets, arc->from);
		rows->heads[place] = arc->to;
		rows->weights[place] = arc->weight;
	}
}

/*
 * Fill offsets, heads and weights with every arc, duplicates side by side. The
 * windows that were read of the upload leave memory at once.
 */
static int sort_arcs(const struct apsp_graph *graph, struct apsp_lengths *rows,
	struct apsp_err *err)
{
	struct apsp_arc_window counted = {0}, placed = {0};
	size_t n = graph->n_vertices;

	rows->offsets = calloc(n + 2, sizeof(*rows->offsets));
	if (!rows->offsets)
		return out_of_memory(graph, err);
	while (apsp_graph_window_next(graph, &counted))
		count_arcs(graph, &counted, rows->offsets);
	rows->n_arcs = apsp_counting_sort_sum(rows->offsets, n);
	rows->heads = malloc((rows->n_arcs + 1) * sizeof(*rows->heads));
	rows->weights = malloc((rows->n_arcs + 1) * sizeof(*rows->weights));
	if (!rows->heads || !rows->weights)
		return out_of_memory(graph, err);
	while (apsp_graph_window_next(graph, &placed))
		place_arcs(graph, &placed, rows);
	return apsp_row_sort(graph->n_vertices, rows->offsets, rows->heads,
		rows->weights, err);
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

/* Whether the weight has a length: 1/w of the smallest weights is infinite. */
static bool usable(enum apsp_transform transform, double weight)
{
	return apsp_transform_accepts(transform, weight) &&
	       (transform != APSP_TRANSFORM_INV || isfinite(1 / weight));
}

/* Self-loops are dropped; this notes what is told of them. */
static void note_self_loop(struct apsp_lengths *rows,
	const struct apsp_profile *profile, uint32_t v, double weight)
{
	rows->self_loop[v / 64] |= UINT64_C(1) << (v % 64);
	/* no other transform gives negative lengths */
	if (profile->transform == APSP_TRANSFORM_NONE && weight < 0 &&
		!rows->has_negative_loop) {
		rows->has_negative_loop = true;
		rows->negative_loop = v;
	}
}

/*
 * Merge, filter and check the arcs [begin, end) of row v, and append the arcs
 * that remain to the packed ones, which end at n_arcs. Raises *max_weight.
 */
static int pack_row(const struct apsp_graph *graph, struct apsp_lengths *rows,
	uint32_t v, uint64_t begin, uint64_t end, double *max_weight,
	struct apsp_err *err)
{
	const struct apsp_profile *profile = &graph->profile;
	uint64_t next;

	for (uint64_t a = begin; a < end; a = next) {
		uint32_t head = rows->heads[a];
		double weight;

		for (next = a + 1; next < end && rows->heads[next] == head;)
			next++;
		if (next - a > 1 &&
			profile->duplicates == APSP_DUPLICATES_ERROR)
			return refuse_duplicate(graph, v, head, next - a, err);
		/* -0 becomes 0 */
		weight = merge_weights(profile->duplicates, rows->weights + a,
				 next - a) +
			 0.0;
		if (profile->has_min_weight && weight < profile->min_weight)
			continue;
		if (!usable(profile->transform, weight)) {
			if (profile->invalid == APSP_INVALID_DROP)
				continue;
			return refuse_weight(graph, v, head, weight, err);
		}
		*max_weight = fmax(*max_weight, weight);
		if (head == v) {
			note_self_loop(rows, profile, v, weight);
			continue;
		}
		rows->heads[rows->n_arcs] = head;
		rows->weights[rows->n_arcs++] = weight;
	}
	return 0;
}

static int pack_rows(const struct apsp_graph *graph, struct apsp_lengths *rows,
	double *out_max_weight, struct apsp_err *err)
{
	double max_weight = -INFINITY;
	uint64_t begin = 0;
	int r;

	rows->n_arcs = 0;
	for (uint32_t v = 0; v < graph->n_vertices; v++) {
		uint64_t end = rows->offsets[v + 1];

		r = pack_row(graph, rows, v, begin, end, &max_weight, err);
		if (r < 0)
			return r;
		rows->offsets[v + 1] = rows->n_arcs;
		begin = end;
	}
	*out_max_weight = max_weight;
	return 0;
}

/* Give back the memory that merging freed; a failure does no harm. */
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

/* Subtracting from 0.0 keeps -0 out of the lengths. */
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
		break; /* fill_lengths() needs none */
	}
	return weight;
}

/* The lengths of all arcs, for the threads. */
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

/* Lengths equal to the weights share their array; those of 1 have none. */
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
	double max_weight;
	int r;

	rows.n_vertices = graph->n_vertices;
	rows.self_loop = calloc(
		(size_t)graph->n_vertices / 64 + 1, sizeof(*rows.self_loop));
	if (!rows.self_loop)
		return out_of_memory(graph, err);
	r = sort_arcs(graph, &rows, err);
	if (r < 0)
		return r;
	r = pack_rows(graph, &rows, &max_weight, err);
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
