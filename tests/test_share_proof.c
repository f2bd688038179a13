/*
 * Betweenness where the second look at it is hard: near ties with arcs of
 * length 0, and chains of these against the order of the upload. And which
 * vertices' sums of shares are proved.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "compute/measures/betweenness.h"
#include "compute/measures/share_proof.h"

struct arc {
	uint32_t tail;
	uint32_t head;
	double length;
};

struct graph {
	struct apsp_lengths lengths;
	double *distances; /* n × n */
};

/* Tails ascend. */
static struct graph graph_new(uint32_t n, const struct arc *arcs, size_t m)
{
	struct graph g = {.lengths = {.n_vertices = n,
				  .n_arcs = m,
				  .offsets = calloc(n + 1, sizeof(uint64_t)),
				  .heads = calloc(m, sizeof(uint32_t)),
				  .lengths = calloc(m, sizeof(double))},
		.distances = calloc((size_t)n * n, sizeof(double))};

	for (size_t a = 0; a < m; a++) {
		g.lengths.heads[a] = arcs[a].head;
		g.lengths.lengths[a] = arcs[a].length;
		g.lengths.offsets[arcs[a].tail + 1]++;
	}
	for (uint32_t v = 0; v < n; v++)
		g.lengths.offsets[v + 1] += g.lengths.offsets[v];
	for (size_t s = 0; s < n; s++) {
		double *d = g.distances + s * n;
		bool fell = true;

		for (uint32_t v = 0; v < n; v++)
			d[v] = v == s ? 0 : (double)INFINITY;
		while (fell) {
			fell = false;
			for (size_t a = m; a-- > 0;) {
				double sum = d[arcs[a].tail] + arcs[a].length;

				if (sum < d[arcs[a].head]) {
					d[arcs[a].head] = sum;
					fell = true;
				}
			}
		}
	}
	return g;
}

static void graph_free(struct graph *g)
{
	free(g->lengths.offsets);
	free(g->lengths.heads);
	free(g->lengths.lengths);
	free(g->distances);
}

/* 0 leads to n - 1, and from there arcs of length 0 lead down to 1. */
static struct graph chain_new(uint32_t n)
{
	struct arc *arcs = calloc(n, sizeof(*arcs));
	struct graph g;

	arcs[0] = (struct arc){0, n - 1, 1.5};
	for (uint32_t v = 2; v < n; v++)
		arcs[v - 1] = (struct arc){v, v - 1, 0};
	g = graph_new(n, arcs, n - 1);
	free(arcs);
	return g;
}

static int rows_read(void *ctx, uint32_t first, uint32_t n_rows, void *out,
	struct apsp_err *err)
{
	const struct graph *g = ctx;
	size_t n = g->lengths.n_vertices;

	(void)err;
	for (size_t i = 0; i < n_rows * n; i++)
		((double *)out)[i] = g->distances[first * n + i];
	return 0;
}

static void run(struct graph *g, double *out)
{
	struct apsp_distance_rows rows = {.n_vertices = g->lengths.n_vertices,
		.kind = APSP_DISTANCE_SUM,
		.element = APSP_ELEMENT_F64,
		.scale = 1,
		.read = rows_read,
		.ctx = g};
	struct apsp_progress progress;
	struct apsp_err err = {0};

	apsp_progress_init(&progress, NULL, NULL);
	if (apsp_betweenness_run(&g->lengths, &rows, 1, &progress, out, &err) <
		0)
		fail_msg("%s", err.message);
}

/* An arc of length 0 leads from outside a group of equally far vertices to one
   of them that is as far within the tolerance. */
static void test_near_ties(void **state)
{
	static const struct arc arcs[] = {{0, 1, 1}, {0, 2, 1.0000000000009},
		{0, 3, 1.0000000000011}, {2, 4, 0.3}, {3, 2, 0}};
	struct graph g = graph_new(5, arcs, sizeof(arcs) / sizeof(*arcs));
	double out[5];

	(void)state;
	run(&g, out);
	/* half of the paths 0 → 2, and of 0 → 4, lead through 3 */
	assert_true(out[0] == 0 && out[1] == 0 && out[4] == 0);
	assert_true(out[2] == 2 && out[3] == 1);
	graph_free(&g);
}

/* Near ties that follow each other further than any length is short: 1 to 13
   are counted, and then 14 to 21. */
static void test_long_ties(void **state)
{
	enum { N = 22, CUT = 13 };
	struct arc arcs[2 * N];
	struct graph g;
	double out[N];
	size_t m = 0;

	(void)state;
	for (uint32_t v = 1; v < N; v++)
		arcs[m++] = (struct arc){0, v, 1 + 0.8e-12 * (v - 1)};
	for (uint32_t v = 2; v < N; v++)
		arcs[m++] = (struct arc){v, v - 1, 0};
	g = graph_new(N, arcs, m);
	run(&g, out);
	/* the paths from those above, and from 0 to those below */
	for (uint32_t v = 1; v < N; v++) {
		uint32_t end = v <= CUT ? CUT : N - 1;
		uint32_t begin = v <= CUT ? 1 : CUT + 1;
		double expected = (double)(N - 1 - v) * (v - 1);

		for (uint32_t w = begin; w < v; w++)
			expected += (double)(end - v + 1) / (end - w + 1);
		assert_true(fabs(out[v] - expected) <= 1e-12 * (1 + expected));
	}
	graph_free(&g);
}

