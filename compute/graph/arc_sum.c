/*
 * Summing arcs; see arc_sum.h.
 */
#include "compute/graph/arc_sum.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "compute/parallel.h"

enum {
	ARCS = 1 << 16, /* of the file, summed by a thread at a time */
	ROWS = 1 << 9,	/* summed by a thread at a time */
};

/* The sums of file and rows, modulo 2^64. */
struct summing {
	const struct apsp_graph *graph;
	const struct apsp_arc_rows *rows;
	_Atomic uint64_t n_file, file, of_rows;
};

/*
 * Mix the three values of an arc. Plain sums of tails, heads and weights would
 * stay the same if two arcs swapped one of their values.
 */
static uint64_t mix(uint32_t from, uint32_t to, double weight)
{
	uint64_t bits, x;

	memcpy(&bits, &weight, sizeof(bits));
	x = (((uint64_t)from << 32 | to) + 1) * UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ bits) * UINT64_C(0xd6e8feb86659fd93);
	return (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

static void file_add(void *ctx, unsigned int thread, size_t block)
{
	struct summing *s = ctx;
	const struct apsp_graph *graph = s->graph;
	uint64_t first = (uint64_t)block * ARCS, n = 0, sum = 0;
	uint64_t end =
		graph->n_arcs - first < ARCS ? graph->n_arcs : first + ARCS;
	struct apsp_arc_window window = {first, first, end};

	(void)thread;
	while (apsp_graph_window_next(graph, &window))
		for (uint64_t a = window.first; a < window.end; a++) {
			const struct apsp_arc *arc = &graph->arcs[a];

			if (apsp_arc_is_dropped(&graph->profile, arc))
				continue;
			sum += mix(arc->from, arc->to, arc->weight);
			n++;
		}
	atomic_fetch_add(&s->file, sum);
	atomic_fetch_add(&s->n_file, n);
}

static void rows_add(void *ctx, unsigned int thread, size_t block)
{
	struct summing *s = ctx;
	const struct apsp_arc_rows *rows = s->rows;
	uint32_t n = s->graph->n_vertices, v = (uint32_t)block * ROWS;
	uint32_t end = n - v < ROWS ? n : v + ROWS;
	uint64_t sum = 0;

	(void)thread;
	for (; v < end; v++)
		for (uint64_t a = rows->offsets[v]; a < rows->offsets[v + 1];
			a++)
			sum += mix(v, rows->heads[a], rows->weights[a]);
	atomic_fetch_add(&s->of_rows, sum);
}

int apsp_arc_sum_check(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_err *err)
{
	size_t n = graph->n_vertices;
	struct summing s = {.graph = graph, .rows = rows};
	unsigned int width = apsp_parallel_width();

	apsp_parallel_for((size_t)((graph->n_arcs + ARCS - 1) / ARCS), width,
		file_add, &s);
	if (s.n_file == rows->offsets[n])
		apsp_parallel_for((n + ROWS - 1) / ROWS, width, rows_add, &s);
	if (s.n_file == rows->offsets[n] && s.file == s.of_rows)
		return 0;
	return apsp_fail(err, APSP_EPROOF,
		"the rows that were sorted have %llu arcs, and the graph's "
		"file has %llu, or others",
		(unsigned long long)rows->offsets[n],
		(unsigned long long)s.n_file);
}
