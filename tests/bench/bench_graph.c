/*
 * Graphs for benchmarks; see bench_graph.h.
 */
#include "tests/bench/bench_graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compute/graph/dijkstra.h"
#include "daemon/base/auto.h"
#include "tests/data_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/identity_positions.h"
#include "tests/random.h"

enum {
	WORD_MAX = 4096,
	WEIGHT_MAX = 100,
	LENGTH_MAX = 1000000,
};

static void die(const char *message)
{
	fprintf(stderr, "bench: %s\n", message);
	exit(1);
}

/* All arcs except loops, with lengths from 1 to 10,000 and V's scale 1. */
static void dense_make(struct apsp_prepared_graph *p, uint32_t n)
{
	uint64_t degree = n - 1, m = n * degree, state = 1;

	p->lengths.n_vertices = n;
	p->lengths.n_arcs = m;
	p->lengths.offsets = malloc((n + 1) * sizeof(uint64_t));
	p->lengths.heads = malloc(m * sizeof(uint32_t));
	p->integers.kind = APSP_DISTANCE_SCALED;
	p->integers.scale = 1;
	p->lengths.lengths = malloc(m * sizeof(double));
	if (!p->lengths.offsets || !p->lengths.heads || !p->lengths.lengths)
		die("no memory for the graph");
	identity_positions_init(n, &p->order);
	for (uint64_t e = 0; e < m; e++) {
		state = state * UINT64_C(6364136223846793005) + 1;
		p->lengths.heads[e] =
			(uint32_t)(e % degree + (e % degree >= e / degree));
		/* V has one more */
		p->lengths.lengths[e] = (double)((state >> 33) % 10000);
	}
	for (uint32_t v = 0; v <= n; v++)
		p->lengths.offsets[v] = v * degree;
}

static void add(
	struct graph_fixture *f, uint32_t from, uint32_t to, uint64_t *state)
{
	graph_fixture_add(f, from, to, 1 + random_below(state, WEIGHT_MAX));
}

/* Lengths for which V needs more than 16 bits. Each pair is an arc with chance
   1/one_in. */
static void complete_make(struct graph_fixture *f, uint32_t n, uint32_t one_in)
{
	uint64_t state = 1;

	graph_fixture_init(f, n);
	for (uint32_t from = 0; from < n; from++)
		for (uint32_t to = 0; to < n; to++)
			if (from != to && (one_in == 1 || random_below(&state,
								  one_in) == 0))
				graph_fixture_add(f, from, to,
					1 + random_below(&state, LENGTH_MAX));
}

/* Rounding up keeps the triangle inequality. */
static void metric_make(struct graph_fixture *f, uint32_t n)
{
	APSP_AUTO(apsp_free) double *at = malloc(2 * n * sizeof(*at));
	uint64_t state = 1;

	if (!at)
		die("no memory for points");
	for (uint32_t i = 0; i < 2 * n; i++)
		at[i] = random_unit(&state) * LENGTH_MAX;
	graph_fixture_init(f, n);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			if (u != v)
				graph_fixture_add(f, u, v,
					ceil(hypot(at[2 * u] - at[2 * v],
						at[2 * u + 1] -
							at[2 * v + 1])));
}

static void sparse_make(struct graph_fixture *f, uint32_t n, uint32_t degree)
{
	uint64_t state = 1;

	graph_fixture_init(f, n);
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t e = 0; e < degree; e++)
			add(f, v, random_below(&state, n), &state);
}

static void real_make(struct graph_fixture *f, uint32_t n, uint32_t degree)
{
	uint64_t state = 2;

	sparse_make(f, n, degree);
	for (uint64_t a = 0; a < f->graph.n_arcs; a++)
		f->arcs[a].weight = 1 + random_unit(&state);
}

static void dag_make(struct graph_fixture *f, uint32_t n, uint32_t degree)
{
	uint64_t state = 1;

	graph_fixture_init(f, n);
	for (uint64_t e = 0; e < (uint64_t)n * degree; e++) {
		uint32_t u = random_below(&state, n);
		uint32_t v = random_below(&state, n);

		if (u != v)
			add(f, u < v ? u : v, u < v ? v : u, &state);
	}
}

/* Method: Chakrabarti, Zhan & Faloutsos 2004, with Graph500's shares. */
static void rmat_make(
	struct graph_fixture *f, uint32_t scale, uint32_t degree, bool pairs)
{
	uint64_t state = 1;

