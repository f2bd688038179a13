/*
 * Rules with normalise, min_share and lognorm against a naive pass over all
 * pairs: totals and the largest share come before anything is dropped.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/graph/lengths.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N = 11,
};

/* The merged weights of all pairs. A long double holds the sums of the tests
   exactly. */
struct merged {
	bool is_arc[N][N];
	double weight[N][N];
	long double sum[N][N];
	double input[N], output[N];
};

static bool accepted(const struct apsp_profile *p, double weight)
{
	return p->transform == APSP_TRANSFORM_NONE ? weight >= 0 : weight > 0;
}

static void merge_all(const struct apsp_graph *g, struct merged *out)
{
	const struct apsp_profile *p = &g->profile;

	memset(out, 0, sizeof(*out));
	for (uint64_t a = 0; a < g->n_arcs; a++) {
		uint32_t u = g->arcs[a].from, v = g->arcs[a].to;
		double w = g->arcs[a].weight, *held = &out->weight[u][v];

		if (p->invalid == APSP_INVALID_DROP && !accepted(p, w))
			continue;
		out->sum[u][v] += w;
		if (!out->is_arc[u][v])
			*held = w;
		else if (p->duplicates == APSP_DUPLICATES_SUM)
			*held = (double)out->sum[u][v];
		else if (p->duplicates == APSP_DUPLICATES_MIN)
			*held = fmin(*held, w);
		else
			*held = fmax(*held, w);
		out->is_arc[u][v] = true;
	}
	for (uint32_t v = 0; v < N; v++) {
		long double in = 0, from = 0;

		for (uint32_t u = 0; u < N; u++) {
			in += out->weight[u][v];
			from += out->weight[v][u];
		}
		out->input[v] = (double)in;
		out->output[v] = (double)from;
	}
}

static double share_of(const struct apsp_graph *g, const struct merged *merged,
	uint32_t u, uint32_t v)
{
	double total = g->profile.normalise == APSP_NORMALISE_INPUT
			       ? merged->input[v]
			       : merged->output[u];

	return merged->weight[u][v] / total;
}

static double length_of(enum apsp_transform transform, double share, double max)
{
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return share;
	case APSP_TRANSFORM_HOPS:
		return 1;
	case APSP_TRANSFORM_INV:
		return 1 / share;
	case APSP_TRANSFORM_LOG:
		return -log(share);
	case APSP_TRANSFORM_LOGNORM:
		return -log(share / max);
	}
	return NAN;
}

/* Whether the rule drops the arc before the transform. */
static bool is_dropped(
	const struct apsp_profile *p, double weight, double share)
{
	return (p->has_min_weight && weight < p->min_weight) ||
	       (p->has_min_share && share < p->min_share);
}

enum verdict {
	USED,
	NEGATIVE,
	NO_SHARE,
};

/* Compare all rows; counts the arcs with a length that weights alone would not
   give. */
static void check_rows(const struct apsp_graph *g, const struct merged *merged,
	const struct apsp_lengths *l, double max)
{
	uint64_t place = 0;

	for (uint32_t u = 0; u < N; u++) {
		for (uint32_t v = 0; v < N; v++) {
			double weight = merged->weight[u][v];
			double share = share_of(g, merged, u, v), length;
			bool kept =
				merged->is_arc[u][v] &&
				!is_dropped(&g->profile, weight, share) &&
				(share > 0 ||
					(share == 0 &&
						g->profile.transform ==
							APSP_TRANSFORM_NONE));

			if (u == v) {
				assert_int_equal(
					l->self_loop[0] >> v & 1, kept);
				continue;
			}
			assert_true(apsp_lengths_find(l, u, v) ==
				    (kept ? place : APSP_NO_ARC));
			if (!kept)
				continue;
			length = length_of(g->profile.transform, share, max);
			assert_true(l->weights[place] == weight);
			assert_true(
				(l->lengths ? l->lengths[place] : 1) == length);
			place++;
		}
	}
	assert_int_equal(l->n_arcs, place);
}

static enum verdict check_graph(const struct apsp_graph *g)
{
	struct apsp_lengths lengths;
	struct merged merged;
	struct apsp_err err;
	double max = -INFINITY;
	bool no_share = false;

	merge_all(g, &merged);
	for (uint32_t u = 0; u < N; u++)
		for (uint32_t v = 0; v < N; v++) {
			double weight = merged.weight[u][v];
			double share = share_of(g, &merged, u, v);

			if (weight < 0) {
				assert_int_equal(
					apsp_lengths_build(g, &lengths, &err),
					APSP_EDATA);
				assert_non_null(strstr(err.message,
					"normalise needs weights of 0 or "
					"more"));
				return NEGATIVE;
			}
			if (!merged.is_arc[u][v])
				continue;
			if (share > 0)
				max = fmax(max, share);
			no_share |=
				!is_dropped(&g->profile, weight, share) &&
				!(share > 0) &&
				!(share == 0 && g->profile.transform ==
							APSP_TRANSFORM_NONE);
		}
	if (no_share && g->profile.invalid == APSP_INVALID_REFUSE) {
		assert_int_equal(
			apsp_lengths_build(g, &lengths, &err), APSP_EDATA);
		assert_non_null(strstr(err.message, ", a share "));
		return NO_SHARE;
	}
	assert_int_equal(apsp_lengths_build(g, &lengths, &err), 0);
	check_rows(g, &merged, &lengths, max);
	apsp_lengths_done(&lengths);
	return USED;
}

