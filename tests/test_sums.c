/*
 * Path sums against walking every path; rows that are no tree are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/sums.h"
#include "tests/graph_fixture.h"
#include "tests/tree_fixture.h"

#define NONE UINT32_MAX

enum {
	MOST = 90, /* vertices */
};

/* In path order: the recursion adds the first arc first. */
static double walk(const struct apsp_lengths *lengths, uint32_t source,
	const uint32_t *predecessors, uint32_t v)
{
	uint32_t u = predecessors[v];

	if (v == source)
		return 0;
	if (u == NONE)
		return INFINITY;
	for (uint64_t a = lengths->offsets[u]; a < lengths->offsets[u + 1]; a++)
		if (lengths->heads[a] == v)
			return walk(lengths, source, predecessors, u) +
			       lengths->lengths[a];
	fail_msg("no arc from %u to %u", u, v);
	return NAN;
}

static void test_random(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t n = 1 + random_below(&seed, MOST);
		struct apsp_lengths lengths;
		struct apsp_sums *sums;
		uint32_t predecessors[MOST];
		double out[MOST];

		tree_lengths_make(
			&lengths, n, random_below(&seed, 8 * n), &seed);
		assert_int_equal(apsp_sums_new(&lengths, &sums, NULL), 0);
		/* the same scratch for all, so that its cache is met full */
		for (uint32_t i = 0; i < n; i++) {
			tree_grow(&lengths, i, predecessors, &seed);
			assert_true(apsp_sums_row(sums, i, predecessors, out));
			for (uint32_t v = 0; v < n; v++)
				assert_true(out[v] ==
					    walk(&lengths, i, predecessors, v));
		}
		apsp_sums_free(sums);
		apsp_lengths_done(&lengths);
	}
	apsp_sums_free(NULL);
}

static void test_no_tree(void **state)
{
	static const struct {
		uint32_t source;
		uint32_t predecessors[5];
		bool good;
	} rows[] = {
		{0, {NONE, 0, 1, 2, NONE}, true},
		{0, {NONE, NONE, NONE, NONE, NONE}, true},
		{0, {NONE, 0, 1, 1, NONE}, false}, /* no arc 1 → 3 */
		{0, {NONE, 3, 1, 2, NONE}, false}, /* a circle */
		{0, {3, 0, 1, 2, NONE}, false},	   /* to the source itself */
		{0, {NONE, NONE, 1, NONE, NONE}, false}, /* from nowhere */
		{0, {NONE, 0, 1, 9, NONE}, false},	 /* no such vertex */
		{1, {3, NONE, 1, 2, NONE}, true},
	};
	struct graph_fixture f;
	struct apsp_lengths lengths;
	struct apsp_sums *sums;
	double out[5];

	(void)state;
	graph_fixture_init(&f, 5);
	graph_fixture_add(&f, 0, 1, 0.5);
	graph_fixture_add(&f, 1, 2, 0.25);
	graph_fixture_add(&f, 2, 3, 1);
	graph_fixture_add(&f, 3, 1, 1);
	graph_fixture_add(&f, 3, 0, 1);
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, NULL), 0);
	assert_int_equal(apsp_sums_new(&lengths, &sums, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(apsp_sums_row(sums, rows[i].source,
					 rows[i].predecessors, out),
			rows[i].good);
	apsp_sums_free(sums);
	apsp_lengths_done(&lengths);
	graph_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_no_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
