/*
 * Merging, filtering and transforming against a naive pass over all pairs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/graph/lengths.h"
#include "daemon/job/profile_domain.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N = 13,
};

/* What becomes of one ordered pair. */
struct expected {
	unsigned n; /* arcs that take part */
	double weight;
	bool bad;   /* outside the domain after merging */
	bool twice; /* although duplicates are an error */
};

static bool in_domain(enum apsp_transform transform, double w)
{
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return true;
	case APSP_TRANSFORM_HOPS:
		return w != 0;
	case APSP_TRANSFORM_INV:
		return w > 0 && isfinite(1 / w);
	case APSP_TRANSFORM_LOGNORM:
		return w > 0;
	case APSP_TRANSFORM_LOG:
		return w > 0 && w <= 1;
	}
	return false;
}

static struct expected expect(
	const struct apsp_graph *g, uint32_t from, uint32_t to)
{
	const struct apsp_profile *p = &g->profile;
	struct expected e = {0};
	/* long double holds every sum of test_random() exactly */
	long double sum = 0;

	for (uint64_t a = 0; a < g->n_arcs; a++) {
		double w = g->arcs[a].weight;

		if (g->arcs[a].from != from || g->arcs[a].to != to)
			continue;
		if (p->invalid == APSP_INVALID_DROP &&
			!in_domain(p->transform, w))
			continue;
		sum += w;
		if (e.n++ == 0 || p->duplicates == APSP_DUPLICATES_LAST)
			e.weight = w;
		else if (p->duplicates == APSP_DUPLICATES_SUM)
			e.weight = (double)sum;
		else if (p->duplicates == APSP_DUPLICATES_MIN)
			e.weight = w < e.weight ? w : e.weight;
		else if (p->duplicates == APSP_DUPLICATES_MAX)
			e.weight = w > e.weight ? w : e.weight;
	}
	e.twice = e.n > 1 && p->duplicates == APSP_DUPLICATES_ERROR;
	if (e.n != 0 && p->has_min_weight && e.weight < p->min_weight)
		e.n = 0;
	e.bad = e.n != 0 && !in_domain(p->transform, e.weight);
	if (e.bad && p->invalid == APSP_INVALID_DROP)
		e = (struct expected){.twice = e.twice};
	return e;
}

static double expected_length(
	enum apsp_transform transform, double weight, double max)
{
	switch (transform) {
	case APSP_TRANSFORM_NONE:
		return weight;
	case APSP_TRANSFORM_HOPS:
		return 1;
	case APSP_TRANSFORM_INV:
		return 1 / weight;
	case APSP_TRANSFORM_LOG:
		return -log(weight);
	case APSP_TRANSFORM_LOGNORM:
		return -log(weight / max);
	}
	return NAN;
}

static double length_at(const struct apsp_lengths *l, uint64_t place)
{
	return l->lengths ? l->lengths[place] : 1;
}

static void check_rows(
	const struct apsp_graph *g, const struct apsp_lengths *l, double max)
{
	bool negative_loop = false;
	uint64_t place = 0;

	for (uint32_t u = 0; u < N; u++) {
		assert_int_equal(l->offsets[u], place);
		for (uint32_t v = 0; v < N; v++) {
			struct expected e = expect(g, u, v);
			double length;

			if (u == v) {
				assert_int_equal(
					l->self_loop[0] >> v & 1, e.n != 0);
				negative_loop |= e.n != 0 && e.weight < 0 &&
						 g->profile.transform ==
							 APSP_TRANSFORM_NONE;
				continue;
			}
			assert_true(apsp_lengths_find(l, u, v) ==
				    (e.n != 0 ? place : APSP_NO_ARC));
			if (e.n == 0)
				continue;
			assert_true(place < l->n_arcs);
			length = expected_length(
				g->profile.transform, e.weight, max);
			assert_int_equal(l->heads[place], v);
			assert_true(l->weights[place] == e.weight);
			assert_true(length_at(l, place) == length);
			assert_true(
				length != 0 || !signbit(length_at(l, place)));
			place++;
		}
	}
	assert_int_equal(l->offsets[N], place);
	assert_int_equal(l->n_arcs, place);
	assert_int_equal(l->has_negative_loop, negative_loop);
	if (negative_loop)
		assert_true(
			expect(g, l->negative_loop, l->negative_loop).weight <
			0);
}