static void test_chain(void **state)
{
	enum { N = 300 };
	struct graph g = chain_new(N);
	double out[N];

	(void)state;
	run(&g, out);
	assert_true(out[0] == 0);
	for (uint32_t v = 1; v < N; v++)
		assert_true(out[v] == (double)(N - v) * (v - 1));
	graph_free(&g);
}

/* The second look at source 0 of a chain, at shares that are wrong. */
static int chain_look(uint32_t n, bool stops)
{
	struct graph g = chain_new(n);
	double *shares = calloc(n, sizeof(*shares));
	const struct apsp_stop stop = {
		stops ? APSP_STOP_END : APSP_STOP_NONE, NULL};
	struct apsp_share_proof proof;
	int r;

	assert_int_equal(
		apsp_share_proof_init(&g.lengths, false, &proof, NULL), 0);
	for (uint32_t v = 0; v < n; v++)
		proof.distances[v] = g.distances[v];
	r = apsp_share_proof_source(&proof, 0, shares, &stop, NULL);
	apsp_share_proof_done(&proof);
	free(shares);
	graph_free(&g);
	return r;
}

/* Each pass over the arcs settles one vertex; after 64 the source is passed
   over. */
static void test_passes(void **state)
{
	(void)state;
	assert_int_equal(chain_look(40, false), APSP_EPROOF);
	assert_int_equal(chain_look(400, false), 0);
	assert_int_equal(chain_look(40, true), APSP_ECANCELLED);
}

/* The second look at source 0 of a path of four, its whole distances as told:
   shares are right. */
static int path_look(const double distances[4])
{
	static const struct arc arcs[] = {{0, 1, 2}, {1, 2, 2}, {2, 3, 2}};
	static const double shares[] = {0, 2, 1, 0};
	struct graph g = graph_new(4, arcs, sizeof(arcs) / sizeof(*arcs));
	struct apsp_share_proof proof;
	int r;

	assert_int_equal(
		apsp_share_proof_init(&g.lengths, true, &proof, NULL), 0);
	for (uint32_t v = 0; v < 4; v++)
		proof.distances[v] = distances[v];
	r = apsp_share_proof_source(&proof, 0, shares, NULL, NULL);
	apsp_share_proof_done(&proof);
	graph_free(&g);
	return r;
}

/* Whole distances give the order, or are wrong: nothing is passed over. */
static void test_whole(void **state)
{
	(void)state;
	assert_int_equal(path_look((double[]){0, 2, 4, 6}), 0);
	/* no path is as short */
	assert_int_equal(path_look((double[]){0, 2, 3, 6}), APSP_EPROOF);
	/* one is shorter: the next arc ends no shortest path */
	assert_int_equal(path_look((double[]){0, 2, 5, 6}), APSP_EPROOF);
}

/*
 * Layers of three vertices: each vertex leads to all of the next layer, so a
 * third of the paths to any vertex beyond lead through it. To the last layer
 * lead more than 2^16384 paths, which a long double does not hold.
 */
static void test_many_paths(void **state)
{
	enum { WIDE = 3, DEEP = 10339, N = 1 + WIDE * DEEP };
	struct apsp_lengths lengths = {.n_vertices = N,
		.offsets = calloc(N + 1, sizeof(uint64_t)),
		.heads = calloc((size_t)N * WIDE, sizeof(uint32_t))};
	double *shares = calloc(N, sizeof(*shares));
	struct apsp_share_proof proof;
	struct apsp_err err = {0};

	(void)state;
	assert_int_equal(
		apsp_share_proof_init(&lengths, true, &proof, &err), 0);
	for (uint32_t v = 0; v < N; v++) {
		uint32_t layer = (v + WIDE - 1) / WIDE;

		proof.distances[v] = layer;
		shares[v] = v == 0 ? 0 : DEEP - layer;
		lengths.offsets[v] = lengths.n_arcs;
		for (uint32_t i = 0; layer < DEEP && i < WIDE; i++)
			lengths.heads[lengths.n_arcs++] = 1 + WIDE * layer + i;
	}
	lengths.offsets[N] = lengths.n_arcs;
	if (apsp_share_proof_source(&proof, 0, shares, NULL, &err) < 0)
		fail_msg("%s", err.message);
	apsp_share_proof_done(&proof);
	free(shares);
	free(lengths.offsets);
	free(lengths.heads);
}

/* A share that is missing at one place of each vector of vertices is found,
   whatever the number of vertices, and wherever the place is. */
static void test_lanes(void **state)
{
	enum { LANES = 16 };
	static const uint32_t sizes[] = {16, 32, 100, 111, 239, 255, 256, 257,
		300, 512, 600, 1024, 2240, 3013, 4096, 7014, 8191, 8192, 12529};
	struct apsp_err err;

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct apsp_lengths lengths = {.n_vertices = sizes[s]};
		double *shares = calloc(sizes[s], sizeof(*shares));
		double *sums = calloc(sizes[s], sizeof(*sums));

		assert_true(shares && sums);
		for (uint32_t place = 0; place < LANES; place++) {
			struct apsp_share_proof proof;

			assert_int_equal(apsp_share_proof_init(
						 &lengths, true, &proof, &err),
				0);
			for (uint32_t v = place; v < sizes[s]; v += LANES)
				shares[v] = 1;
			apsp_share_proof_add(&proof, 0, shares);
			assert_int_equal(
				apsp_share_proof_sums(&proof, sums, &err),
				APSP_EPROOF);
			for (uint32_t v = place; v < sizes[s]; v += LANES)
				shares[v] = 0;
			apsp_share_proof_done(&proof);
		}
		free(shares);
		free(sums);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_ties),
		cmocka_unit_test(test_long_ties),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_passes),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