static void test_random(void **state)
{
	static const double weights[] = {-1, 0, 0, 0.1, 0.7, 0.3, 1, 2, 5, 40};
	unsigned counts[3] = {0};
	uint64_t seed = 4711;

	(void)state;
	for (unsigned round = 0; round < 6000; round++) {
		struct graph_fixture f;
		struct apsp_profile *p = &f.graph.profile;
		uint32_t m = random_below(&seed, 90);
		uint32_t lowest =
			random_below(&seed, 8) ? 3 : random_below(&seed, 3);

		graph_fixture_init(&f, N);
		p->transform = round % 5;
		p->duplicates = round / 5 % 3;
		p->invalid = round / 15 % 2;
		p->normalise = round / 30 % 2 ? APSP_NORMALISE_INPUT
					      : APSP_NORMALISE_OUTPUT;
		p->has_min_weight = random_below(&seed, 2) == 0;
		p->min_weight = 1;
		p->has_min_share = random_below(&seed, 2) == 0;
		p->min_share = 0.0625;
		for (uint32_t a = 0; a < m; a++)
			graph_fixture_add(&f, random_below(&seed, N),
				random_below(&seed, N),
				weights[lowest +
					random_below(&seed, 10 - lowest)]);
		counts[check_graph(&f.graph)]++;
		graph_fixture_done(&f);
	}
	assert_true(counts[USED] > 4000);
	assert_true(counts[NEGATIVE] > 100);
	assert_true(counts[NO_SHARE] > 20);
}

/* A total is the exact sum, whatever the order of the upload. */
static void test_order(void **state)
{
	enum { M = 300 };
	double weights[M], first = NAN;
	uint64_t seed = 77;

	(void)state;
	for (size_t i = 0; i < M; i++)
		weights[i] = ldexp(
			random_unit(&seed), (int)random_below(&seed, 40) - 20);
	for (unsigned round = 0; round < 20; round++) {
		struct graph_fixture f;
		struct apsp_lengths lengths;
		uint64_t place;

		graph_fixture_init(&f, M + 1);
		f.graph.profile.normalise = round % 2 ? APSP_NORMALISE_INPUT
						      : APSP_NORMALISE_OUTPUT;
		for (uint32_t i = 0; i < M; i++) {
			uint32_t at = (i * 7 + round * 31) % M;

			if (round % 2)
				graph_fixture_add(&f, at, M, weights[at]);
			else
				graph_fixture_add(&f, M, at, weights[at]);
		}
		assert_int_equal(
			apsp_lengths_build(&f.graph, &lengths, NULL), 0);
		place = round % 2 ? apsp_lengths_find(&lengths, 5, M)
				  : apsp_lengths_find(&lengths, M, 5);
		assert_true(lengths.weights[place] == weights[5]);
		if (round == 0)
			first = lengths.lengths[place];
		assert_true(lengths.lengths[place] == first);
		apsp_lengths_done(&lengths);
		graph_fixture_done(&f);
	}
}

/* Totals that no double holds. */
static void test_overflow(void **state)
{
	struct graph_fixture f;
	struct apsp_lengths lengths;
	struct apsp_err err;

	(void)state;
	graph_fixture_init(&f, 3);
	graph_fixture_add(&f, 0, 2, 1.5e308);
	graph_fixture_add(&f, 1, 2, 1.5e308);
	f.graph.profile.normalise = APSP_NORMALISE_OUTPUT;
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, &err), 0);
	apsp_lengths_done(&lengths);
	f.graph.profile.normalise = APSP_NORMALISE_INPUT;
	assert_int_equal(
		apsp_lengths_build(&f.graph, &lengths, &err), APSP_EDATA);
	assert_non_null(strstr(err.message, "the arcs to 'v2' sum to more"));
	/* the merged weight of two arcs is infinite */
	graph_fixture_add(&f, 0, 1, 1.5e308);
	graph_fixture_add(&f, 0, 1, 1.5e308);
	f.graph.profile.duplicates = APSP_DUPLICATES_SUM;
	f.graph.profile.normalise = APSP_NORMALISE_OUTPUT;
	assert_int_equal(
		apsp_lengths_build(&f.graph, &lengths, &err), APSP_EDATA);
	assert_non_null(strstr(err.message, "the arcs from 'v0' sum to more"));
	graph_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
