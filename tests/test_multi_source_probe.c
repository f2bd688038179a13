/*
 * The count of visits against a plain one: each batch by itself, vertex after
 * vertex, over all arcs or those that are not useless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/graph/multi_source_probe.h"
#include "compute/graph/useless_arcs.h"
#include "daemon/base/auto.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	LANES = 4,
	PLACES = 3,
};

#define NONE (INT64_MAX / 4)

struct sample {
	struct graph_fixture f;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_root_paths paths;
	struct apsp_components components;
	struct apsp_positions positions;
	uint8_t *useless;
};

/* m random arcs, and a ring that makes one component of all vertices. */
static void sample_make(
	struct sample *s, uint32_t n, uint32_t m, double most, uint64_t *seed)
{
	struct apsp_negative_cycle cycle;
	struct apsp_err err;

	graph_fixture_init(&s->f, n);
	for (uint32_t v = 0; v < n; v++)
		graph_fixture_add(&s->f, v, (v + 1) % n, most);
	for (uint32_t e = 0; e < m; e++)
		graph_fixture_add(&s->f, random_below(seed, n),
			random_below(seed, n),
			1 + random_unit(seed) * (most - 1));
	s->f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_lengths_build(&s->f.graph, &s->lengths, &err), 0);
	assert_int_equal(apsp_integers_build(&s->f.graph, &s->lengths, 0,
				 &s->integers, &cycle, &err),
		0);
	assert_int_equal(apsp_root_paths_find(&s->lengths, &s->integers, NULL,
				 &s->paths, &err),
		0);
	assert_int_equal(
		apsp_components_build(&s->lengths, &s->components, &err), 0);
	assert_int_equal(apsp_positions_build(&s->lengths, &s->components,
				 &s->positions, &err),
		0);
	s->useless = calloc(s->lengths.n_arcs + 1, 1);
}

static void sample_done(struct sample *s)
{
	free(s->useless);
	apsp_positions_done(&s->positions);
	apsp_components_done(&s->components);
	apsp_root_paths_done(&s->paths);
	apsp_integers_done(&s->integers);
	apsp_lengths_done(&s->lengths);
	graph_fixture_done(&s->f);
}

/* Push the vertex at a position; returns over how many arcs. */
static uint64_t pushed(
	const struct sample *s, uint32_t at, int64_t (*d)[LANES], bool *dirty)
{
	uint32_t u = s->positions.vertices[at];
	uint64_t visits = 0;

	dirty[at] = false;
	for (uint64_t e = s->lengths.offsets[u]; e < s->lengths.offsets[u + 1];
		e++) {
		uint32_t to = s->positions.of[s->lengths.heads[e]];
		int64_t length =
			apsp_integers_at(&s->lengths, &s->integers, u, e);

		if (s->useless[e])
			continue;
		visits++;
		for (int lane = 0; lane < LANES; lane++) {
			if (d[at][lane] + length >= d[to][lane])
				continue;
			d[to][lane] = d[at][lane] + length;
			dirty[to] = true;
		}
	}
	return visits;
}

static uint64_t batch_visits(const struct sample *s, uint32_t first)
{
	uint32_t n = s->lengths.n_vertices;
	int64_t(*d)[LANES] = malloc(n * sizeof(*d));
	bool *dirty = calloc(n, sizeof(*dirty));
	bool met = true, backward = false;
	uint64_t visits = 0;

	for (uint32_t at = 0; at < n; at++)
		for (uint32_t lane = 0; lane < LANES; lane++) {
			d[at][lane] = at == first + lane ? 0 : NONE;
			dirty[at] |= at == first + lane;
		}
	for (; met; backward = !backward) {
		met = false;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t at = backward ? n - 1 - i : i;

			if (!dirty[at])
				continue;
			met = true;
			visits += pushed(s, at, d, dirty);
		}
	}
	free(d);
	free(dirty);
	return visits;
}

static void sample_check(
	const struct sample *s, const struct apsp_root_paths *paths)
{
	uint64_t n = s->lengths.n_vertices, expected = 0;
	APSP_AUTO(apsp_multi_source_probe_done)
	struct apsp_multi_source_probe probe = {0};
	double visits;

	for (uint64_t p = 0; p < PLACES; p++)
		expected += batch_visits(
			s, (uint32_t)(n * (2 * p + 1) / (2 * PLACES)));
	assert_int_equal(apsp_multi_source_probe_init(&s->lengths, &s->integers,
				 &s->positions, paths, &probe, NULL),
		0);
	assert_int_equal(
		apsp_multi_source_probe_count(&probe, &visits, NULL), 0);
	assert_true(visits == (double)expected / PLACES);
}

static void test_counts(void **state)
{
	static const struct {
		uint32_t n, m;
		double most;
	} cases[] = {{1, 0, 1}, {2, 1, 5}, {63, 200, 9}, {64, 400, 1},
		{65, 400, 1e6}, {300, 2000, 9}, {300, 3000, 1e6}};
	uint64_t seed = 1;

	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct sample s;

		sample_make(&s, cases[c].n, cases[c].m, cases[c].most, &seed);
		sample_check(&s, NULL);
		if (apsp_useless_arcs_pay(&s.lengths, &s.integers)) {
			assert_int_equal(
				apsp_useless_arcs_by_root(&s.lengths,
					&s.integers, &s.paths, s.useless, NULL),
				0);
			sample_check(&s, &s.paths);
		}
		sample_done(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
