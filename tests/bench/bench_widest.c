/*
 * Dijkstra's variant for widest paths, from every vertex, on all processors:
 * the peer of the tables of path=widest, which bench_solve measures.
 *
 *	bench_widest GRAPHFILE [SOURCES]
 *
 * The graph file has a rule with path=widest (make_graph WORD@widest PATH).
 * Forms of the method run on a few sources first: with a heap in which a node
 * has four children, which suits sparse graphs, and, if the graph has at least
 * n²/4 arcs, with a scan of all vertices, which suits dense ones. The faster
 * form then runs from SOURCES sources or, without SOURCES, from all vertices.
 * The program prints its time in seconds, scaled to all vertices. Only widths
 * are computed, as doubles, without ranks, predecessors or a file.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/lengths.h"
#include "compute/parallel.h"
#include "compute/solve/prepared_graph.h"
#include "tests/bench/timing.h"

enum {
	CHILDREN = 4,
	TRIED = 8, /* sources of a processor, in a trial */
	FORMS = 2,
};

#define NOWHERE UINT32_MAX

/* The memory of one thread. */
struct hand {
	double *width;
	uint32_t *heap;
	uint32_t *places; /* of vertices in the heap */
	uint32_t n;
	double *row; /* of a dense matrix's */
};

struct bench {
	const struct apsp_lengths *graph;
	float *matrix; /* n × n weights, 0 where there is no arc; or NULL */
	int form;
	struct hand hands[APSP_PARALLEL_MAX];
	_Atomic uint64_t reached; /* so that no run is for nothing */
};

static void put(struct hand *h, uint32_t place, uint32_t v)
{
	h->heap[place] = v;
	h->places[v] = place;
}

static void rise(struct hand *h, uint32_t place, uint32_t v)
{
	while (place != 0) {
		uint32_t above = (place - 1) / CHILDREN;

		if (h->width[h->heap[above]] >= h->width[v])
			break;
		put(h, place, h->heap[above]);
		place = above;
	}
	put(h, place, v);
}

static uint32_t widest_take(struct hand *h)
{
	uint32_t widest = h->heap[0], last = h->heap[--h->n];
	uint64_t place = 0;

	h->places[widest] = NOWHERE;
	while (h->n > 0) {
		uint64_t first = place * CHILDREN + 1, best = first;

		if (first >= h->n)
			break;
		for (uint64_t i = first + 1; i < first + CHILDREN && i < h->n;
			i++)
			if (h->width[h->heap[i]] > h->width[h->heap[best]])
				best = i;
		if (h->width[h->heap[best]] <= h->width[last])
			break;
		put(h, (uint32_t)place, h->heap[best]);
		place = best;
	}
	if (h->n > 0)
		put(h, (uint32_t)place, last);
	return widest;
}

static void by_heap(const struct bench *b, struct hand *h, uint32_t source)
{
	const struct apsp_lengths *g = b->graph;
	uint32_t n = g->n_vertices;

	memset(h->width, 0, n * sizeof(*h->width));
	memset(h->places, 0xff, n * sizeof(*h->places));
	h->width[source] = INFINITY;
	h->n = 1;
	put(h, 0, source);
	while (h->n > 0) {
		uint32_t u = widest_take(h);
		double at = h->width[u];

		for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
			double weight = g->weights[e];
			uint32_t v = g->heads[e];

			weight = weight < at ? weight : at;
			if (weight <= h->width[v])
				continue;
			h->width[v] = weight;
			rise(h, h->places[v] == NOWHERE ? h->n++ : h->places[v],
				v);
		}
	}
}

/* Settled vertices have their width in `row`, and -1 in `width`. */
static void by_scan(const struct bench *b, struct hand *h, uint32_t source)
{
	uint32_t n = b->graph->n_vertices;
	float *width = (float *)h->width, at = INFINITY;

	for (uint32_t v = 0; v < n; v++)
		width[v] = 0;
	for (uint32_t u = source; at > 0;) {
		const float *arcs = b->matrix + (size_t)u * n;
		float best = 0;

		width[u] = -INFINITY;
		h->row[u] = at;
		for (uint32_t v = 0; v < n; v++) {
			float over = arcs[v] < at ? arcs[v] : at;
			float held = width[v];

			held = held < over && held >= 0 ? over : held;
			width[v] = held;
			best = held > best ? held : best;
		}
		at = best;
		for (u = 0; at > 0 && width[u] != at;)
			u++;
	}
}

static void source_run(void *ctx, unsigned int thread, size_t source)
{
	struct bench *b = ctx;
	struct hand *h = &b->hands[thread];
	uint32_t n = b->graph->n_vertices;
	uint64_t reached = 0;

	if (b->form == 0)
		by_heap(b, h, (uint32_t)source);
	else
		by_scan(b, h, (uint32_t)source);
	for (uint32_t v = 0; v < n; v++)
		reached += b->form == 0 ? h->width[v] > 0
					: ((float *)h->width)[v] < 0;
	atomic_fetch_add(&b->reached, reached);
}

/* Return the seconds for all vertices, from a run of some sources. */
static double run_s(struct bench *b, uint32_t sources)
{
	double start = bench_now_s();

	apsp_parallel_for(sources, apsp_parallel_processors(), source_run, b);
	return (bench_now_s() - start) * b->graph->n_vertices / sources;
}

static void hands_init(struct bench *b)
{
	size_t n = b->graph->n_vertices;

	for (unsigned int t = 0; t < apsp_parallel_processors(); t++)
		b->hands[t] = (struct hand){.width = calloc(n, sizeof(double)),
			.heap = calloc(n, sizeof(uint32_t)),
			.places = calloc(n, sizeof(uint32_t)),
			.row = calloc(n, sizeof(double))};
	if (b->graph->n_arcs < n * n / 4)
		return;
	b->matrix = calloc(n * n, sizeof(*b->matrix));
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = b->graph->offsets[u];
			e < b->graph->offsets[u + 1]; e++)
			b->matrix[u * n + b->graph->heads[e]] =
				(float)b->graph->weights[e];
}

int main(int argc, char **argv)
{
	static const char *const names[FORMS] = {"heap", "scan"};
	struct apsp_prepared_graph prepared = {0};
	struct bench b = {.graph = &prepared.lengths};
	uint32_t sources, tried = TRIED * apsp_parallel_processors();
	double seconds[FORMS] = {0, INFINITY};
	struct apsp_err err;

	if (argc < 2)
		return 2;
	if (apsp_prepared_graph_open(argv[1], &prepared, &err) < 0 ||
		apsp_lengths_build(&prepared.graph, &prepared.lengths, &err) <
			0)
		bench_die(&err);
	hands_init(&b);
	for (b.form = 0; b.form < (b.matrix ? FORMS : 1); b.form++)
		seconds[b.form] = run_s(&b, tried);
	b.form = seconds[1] < seconds[0];
	sources = argc > 2 ? (uint32_t)atoi(argv[2]) : b.graph->n_vertices;
	printf("{\"form\": \"%s\", \"tried_s\": [%.3f, %.3f], \"sources\": %u, "
	       "\"seconds\": %.3f, \"reached\": %llu}\n",
		names[b.form], seconds[0], b.matrix ? seconds[1] : 0, sources,
		run_s(&b, sources), (unsigned long long)b.reached);
	apsp_prepared_graph_done(&prepared);
	return 0;
}
