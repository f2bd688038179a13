/*
 * From uploaded arcs to compressed sparse rows (design.md, decision 4 and
 * "Transforms"). Two counting sorts, by head and then by tail, leave each row
 * ascending and duplicates in the order of the upload.
 */
#include "compute/lengths.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/auto.h"

enum {
	LABEL_SIZE = 64, /* of a label in a message */
};

static int out_of_memory(const struct apsp_graph *graph, struct apsp_err *err)
{
	return apsp_fail(err, APSP_ENOMEM,
		"no memory for the rows of %llu arcs",
		(unsigned long long)graph->n_arcs);
}

/* Dropped before it can take part in a sum. */
static bool dropped_at_once(
	const struct apsp_profile *profile, const struct apsp_arc *arc)
{
	return profile->invalid == APSP_INVALID_DROP &&
	       !apsp_transform_accepts(profile->transform, arc->weight);
}

/* Counts, kept one place further on than their vertex, become starts. */
static void sum_up(uint64_t *starts, uint32_t n_vertices)
{
	for (uint32_t v = 0; v < n_vertices; v++)
		starts[v + 1] += starts[v];
}

/*
 * The arcs that are not dropped at once, by head, stable. starts holds
 * n_vertices + 1 zeros and is used up.
 */
static struct apsp_arc *sort_by_head(
	const struct apsp_graph *graph, uint64_t *starts, uint64_t *out_n_arcs)
{
	struct apsp_arc *sorted;
	uint64_t n = 0;

	for (uint64_t a = 0; a < graph->n_arcs; a++) {
		if (dropped_at_once(&graph->profile, &graph->arcs[a]))
			continue;
		starts[graph->arcs[a].to + 1]++;
		n++;
	}
	sum_up(starts, graph->n_vertices);
	sorted = malloc((n + 1) * sizeof(*sorted));
	if (!sorted)
		return NULL;
	for (uint64_t a = 0; a < graph->n_arcs; a++)
		if (!dropped_at_once(&graph->profile, &graph->arcs[a]))
			sorted[starts[graph->arcs[a].to]++] = graph->arcs[a];
	*out_n_arcs = n;
	return sorted;
}

/* Fill offsets, heads and weights with every arc, duplicates side by side. */
static int sort_arcs(const struct apsp_graph *graph, struct apsp_lengths *rows,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_free) struct apsp_arc *by_head = NULL;
	APSP_AUTO(apsp_free) uint64_t *starts = NULL;
	size_t n = graph->n_vertices;

	starts = calloc(n + 1, sizeof(*starts));
	rows->offsets = calloc(n + 1, sizeof(*rows->offsets));
	if (!starts || !rows->offsets)
		return out_of_memory(graph, err);
	by_head = sort_by_head(graph, starts, &rows->n_arcs);
	if (!by_head)
		return out_of_memory(graph, err);

	rows->heads = malloc((rows->n_arcs + 1) * sizeof(*rows->heads));
	rows->weights = malloc((rows->n_arcs + 1) * sizeof(*rows->weights));
	if (!rows->heads || !rows->weights)
		return out_of_memory(graph, err);
	for (uint64_t a = 0; a < rows->n_arcs; a++)
		rows->offsets[by_head[a].from + 1]++;
	sum_up(rows->offsets, graph->n_vertices);
	memcpy(starts, rows->offsets, (n + 1) * sizeof(*starts));
	for (uint64_t a = 0; a < rows->n_arcs; a++) {
		uint64_t place = starts[by_head[a].from]++;

		rows->heads[place] = by_head[a].to;
		rows->weights[place] = by_head[a].weight;
	}
	return 0;
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

/* The length can be said in a double; the smallest weights have no inverse. */
static bool usable(enum apsp_transform transform, double weight)
{
	return apsp_transform_accepts(transform, weight) &&
	       (transform != APSP_TRANSFORM_INV || isfinite(1 / weight));
}

/* A self-loop ends here, but for the marks it leaves. */
static void note_self_loop(struct apsp_lengths *rows,
	const struct apsp_profile *profile, uint32_t v, double weight)
{
	rows->self_loop[v / 64] |= UINT64_C(1) << (v % 64);
	/* every other transform has lengths of 0 and more */
	if (profile->transform == APSP_TRANSFORM_NONE && weight < 0 &&
		!rows->has_negative_loop) {
		rows->has_negative_loop = true;
		rows->negative_loop = v;
	}
}

/*
 * Merge, filter and check row v, whose arcs are [begin, end), and move what is
 * left of it to the rows' new end, n_arcs. Raises *max_weight.
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
		weight = merge_weights(
			profile->duplicates, rows->weights + a, next - a);
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

/* Give back what merging has freed; where that fails, nothing is lost. */
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

/* Adding or subtracting from 0.0 keeps -0 out of the lengths. */
static double length_of(
	enum apsp_transform transform, double weight, double max_weight)
{
	switch (transform) {
	case APSP_TRANSFORM_HOPS:
		return 1;
	case APSP_TRANSFORM_INV:
		return 1 / weight;
	case APSP_TRANSFORM_LOG:
		return 0.0 - log(weight);
	case APSP_TRANSFORM_LOGNORM:
		/* far enough apart, the quotient would lose its digits */
		if (weight / max_weight < DBL_MIN)
			return log(max_weight) - log(weight);
		return 0.0 - log(weight / max_weight);
	case APSP_TRANSFORM_NONE:
		break;
	}
	return weight + 0.0;
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

	rows.lengths = malloc((rows.n_arcs + 1) * sizeof(*rows.lengths));
	if (!rows.lengths)
		return out_of_memory(graph, err);
	for (uint64_t a = 0; a < rows.n_arcs; a++)
		rows.lengths[a] = length_of(
			graph->profile.transform, rows.weights[a], max_weight);
	*out = APSP_TAKE(rows);
	return 0;
}

void apsp_lengths_done(struct apsp_lengths *lengths)
{
	free(lengths->offsets);
	free(lengths->heads);
	free(lengths->weights);
	free(lengths->lengths);
	free(lengths->self_loop);
	*lengths = (struct apsp_lengths){0};
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