	graph_fixture_init(f, UINT32_C(1) << scale);
	for (uint64_t e = 0; e < (uint64_t)degree << scale; e++) {
		uint32_t from = 0, to = 0;

		for (uint32_t bit = 0; bit < scale; bit++) {
			uint32_t x = random_below(&state, 100);

			from = 2 * from + (x >= 76);
			to = 2 * to + ((x >= 57 && x < 76) || x >= 95);
		}
		add(f, from, to, &state);
		if (pairs)
			graph_fixture_add(f, to, from,
				f->graph.arcs[f->graph.n_arcs - 1].weight);
	}
}

static void grid_make(struct graph_fixture *f, uint32_t side)
{
	uint64_t state = 1;

	graph_fixture_init(f, side * side);
	for (uint32_t v = 0; v < side * side; v++) {
		if (v % side + 1 < side) {
			add(f, v, v + 1, &state);
			add(f, v + 1, v, &state);
		}
		if (v + side < side * side) {
			add(f, v, v + side, &state);
			add(f, v + side, v, &state);
		}
	}
}

/* Store a random permutation of n numbers in to; Fisher and Yates's method. */
static void permute(uint32_t *to, uint32_t n, uint64_t *state)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = random_below(state, i + 1);

		to[i] = to[j];
		to[j] = i;
	}
}

/* A random lift: copy i of vertex v has the number i * n + v. Method: Amit &
   Linial 2002. */
static void lift_make(struct graph_fixture *f, uint32_t k, const char *path)
{
	APSP_AUTO(graph_fixture_done) struct graph_fixture base = {0};
	APSP_AUTO(apsp_free) uint32_t *to = malloc(k * sizeof(*to));
	uint64_t state = 1;
	uint32_t n;

	data_fixture_open(&base, path);
	n = base.graph.n_vertices;
	if (!to || (uint64_t)n * k > UINT32_MAX)
		die("no memory for so many copies");
	graph_fixture_init(f, n * k);
	for (uint64_t e = 0; e < base.graph.n_arcs; e++) {
		const struct apsp_arc *arc = &base.arcs[e];

		permute(to, k, &state);
		for (uint32_t i = 0; i < k; i++)
			graph_fixture_add(f, i * n + arc->from,
				to[i] * n + arc->to, arc->weight);
	}
}

/* Read the rule at the end of the word, and cut it off. */
static struct apsp_profile rule_take(char *word)
{
	static const struct {
		const char *end;
		enum apsp_transform transform;
		enum apsp_rule_path path;
	} known[] = {
		{"@hops", APSP_TRANSFORM_HOPS, APSP_PATH_SHORTEST},
		{"@inv", APSP_TRANSFORM_INV, APSP_PATH_SHORTEST},
		{"@lognorm", APSP_TRANSFORM_LOGNORM, APSP_PATH_SHORTEST},
		{"@widest", APSP_TRANSFORM_NONE, APSP_PATH_WIDEST},
	};
	struct apsp_profile rule = {.duplicates = APSP_DUPLICATES_MIN};
	size_t length = strlen(word);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		size_t end = strlen(known[i].end);

		if (length <= end || strcmp(word + length - end, known[i].end))
			continue;
		word[length - end] = '\0';
		rule.transform = known[i].transform;
		rule.path = known[i].path;
		if (rule.path == APSP_PATH_WIDEST)
			rule.tables = APSP_TABLES_DISTANCE;
		return rule;
	}
	return rule;
}

static void fixture_make(struct graph_fixture *f, const char *word)
{
	unsigned a, b;
	int end = 0;

	if (sscanf(word, "complete:%u", &a) == 1 && a <= UINT16_MAX)
		complete_make(f, a, 1);
	else if (sscanf(word, "half:%u", &a) == 1 && a <= UINT16_MAX)
		complete_make(f, a, 2);
	else if (sscanf(word, "metric:%u", &a) == 1 && a <= UINT16_MAX)
		metric_make(f, a);
	else if (sscanf(word, "sparse:%u:%u", &a, &b) == 2)
		sparse_make(f, a, b);
	else if (sscanf(word, "real:%u:%u", &a, &b) == 2)
		real_make(f, a, b);
	else if (sscanf(word, "dag:%u:%u", &a, &b) == 2)
		dag_make(f, a, b);
	else if (sscanf(word, "rmat:%u:%u", &a, &b) == 2 && a < 32)
		rmat_make(f, a, b, false);
	else if (sscanf(word, "pairs:%u:%u", &a, &b) == 2 && a < 32)
		rmat_make(f, a, b, true);
	else if (sscanf(word, "grid:%u", &a) == 1 && a < UINT16_MAX)
		grid_make(f, a);
	else if (sscanf(word, "lift:%u:%n", &a, &end) == 1 && end > 0 && a > 0)
		lift_make(f, a, word + end);
	else
		data_fixture_open(f, word);
}

