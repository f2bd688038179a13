/*
 * What lies within so many arcs, against products of boolean matrices: along
 * arcs and against them, whatever the lengths are; searches of several steps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "storage/search/arc_range.h"
#include "tests/random.h"
#include "tests/search_fixture.h"

enum {
	N = 70,
};

static void check_range(const struct search_fixture *f, uint32_t v,
	enum apsp_direction direction, uint32_t max_arcs, const bool *right)
{
	struct apsp_arc_range range = {0};
	uint32_t n = 0;

	assert_int_equal(apsp_arc_range_begin(f->arcs, &v, 1, direction,
				 max_arcs, &range, NULL),
		0);
	while (apsp_arc_range_step(&range) > 0)
		continue;
	for (uint32_t u = 0; u < N; u++) {
		assert_int_equal(range.within[u / 64] >> u % 64 & 1, right[u]);
		n += right[u];
	}
	assert_int_equal(range.n_found, n);
	apsp_arc_range_done(&range);
}

static void against_matrices(void **state)
{
	static bool arc[N][N];
	struct search_fixture f;
	uint64_t seed = 77;

	(void)state;
	search_fixture_init(&f, N);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++)
			if (i != j && random_below(&seed, 30) == 0) {
				arc[i][j] = true;
				graph_fixture_add(&f.graph, i, j,
					1 + random_below(&seed, 99));
			}
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT32));
	for (uint32_t v = 0; v < N; v++)
		for (int in = 0; in < 2; in++) {
			bool now[N] = {false}, next[N];

			now[v] = true;
			for (uint32_t arcs = 0; arcs < 8; arcs++) {
				check_range(&f, v,
					in ? APSP_DIRECTION_IN
					   : APSP_DIRECTION_OUT,
					arcs, now);
				memcpy(next, now, sizeof(now));
				for (uint32_t i = 0; i < N; i++)
					for (uint32_t j = 0; j < N; j++)
						next[j] |= now[i] &&
							   (in ? arc[j][i]
							       : arc[i][j]);
				memcpy(now, next, sizeof(now));
			}
		}
	search_fixture_done(&f);
}

/* More arcs than a step looks at. */
static void several_steps(void **state)
{
	enum { MANY = 400 };
	struct apsp_arc_range range = {0};
	struct search_fixture f;
	int steps = 1;

	(void)state;
	search_fixture_init(&f, MANY);
	for (uint32_t i = 0; i < MANY; i++)
		for (uint32_t j = 0; j < MANY; j++)
			if (i < j || i == j + 1)
				graph_fixture_add(&f.graph, i, j, 1);
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT32));
	assert_int_equal(apsp_arc_range_begin(f.arcs, &(uint32_t){1}, 1,
				 APSP_DIRECTION_OUT, UINT32_MAX, &range, NULL),
		0);
	while (apsp_arc_range_step(&range) > 0)
		steps++;
	assert_true(steps > 1);
	assert_int_equal(range.n_found, MANY);
	assert_int_equal(range.n_looked, f.arcs->n_arcs);
	apsp_arc_range_done(&range);
	search_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_matrices),
		cmocka_unit_test(several_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
