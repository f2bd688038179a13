/*
 * Ranks of weights against qsort(), over all magnitudes and with many equal
 * ones; and the lengths of rules with path=widest.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/graph/lengths.h"
#include "compute/graph/weight_ranks.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	MOST = 50000,
};

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static double draw(int kind, uint64_t *state)
{
	uint64_t bits;
	double value;

	switch (kind) {
	case 0:
		return 1 + random_below(state, 7);
	case 1:
		return 1 + random_below(state, 100000);
	case 2:
		return random_unit(state) + 1e-9;
	default:
		break;
	}
	/* any finite double above 0, also below the normal range */
	do {
		bits = random_u64(state) >> 1;
		memcpy(&value, &bits, sizeof(value));
	} while (!(isfinite(value) && value > 0));
	return value;
}

static void check(const double *values, uint64_t n)
{
	struct apsp_weight_ranks ranks;
	double *sorted = malloc((n + 1) * sizeof(*sorted));
	uint64_t k = 0;

	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), descending);
	for (uint64_t i = 0; i < n; i++)
		if (i == 0 || sorted[i] != sorted[i - 1])
			sorted[k++] = sorted[i];
	assert_int_equal(apsp_weight_ranks_make(values, n, &ranks, NULL), 0);
	assert_int_equal(ranks.n_ranks, k);
	if (k > 0)
		assert_memory_equal(ranks.ladder, sorted, k * sizeof(*sorted));
	for (uint64_t i = 0; i < n; i++)
		assert_true(ranks.ladder[(uint64_t)ranks.ranks[i] - 1] ==
			    values[i]);
	free(ranks.ranks);
	free(ranks.ladder);
	free(sorted);
}

static void test_ranks(void **state)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 1000, MOST};
	double *values = malloc(MOST * sizeof(*values));
	uint64_t seed = 9;

	(void)state;
	for (int kind = 0; kind < 4; kind++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
			for (uint64_t i = 0; i < sizes[s]; i++)
				values[i] = draw(kind, &seed);
			check(values, sizes[s]);
		}
	free(values);
}

/* Wrong ranks and wrong values of ranks are refused. */
static void test_proof(void **state)
{
	static const double values[] = {3, 5, 3, 8, 1};
	static const double wrong[] = {
		2, 4, 0, 5, -1, 2.5, 3.0000001, 1e300, (double)NAN};
	struct apsp_weight_ranks ranks;
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_weight_ranks_make(values, 5, &ranks, NULL), 0);
	assert_int_equal(apsp_weight_ranks_check(values, 5, &ranks, &err), 0);
	for (size_t w = 0; w < sizeof(wrong) / sizeof(*wrong); w++) {
		ranks.ranks[2] = wrong[w];
		assert_int_equal(
			apsp_weight_ranks_check(values, 5, &ranks, &err),
			APSP_EPROOF);
	}
	/* two values of one rank: 8, 5, 3, 3 */
	ranks.ranks[2] = 3;
	ranks.ladder[3] = 3;
	assert_int_equal(
		apsp_weight_ranks_check(values, 4, &ranks, &err), APSP_EPROOF);
	free(ranks.ranks);
	free(ranks.ladder);
}

/* The rule adds up duplicates, and ranks the arcs that stay. */
static void test_lengths(void **state)
{
	struct graph_fixture f;
	struct apsp_lengths l;

	(void)state;
	graph_fixture_init(&f, 3);
	f.graph.profile.path = APSP_PATH_WIDEST;
	graph_fixture_add(&f, 0, 1, 2);
	graph_fixture_add(&f, 0, 1, 3);
	graph_fixture_add(&f, 0, 2, 4);
	graph_fixture_add(&f, 1, 1, 100);
	graph_fixture_add(&f, 1, 2, 5);
	graph_fixture_add(&f, 2, 0, 0.5);
	assert_int_equal(apsp_lengths_build(&f.graph, &l, NULL), 0);
	assert_int_equal(l.n_arcs, 4);
	assert_int_equal(l.n_ranks, 3);
	assert_true(l.ladder[0] == 5 && l.ladder[1] == 4 && l.ladder[2] == 0.5);
	assert_true(l.lengths[0] == 1 && l.lengths[1] == 2);
	assert_true(l.lengths[2] == 1 && l.lengths[3] == 3);
	assert_true(l.weights[0] == 5 && l.weights[3] == 0.5);
	apsp_lengths_done(&l);

	/* shares of the output take the place of weights */
	f.graph.profile.normalise = APSP_NORMALISE_OUTPUT;
	assert_int_equal(apsp_lengths_build(&f.graph, &l, NULL), 0);
	assert_int_equal(l.n_ranks, 4);
	assert_true(l.ladder[0] == 1 && l.ladder[1] == 5 / 9.0);
	assert_true(l.ladder[2] == 4 / 9.0 && l.ladder[3] == 5 / 105.0);
	assert_true(l.lengths[0] == 2 && l.lengths[1] == 3);
	assert_true(l.lengths[2] == 4 && l.lengths[3] == 1);
	assert_true(l.weights[2] == 5);
	apsp_lengths_done(&l);
	graph_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_proof),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
