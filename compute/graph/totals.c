/*
 * Sums the weights by tail or by head; see totals.h. Rows are sorted by tail,
 * so the weights from one vertex are neighbours. For the weights to one vertex,
 * a counting sort first copies the weights in the order of their heads.
 */
#include "compute/graph/totals.h"

#include <math.h>
#include <stdlib.h>

#include "compute/graph/split_sort.h"
#include "compute/parallel.h"
#include "daemon/base/auto.h"
#include "daemon/base/exact_sum.h"

enum {
	LABEL_SIZE = 64, /* size in bytes of a label in a message */
	ROWS = 128,	 /* number of vertices that one task sums */
};

/* The state of summing all weights; shared by the threads. The weights of
   vertex v have the indices [offsets[v], offsets[v + 1]). */
struct summing {
	uint32_t n_vertices;
	const uint64_t *offsets;
	const double *weights;
	double *totals;
};

static void block_sum(void *ctx, unsigned int thread, size_t block)
{
	const struct summing *s = ctx;
	uint32_t v = (uint32_t)block * ROWS;
	uint32_t end = s->n_vertices - v < ROWS ? s->n_vertices : v + ROWS;

	(void)thread;
	for (; v < end; v++) {
		struct apsp_exact_sum sum = {0};
		uint64_t a = s->offsets[v], last = s->offsets[v + 1];

		/* with duplicates=sum, a merged weight may be infinite; then
		   the total is infinite */
		while (a < last && isfinite(s->weights[a]))
			apsp_exact_sum_add(&sum, s->weights[a++]);
		s->totals[v] = a < last ? (double)INFINITY
					: apsp_exact_sum_value(&sum);
	}
}

static void sum_all(const struct summing *summing)
{
	apsp_parallel_for(((size_t)summing->n_vertices + ROWS - 1) / ROWS,
		apsp_parallel_processors(), block_sum, (void *)summing);
}

/* The state of sorting the weights by the heads of their arcs. */
struct by_head {
	const struct apsp_arc_rows *rows;
	struct apsp_split_sort sort;
	uint64_t *offsets;
	double *weights;
};

static void by_head_done(struct by_head *by_head)
{
	apsp_split_sort_done(&by_head->sort);
	free(by_head->offsets);
	free(by_head->weights);
}

static void part_count(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct by_head *by_head = ctx;

	for (uint64_t a = first; a < end; a++)
		places[by_head->rows->heads[a]]++;
}

static void part_place(
	void *ctx, uint64_t *places, uint64_t first, uint64_t end)
{
	const struct by_head *by_head = ctx;
	const struct apsp_arc_rows *rows = by_head->rows;

	for (uint64_t a = first; a < end; a++)
		by_head->weights[places[rows->heads[a]]++] = rows->weights[a];
}

static int sum_by_head(const struct apsp_arc_rows *rows, size_t n,
	double *totals, struct apsp_err *err)
{
	APSP_AUTO(by_head_done) struct by_head by_head = {.rows = rows};
	uint64_t n_arcs = rows->offsets[n];
	int r;

	by_head.offsets = malloc((n + 1) * sizeof(*by_head.offsets));
	by_head.weights = malloc((n_arcs + 1) * sizeof(double));
	if (!by_head.offsets || !by_head.weights)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory to sum the weights of %llu arcs by head",
			(unsigned long long)n_arcs);
	r = apsp_split_sort_count(&by_head.sort, n_arcs, n, part_count,
		&by_head, by_head.offsets, err);
	if (r < 0)
		return r;
	apsp_split_sort_visit(&by_head.sort, part_place, &by_head);
	sum_all(&(struct summing){
		(uint32_t)n, by_head.offsets, by_head.weights, totals});
	return 0;
}

static int check_finite(const struct apsp_graph *graph,
	const struct apsp_totals *totals, struct apsp_err *err)
{
	char label[LABEL_SIZE];

	for (uint32_t v = 0; v < graph->n_vertices; v++) {
		if (isfinite(totals->of[v]))
			continue;
		apsp_graph_label(graph, v, label, sizeof(label));
		return apsp_fail(err, APSP_EDATA,
			"the weights of the arcs %s '%s' sum to more than a "
			"64-bit number holds, so they have no shares: divide "
			"all weights by one number",
			totals->normalise == APSP_NORMALISE_INPUT ? "to"
								  : "from",
			label);
	}
	return 0;
}

int apsp_totals_build(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_totals *out,
	struct apsp_err *err)
{
	APSP_AUTO(apsp_totals_done)
	struct apsp_totals totals = {.normalise = graph->profile.normalise};
	uint32_t n = graph->n_vertices;
	int r = 0;

	totals.of = graph->totals;
	if (totals.of) {
		*out = APSP_TAKE(totals);
		return 0;
	}
	totals.of = totals.sums = malloc(((size_t)n + 1) * sizeof(double));
	if (!totals.of)
		return apsp_fail(err, APSP_ENOMEM,
			"no memory for the totals of %u vertices", n);
	if (totals.normalise == APSP_NORMALISE_INPUT)
		r = sum_by_head(rows, n, totals.sums, err);
	else
		sum_all(&(struct summing){
			n, rows->offsets, rows->weights, totals.sums});
	if (r == 0)
		r = check_finite(graph, &totals, err);
	if (r == 0)
		*out = APSP_TAKE(totals);
	return r;
}

void apsp_totals_done(struct apsp_totals *totals)
{
	free(totals->sums);
	*totals = (struct apsp_totals){0};
}