/* Returns whether the graph could be used. */
static bool check_graph(const struct apsp_graph *g)
{
	struct apsp_lengths lengths;
	struct apsp_err err;
	double max = -INFINITY;
	char from[16];
	char to[16];

	for (uint32_t u = 0; u < N; u++) {
		for (uint32_t v = 0; v < N; v++) {
			struct expected e = expect(g, u, v);

			max = e.n != 0 ? fmax(max, e.weight) : max;
			if (!e.bad && !e.twice)
				continue;
			assert_int_equal(apsp_lengths_build(g, &lengths, &err),
				APSP_EDATA);
			snprintf(from, sizeof(from), "'v%u'", u);
			snprintf(to, sizeof(to), "'v%u'", v);
			assert_non_null(strstr(err.message, from));
			assert_non_null(strstr(err.message, to));
			return false;
		}
	}
	assert_int_equal(apsp_lengths_build(g, &lengths, &err), 0);
	check_rows(g, &lengths, max);
	apsp_lengths_done(&lengths);
	return true;
}

static void test_random(void **state)
{
	static const double weights[] = {
		-2, -0.5, 0, 0.125, 0.25, 0.5, 1, 2, 3, 0.1, 0.7};
	uint64_t seed = 4711;
	unsigned used = 0;
	unsigned refused = 0;

	(void)state;
	for (unsigned round = 0; round < 3000; round++) {
		struct graph_fixture f;
		struct apsp_profile *p = &f.graph.profile;
		uint32_t m = random_below(&seed, 120);
		uint32_t lowest = random_below(&seed, 7);

		graph_fixture_init(&f, N);
		p->transform = round % 5;
		p->duplicates = round / 5 % 5;
		p->invalid = round / 25 % 2;
		p->has_min_weight = random_below(&seed, 3) == 0;
		p->min_weight = 0.5;
		/* sparse enough that some rounds have no duplicate */
		if (p->duplicates == APSP_DUPLICATES_ERROR)
			m /= 15;
		for (uint32_t a = 0; a < m; a++)
			graph_fixture_add(&f, random_below(&seed, N),
				random_below(&seed, N),
				weights[lowest +
					random_below(&seed, 11 - lowest)]);
		if (check_graph(&f.graph))
			used++;
		else
			refused++;
		graph_fixture_done(&f);
	}
	assert_true(used > 500);
	assert_true(refused > 500);
}

/* One arc of weight w, transformed; NaN if it is refused or dropped. */
static double one(enum apsp_transform transform, enum apsp_invalid invalid,
	double weight, struct apsp_err *err)
{
	struct graph_fixture f;
	struct apsp_lengths lengths;
	double length = NAN;

	graph_fixture_init(&f, 2);
	graph_fixture_add(&f, 0, 1, weight);
	f.graph.profile.transform = transform;
	f.graph.profile.invalid = invalid;
	if (apsp_lengths_build(&f.graph, &lengths, err) == 0) {
		if (lengths.n_arcs == 1)
			length = length_at(&lengths, 0);
		apsp_lengths_done(&lengths);
	}
	graph_fixture_done(&f);
	return length;
}