/* Prepare all that a solve needs, except the closure. */
static void problem_make(
	struct apsp_prepared_graph *p, enum apsp_element *element)
{
	struct apsp_width width;
	struct apsp_negative_cycle cycle;
	struct apsp_err err;

	if (apsp_prepared_graph_lengths(p, &cycle, &err) < 0)
		die(err.message);
	width = p->widths[0];
	for (int w = 0; w < p->n_widths; w++)
		if (p->widths[w].element == *element)
			width = p->widths[w];
	if (*element == APSP_ELEMENT_NONE)
		*element = width.element;
	if (apsp_prepared_graph_scale(p, &width, &err) < 0)
		die(err.message);
}

void bench_graph_make(
	const char *word, enum apsp_element *element, struct bench_graph *out)
{
	char name[WORD_MAX];
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	memset(out, 0, sizeof(*out));
	out->fixture = calloc(1, sizeof(*out->fixture));
	if (!out->fixture || strlen(word) >= sizeof(name))
		die("no such graph");
	if (*end == '\0') {
		if (*element == APSP_ELEMENT_NONE)
			*element = APSP_ELEMENT_I32;
		dense_make(&out->prepared, (uint32_t)n);
		return;
	}
	snprintf(name, sizeof(name), "%s", word);
	out->prepared.graph.profile = rule_take(name);
	fixture_make(out->fixture, name);
	out->fixture->graph.profile = out->prepared.graph.profile;
	out->prepared.graph = out->fixture->graph;
	problem_make(&out->prepared, element);
}

void bench_graph_print(const char *word, FILE *out)
{
	struct graph_fixture f;
	char own[256];

	snprintf(own, sizeof(own), "%s", word);
	fixture_make(&f, own);
	for (uint64_t a = 0; a < f.graph.n_arcs; a++)
		fprintf(out, "%u,%u,%g\n", f.arcs[a].from, f.arcs[a].to,
			f.arcs[a].weight);
	graph_fixture_done(&f);
}

void bench_graph_write(
	const char *word, const char *algorithm, const char *path)
{
	struct graph_fixture fixture = {0};
	char name[WORD_MAX];
	struct apsp_profile rule;
	struct apsp_err err;

	snprintf(name, sizeof(name), "%s", word);
	rule = rule_take(name);
	fixture_make(&fixture, name);
	fixture.graph.profile = rule;
	snprintf(fixture.graph.profile.algorithm,
		sizeof(fixture.graph.profile.algorithm), "%s", algorithm);
	if (apsp_graph_write(path, &fixture.graph, &err) < 0)
		die(err.message);
	graph_fixture_done(&fixture);
}

void bench_graph_done(struct bench_graph *graph)
{
	apsp_prepared_graph_done(&graph->prepared);
	graph_fixture_done(graph->fixture);
	free(graph->fixture);
}

static double value_at(enum apsp_element element, const void *row, uint32_t v)
{
	if (element == APSP_ELEMENT_U16)
		return ((const uint16_t *)row)[v];
	if (element == APSP_ELEMENT_I32)
		return ((const int32_t *)row)[v];
	return ((const double *)row)[v];
}

static void row_put(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct apsp_prepared_graph *p = ctx;

	apsp_integers_row(&p->lengths, &p->integers, vertex, out);
}

void bench_graph_check(const struct bench_graph *graph,
	enum apsp_element element, uint32_t vertex, const void *row)
{
	const struct apsp_prepared_graph *p = &graph->prepared;
	uint32_t n = p->lengths.n_vertices;
	int64_t infinity = element == APSP_ELEMENT_U16	 ? APSP_V_INFINITY_U16
			   : element == APSP_ELEMENT_I32 ? APSP_V_INFINITY_I32
							 : INT64_C(1) << 53;
	const struct apsp_dijkstra_arcs arcs = {
		n, p->lengths.offsets, p->lengths.heads, row_put, p};
	int64_t *distances = malloc((size_t)n * sizeof(*distances));
	struct apsp_dijkstra *dijkstra = NULL;
	struct apsp_err err;

	if (!distances || apsp_dijkstra_new(&arcs, &dijkstra, &err) < 0)
		die("no memory to check a row");
	apsp_dijkstra_run(dijkstra, vertex, distances, NULL, NULL);
	apsp_dijkstra_free(dijkstra);
	for (uint32_t v = 0; v < n; v++) {
		double found = value_at(element, row, v);
		bool finite = found < (double)infinity;

		if (finite ? found != (double)distances[v]
			   : distances[v] < infinity) {
			fprintf(stderr,
				"bench: V(%u,%u) is %.0f, Dijkstra says %.0f\n",
				vertex, v, found, (double)distances[v]);
			exit(1);
		}
	}
	free(distances);
}
