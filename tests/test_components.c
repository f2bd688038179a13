/*
 * Components and cycles against a breadth-first search from every vertex.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/graph/components.h"
#include "tests/random.h"

/* A random graph, with only the members that components read. */
static struct apsp_lengths make_graph(uint32_t n, uint64_t m, uint64_t seed)
{
	struct apsp_lengths g = {.n_vertices = n, .n_arcs = m};
	uint32_t *tails = malloc((m + 1) * sizeof(*tails));
	uint32_t *heads = malloc((m + 1) * sizeof(*heads));

	g.offsets = calloc((size_t)n + 2, sizeof(*g.offsets));
	g.heads = malloc((m + 1) * sizeof(*g.heads));
	g.self_loop = calloc(n / 64 + 1, sizeof(*g.self_loop));
	for (uint64_t a = 0; a < m; a++) {
		tails[a] = random_below(&seed, n);
		heads[a] = random_below(&seed, n);
		g.offsets[tails[a] + 2]++;
	}
	for (uint32_t v = 0; v < n; v++)
		g.offsets[v + 2] += g.offsets[v + 1];
	for (uint64_t a = 0; a < m; a++)
		g.heads[g.offsets[tails[a] + 1]++] = heads[a];
	free(tails);
	free(heads);
	return g;
}

static void free_graph(struct apsp_lengths *g)
{
	free(g->offsets);
	free(g->heads);
	free(g->self_loop);
}

/* Bytes: reach[i * n + j] is 1 where j can be reached from i. */
static unsigned char *reach_of(const struct apsp_lengths *g)
{
	uint32_t n = g->n_vertices;
	unsigned char *reach = calloc((size_t)n * n + 1, 1);
	uint32_t *queue = malloc(((size_t)n + 1) * sizeof(*queue));

	for (uint32_t source = 0; source < n; source++) {
		unsigned char *row = reach + (size_t)source * n;
		uint32_t end = 1;

		queue[0] = source;
		row[source] = 1;
		for (uint32_t i = 0; i < end; i++) {
			uint32_t v = queue[i];

			for (uint64_t a = g->offsets[v]; a < g->offsets[v + 1];
				a++) {
				uint32_t head = g->heads[a];

				if (!row[head]) {
					row[head] = 1;
					queue[end++] = head;
				}
			}
		}
	}
	free(queue);
	return reach;
}

static void check_components(const struct apsp_lengths *g,
	const struct apsp_components *c, const unsigned char *reach)
{
	uint32_t n = g->n_vertices;
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++)
			wrong += (c->of[i] == c->of[j]) !=
				 (reach[(size_t)i * n + j] &&
					 reach[(size_t)j * n + i]);
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t a = g->offsets[v]; a < g->offsets[v + 1]; a++)
			wrong += c->of[g->heads[a]] < c->of[v];
	assert_int_equal(wrong, 0);

	assert_int_equal(c->n_vertices, n);
	assert_int_equal(c->offsets[0], 0);
	assert_int_equal(c->offsets[c->n_components], n);
	for (uint32_t i = 0; i < c->n_components; i++) {
		assert_true(c->offsets[i] < c->offsets[i + 1]);
		for (uint32_t k = c->offsets[i]; k < c->offsets[i + 1]; k++) {
			assert_int_equal(c->of[c->order[k]], i);
			if (k > c->offsets[i])
				assert_true(c->order[k - 1] < c->order[k]);
		}
	}
}

/* Union of the components at the two ends of each arc, until nothing changes.
 */
static void check_weak(const struct apsp_lengths *g, const uint32_t *weak)
{
	uint32_t n = g->n_vertices;
	uint32_t *least = malloc(((size_t)n + 1) * sizeof(*least));
	bool changed = true;

	for (uint32_t v = 0; v < n; v++)
		least[v] = v;
	while (changed) {
		changed = false;
		for (uint32_t v = 0; v < n; v++)
			for (uint64_t a = g->offsets[v]; a < g->offsets[v + 1];
				a++) {
				uint32_t *head = &least[g->heads[a]];
				uint32_t both =
					*head < least[v] ? *head : least[v];

				changed |= *head != least[v];
				*head = least[v] = both;
			}
	}
	for (uint32_t v = 0; v < n; v++)
		assert_int_equal(weak[v], least[v]);
	free(least);
}

/* v lies on a cycle if it has an arc to a vertex that reaches v. */
static void check_on_cycle(const struct apsp_lengths *g,
	const struct apsp_bits *on_cycle, const unsigned char *reach)
{
	uint32_t n = g->n_vertices;

	for (uint32_t v = 0; v < n; v++) {
		bool expected = g->self_loop[v / 64] >> (v % 64) & 1;

		for (uint64_t a = g->offsets[v]; a < g->offsets[v + 1]; a++)
			if (g->heads[a] != v)
				expected |= reach[(size_t)g->heads[a] * n + v];
		assert_int_equal(apsp_bits_get(on_cycle, 0, v), expected);
	}
}

static void check_graph(const struct apsp_lengths *g)
{
	struct apsp_components c;
	struct apsp_bits on_cycle;
	unsigned char *reach = reach_of(g);

	assert_int_equal(apsp_components_build(g, &c, NULL), 0);
	check_components(g, &c, reach);
	assert_int_equal(apsp_components_on_cycle(g, &c, &on_cycle, NULL), 0);
	check_on_cycle(g, &on_cycle, reach);
	assert_int_equal(apsp_components_weak(g, false, &c.weak, NULL), 0);
	check_weak(g, c.weak);
	apsp_bits_done(&on_cycle);
	apsp_components_done(&c);
	free(reach);
}

static void test_random(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 7, 63, 64, 65, 130};
	/* arcs a vertex in tenths: around one, components are the most varied
	 */
	static const uint32_t densities[] = {0, 3, 8, 10, 13, 20, 100};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		for (size_t d = 0; d < 7; d++) {
			for (uint64_t round = 1; round < 8; round++) {
				uint32_t n = sizes[s];
				struct apsp_lengths g = make_graph(n,
					(uint64_t)n * densities[d] / 10,
					round * 7919 + d);

				if (round % 2)
					g.self_loop[n / 2 / 64] |=
						UINT64_C(1) << n / 2 % 64;
				check_graph(&g);
				free_graph(&g);
			}
		}
	}
}

static void test_empty(void **state)
{
	struct apsp_lengths g = make_graph(0, 0, 1);

	(void)state;
	check_graph(&g);
	free_graph(&g);
}

/* A path whose arcs are given last first: the deepest search there can be. */
static void test_long_path(void **state)
{
	enum { N = 1000000 };
	struct apsp_lengths g = make_graph(N, 0, 1);
	struct apsp_components c;

	(void)state;
	g.heads = realloc(g.heads, N * sizeof(*g.heads));
	for (uint32_t v = 0; v < N; v++) {
		g.offsets[v + 1] = v + 1;
		g.heads[v] = v + 1 < N ? v + 1 : 0;
	}
	assert_int_equal(apsp_components_build(&g, &c, NULL), 0);
	assert_int_equal(c.n_components, 1);
	apsp_components_done(&c);

	/* without its last arc the cycle is a path */
	g.offsets[N] = N - 1;
	assert_int_equal(apsp_components_build(&g, &c, NULL), 0);
	assert_int_equal(c.n_components, N);
	assert_int_equal(c.of[0], 0);
	assert_int_equal(c.of[N - 1], N - 1);
	apsp_components_done(&c);
	free_graph(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