static void test_edges(void **state)
{
	struct apsp_err err = {0};
	double zero;

	(void)state;
	zero = one(APSP_TRANSFORM_LOG, APSP_INVALID_REFUSE, 1, &err);
	assert_true(zero == 0 && !signbit(zero));
	zero = one(APSP_TRANSFORM_LOGNORM, APSP_INVALID_REFUSE, 5, &err);
	assert_true(zero == 0 && !signbit(zero));
	zero = one(APSP_TRANSFORM_NONE, APSP_INVALID_REFUSE, -0.0, &err);
	assert_true(zero == 0 && !signbit(zero));

	/* the inverse of a subnormal is beyond a double */
	assert_true(isnan(
		one(APSP_TRANSFORM_INV, APSP_INVALID_DROP, 1e-310, &err)));
	assert_int_equal(err.code, 0);
	assert_true(isnan(
		one(APSP_TRANSFORM_INV, APSP_INVALID_REFUSE, 1e-310, &err)));
	assert_int_equal(err.code, APSP_EDATA);
	assert_non_null(strstr(err.message, "inverse is finite"));

	assert_true(
		isnan(one(APSP_TRANSFORM_INV, APSP_INVALID_REFUSE, -3, &err)));
	assert_non_null(strstr(err.message, "'v0' to 'v1' has weight -3"));
	assert_non_null(strstr(err.message, "inv needs a weight above 0"));
}

/* Six hundred decades apart, a quotient would be 0 and its log infinite. */
static void test_lognorm_range(void **state)
{
	struct graph_fixture f;
	struct apsp_lengths lengths;

	(void)state;
	graph_fixture_init(&f, 3);
	graph_fixture_add(&f, 0, 1, 1e-300);
	graph_fixture_add(&f, 1, 1, 1e300); /* a self-loop's weight counts */
	graph_fixture_add(&f, 1, 2, 1e299);
	f.graph.profile.transform = APSP_TRANSFORM_LOGNORM;
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, NULL), 0);
	assert_int_equal(lengths.n_arcs, 2);
	assert_true(fabs(lengths.lengths[0] - 600 * log(10)) < 1e-9);
	assert_true(fabs(lengths.lengths[1] - log(10)) < 1e-9);
	apsp_lengths_done(&lengths);
	graph_fixture_done(&f);
}

/* Each row is sorted and has its lengths, though threads share them out. */
static void test_many_arcs(void **state)
{
	enum {
		MANY = 20000, /* rows of two arcs; more than a thread takes */
	};
	struct apsp_lengths lengths;
	struct graph_fixture f;

	(void)state;
	graph_fixture_init(&f, MANY + 2);
	f.graph.profile.transform = APSP_TRANSFORM_INV;
	for (uint32_t v = 0; v < MANY; v++) {
		graph_fixture_add(&f, v, v + 2, 4 + v);
		graph_fixture_add(&f, v, v + 1, 3 + v);
	}
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, NULL), 0);
	assert_int_equal(lengths.n_arcs, 2 * MANY);
	for (uint32_t a = 0; a < 2 * MANY; a++) {
		uint32_t v = a / 2, later = a % 2;

		assert_int_equal(lengths.heads[a], v + 1 + later);
		assert_true(lengths.lengths[a] == 1.0 / (3 + v + later));
	}
	apsp_lengths_done(&lengths);
	graph_fixture_done(&f);
}

/*
 * Long rows, of heads of one digit and of three, from a mapped file: the last
 * of equal arcs counts, and the file is as it was.
 */
