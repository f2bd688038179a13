/*
 * All arcs that a path of two arcs beats are found, and no others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/graph/useless_arcs.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N_MAX = 150, /* more than a thread takes at a time */
};

/* An arc's length, or 0 where there is none. */
static int64_t between(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t u, uint32_t v)
{
	uint64_t e = apsp_lengths_find(lengths, u, v);

	return e == APSP_NO_ARC ? 0 : apsp_integers_at(lengths, integers, u, e);
}

static void case_run(uint32_t n, uint32_t m, uint64_t *seed)
{
	struct graph_fixture g;
	struct apsp_lengths lengths = {0};
	struct apsp_integers integers = {0};
	struct apsp_negative_cycle cycle = {0};
	uint8_t longer[N_MAX * N_MAX];
	uint64_t paths = 0;
	struct apsp_err err;

	graph_fixture_init(&g, n);
	for (uint32_t e = 0; e < m; e++)
		graph_fixture_add(&g, random_below(seed, n),
			random_below(seed, n), 1 + random_below(seed, 9));
	assert_int_equal(apsp_lengths_build(&g.graph, &lengths, &err), 0);
	assert_int_equal(apsp_integers_build(&g.graph, &lengths, 0, &integers,
				 &cycle, &err),
		0);
	assert_int_equal(
		apsp_useless_arcs_find(&lengths, &integers, longer, &err), 0);
	for (uint32_t u = 0; u < n; u++)
		for (uint64_t e = lengths.offsets[u];
			e < lengths.offsets[u + 1]; e++) {
			uint32_t v = lengths.heads[e];
			bool expected = false;

			for (uint32_t k = 0; k < n; k++) {
				int64_t a = between(&lengths, &integers, u, k);
				int64_t b = between(&lengths, &integers, k, v);

				expected |= a > 0 && b > 0 &&
					    a + b < apsp_integers_at(&lengths,
							    &integers, u, e);
			}
			assert_int_equal(longer[e], expected);
			paths += lengths.offsets[v + 1] - lengths.offsets[v];
		}
	assert_int_equal(apsp_useless_arcs_paths(&lengths), paths);
	apsp_integers_done(&integers);
	apsp_lengths_done(&lengths);
	graph_fixture_done(&g);
}

static void test_random(void **state)
{
	uint64_t seed = 5;

	(void)state;
	case_run(1, 0, &seed);
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t n = 2 + random_below(&seed, N_MAX - 1);

		case_run(n, random_below(&seed, 8 * n), &seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
