/*
 * Positions: a permutation that keeps the components' order and is
 * breadth-first within each component.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/graph/positions.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

struct case_graph {
	struct graph_fixture fixture;
	struct apsp_lengths lengths;
	struct apsp_components components;
	struct apsp_positions positions;
};

static void case_open(struct case_graph *c)
{
	struct apsp_err err;

	memset(&c->lengths, 0, sizeof(c->lengths));
	memset(&c->components, 0, sizeof(c->components));
	memset(&c->positions, 0, sizeof(c->positions));
	assert_int_equal(
		apsp_lengths_build(&c->fixture.graph, &c->lengths, &err), 0);
	assert_int_equal(
		apsp_components_build(&c->lengths, &c->components, &err), 0);
	assert_int_equal(apsp_positions_build(&c->lengths, &c->components,
				 &c->positions, &err),
		0);
}

static void case_done(struct case_graph *c)
{
	apsp_positions_done(&c->positions);
	apsp_components_done(&c->components);
	apsp_lengths_done(&c->lengths);
	graph_fixture_done(&c->fixture);
}

static void check_permutation(
	const struct apsp_positions *positions, uint32_t n)
{
	assert_int_equal(positions->n_vertices, n);
	for (uint32_t p = 0; p < n; p++) {
		assert_true(positions->vertices[p] < n);
		assert_int_equal(positions->of[positions->vertices[p]], p);
	}
}

/* Hops from a component's first vertex within the component, by rounds. */
static void levels_fill(const struct case_graph *c, uint32_t *levels)
{
	const struct apsp_lengths *l = &c->lengths;
	const uint32_t *of = c->components.of;
	bool changed = true;

	for (uint32_t p = 0; p < l->n_vertices; p++) {
		uint32_t v = c->positions.vertices[p];
		bool first =
			p == 0 || of[c->positions.vertices[p - 1]] != of[v];

		levels[v] = first ? 0 : UINT32_MAX - 1;
	}
	while (changed) {
		changed = false;
		for (uint32_t u = 0; u < l->n_vertices; u++)
			for (uint64_t e = l->offsets[u]; e < l->offsets[u + 1];
				e++) {
				uint32_t v = l->heads[e];

				if (of[u] != of[v] ||
					levels[u] + 1 >= levels[v])
					continue;
				levels[v] = levels[u] + 1;
				changed = true;
			}
	}
}

static void check_breadth_first(const struct case_graph *c)
{
	uint32_t n = c->lengths.n_vertices;
	const uint32_t *of = c->components.of;
	uint32_t *levels = malloc((n + 1) * sizeof(*levels));

	levels_fill(c, levels);
	for (uint32_t p = 1; p < n; p++) {
		uint32_t before = c->positions.vertices[p - 1];
		uint32_t v = c->positions.vertices[p];

		assert_true(of[before] <= of[v]);
		if (of[before] == of[v])
			assert_true(levels[before] <= levels[v]);
	}
	free(levels);
}

static void test_random(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		uint32_t n = 1 + random_below(&seed, 200);
		uint32_t m = random_below(&seed, 4 * n);
		struct case_graph c;

		graph_fixture_init(&c.fixture, n);
		for (uint32_t e = 0; e < m; e++)
			graph_fixture_add(&c.fixture, random_below(&seed, n),
				random_below(&seed, n), 1);
		case_open(&c);
		check_permutation(&c.positions, n);
		check_breadth_first(&c);
		case_done(&c);
	}
}

/* The vertices of a path stand in path order, whatever their indices. */
static void test_path(void **state)
{
	static const uint32_t path[] = {3, 0, 4, 1, 2};
	struct case_graph c;

	(void)state;
	graph_fixture_init(&c.fixture, 5);
	for (uint32_t i = 0; i + 1 < 5; i++)
		graph_fixture_add(&c.fixture, path[i], path[i + 1], 1);
	case_open(&c);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(c.positions.vertices[i], path[i]);
	case_done(&c);
}

/* The vertices of each part get the part's positions, in their old order. */
static void test_parts(void **state)
{
	static const uint32_t path[] = {3, 0, 4, 1, 2}, ends[] = {2, 2, 5};
	static const uint32_t divided[] = {0, 1, 3, 4, 2};
	struct apsp_positions parts;
	struct case_graph c;
	struct apsp_err err;

	(void)state;
	graph_fixture_init(&c.fixture, 5);
	for (uint32_t i = 0; i + 1 < 5; i++)
		graph_fixture_add(&c.fixture, path[i], path[i + 1], 1);
	case_open(&c);
	assert_int_equal(
		apsp_positions_divide(&c.positions, ends, 3, &parts, &err), 0);
	check_permutation(&parts, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(parts.vertices[i], divided[i]);
	apsp_positions_done(&parts);
	case_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