static void test_long_rows(void **state)
{
	enum {
		ARCS = 200000, /* several windows of the file */
		TAILS = 5,
	};
	static const uint32_t sizes[] = {200, 70000};
	char dir[] = "/tmp/apsp-lengths-XXXXXX", path[64];
	uint64_t seed = 1;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/graph", dir);
	for (size_t s = 0; s < 2; s++) {
		double *last = calloc(TAILS * sizes[s], sizeof(*last));
		struct apsp_lengths lengths;
		struct apsp_graph graph;
		struct graph_fixture f;
		uint64_t n = 0;

		graph_fixture_init(&f, sizes[s]);
		for (uint32_t a = 0; a < ARCS; a++) {
			uint32_t from = random_below(&seed, TAILS);
			uint32_t to =
				TAILS + random_below(&seed, sizes[s] - TAILS);

			graph_fixture_add(&f, from, to, a + 1);
			last[from * sizes[s] + to] = a + 1;
		}
		f.graph.profile.duplicates = APSP_DUPLICATES_LAST;
		assert_int_equal(apsp_graph_write(path, &f.graph, NULL), 0);
		assert_int_equal(apsp_graph_open(path, &graph, NULL), 0);
		assert_int_equal(apsp_lengths_build(&graph, &lengths, NULL), 0);
		for (uint32_t u = 0; u < TAILS; u++)
			for (uint32_t v = 0; v < sizes[s]; v++) {
				if (last[u * sizes[s] + v] == 0)
					continue;
				assert_int_equal(lengths.heads[n], v);
				assert_true(lengths.weights[n++] ==
					    last[u * sizes[s] + v]);
			}
		assert_int_equal(lengths.n_arcs, n);
		assert_memory_equal(
			graph.arcs, f.graph.arcs, ARCS * sizeof(*graph.arcs));
		apsp_lengths_done(&lengths);
		apsp_graph_done(&graph);
		graph_fixture_done(&f);
		free(last);
	}
	unlink(path);
	rmdir(dir);
}

/* Merged, filtered and without self-loops, as a dense matrix has them, though
   threads share arcs and rows out. */
static void test_many_rows(void **state)
{
	enum {
		SIDE = 600,
		ARCS = 40000,
		LEAST = 5,
	};
	double(*sums)[SIDE] = calloc(SIDE, sizeof(*sums));
	struct apsp_lengths lengths;
	struct graph_fixture f;
	uint64_t seed = 1, n = 0;

	(void)state;
	assert_non_null(sums);
	graph_fixture_init(&f, SIDE);
	for (uint32_t a = 0; a < ARCS; a++) {
		uint32_t from = random_below(&seed, SIDE);
		uint32_t to = random_below(&seed, SIDE / 8) + from / 2;
		double weight = 1 + random_below(&seed, 9);

		graph_fixture_add(&f, from, to, weight);
		sums[from][to] += weight;
	}
	f.graph.profile.duplicates = APSP_DUPLICATES_SUM;
	f.graph.profile.has_min_weight = true;
	f.graph.profile.min_weight = LEAST;
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, NULL), 0);
	for (uint32_t u = 0; u < SIDE; u++) {
		bool looped = lengths.self_loop[u / 64] >> (u % 64) & 1;

		assert_int_equal(lengths.offsets[u], n);
		assert_int_equal(looped, sums[u][u] >= LEAST);
		for (uint32_t v = 0; v < SIDE; v++) {
			if (v == u || sums[u][v] < LEAST)
				continue;
			assert_int_equal(lengths.heads[n], v);
			assert_true(lengths.weights[n++] == sums[u][v]);
		}
	}
	assert_int_equal(lengths.offsets[SIDE], n);
	assert_int_equal(lengths.n_arcs, n);
	apsp_lengths_done(&lengths);
	graph_fixture_done(&f);
	free(sums);
}

/* Of several, whichever thread meets them first. */
static void test_first_told(void **state)
{
	enum {
		SIDE = 1000,
	};
	struct apsp_lengths lengths;
	struct graph_fixture f;
	struct apsp_err err;

	(void)state;
	graph_fixture_init(&f, SIDE);
	for (uint32_t v = SIDE - 1; v >= 300; v -= 100)
		graph_fixture_add(&f, v, v, -1);
	assert_int_equal(apsp_lengths_build(&f.graph, &lengths, NULL), 0);
	assert_true(lengths.has_negative_loop);
	assert_int_equal(lengths.negative_loop, 399);
	apsp_lengths_done(&lengths);
	f.graph.profile.transform = APSP_TRANSFORM_INV;
	assert_int_equal(
		apsp_lengths_build(&f.graph, &lengths, &err), APSP_EDATA);
	assert_non_null(strstr(err.message, "'v399' to 'v399'"));
	graph_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_lognorm_range),
		cmocka_unit_test(test_many_arcs),
		cmocka_unit_test(test_long_rows),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_first_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
