/*
 * Betweenness against its definition. The oracle has whole lengths alone; what
 * is tested gets the same graph with lengths that are rounded, and tables that
 * are as far above the shortest as they may be.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "compute/measures/betweenness.h"
#include "compute/measures/path_shares.h"
#include "tests/betweenness_oracle.h"
#include "tests/random.h"
#include "tests/table_cell.h"

enum {
	MOST = 120,	 /* vertices of random graphs */
	DIAMONDS = 1100, /* 2^1100 paths */
};

/* Calls of the ones come to the others (tests/meson.build). */
int __wrap_apsp_path_shares_of(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, double *out, struct apsp_err *err);
int __real_apsp_path_shares_of(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, double *out, struct apsp_err *err);
void __wrap_apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);
void __real_apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx);

static bool moves_shares; /* each vertex' to the one before it */
static int loops_left;	  /* until one is not done; 0: all are */
/* asked to stop after the shares of the first source; NULL: none is */
static struct apsp_stop *stopped;

int __wrap_apsp_path_shares_of(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, double *out, struct apsp_err *err)
{
	int r = __real_apsp_path_shares_of(shares, source, stop, out, err);
	uint32_t n = shares->arcs->n_vertices;
	double first = out[0];

	if (stopped)
		apsp_stop_ask(stopped, APSP_STOP_CANCEL);
	if (!moves_shares)
		return r;
	memmove(out, out + 1, (n - 1) * sizeof(*out));
	out[n - 1] = first;
	return r;
}

void __wrap_apsp_parallel_for(size_t n, unsigned int width,
	void (*body)(void *ctx, unsigned int thread, size_t i), void *ctx)
{
	if (loops_left == 0 || --loops_left > 0)
		__real_apsp_parallel_for(n, width, body, ctx);
}

/* The table's rows. */
struct table {
	const struct graph *g;
	struct apsp_distance_rows rows;
	double unit;	/* real length of 1 */
	bool stretched; /* real distances are above the shortest */
	long wrong;	/* cell that is told wrong, or -1 */
};

static double cell(const struct table *t, size_t c)
{
	uint64_t state = c + 1;
	long d = t->g->distance[c];
	double real = (double)d * t->unit;

	if (d >= BETWEEN_NONE)
		return INFINITY;
	if ((long)c == t->wrong)
		d--, real -= t->unit;
	if (t->rows.kind == APSP_DISTANCE_SUM)
		return t->stretched ? real * (1 + 7e-6 * random_unit(&state))
				    : real;
	/* the number of arcs is any below the scale */
	return t->rows.kind == APSP_DISTANCE_HOPS
		       ? (double)d
		       : (double)d * (double)t->rows.scale +
				 random_below(&state, (uint32_t)t->rows.scale);
}

static int rows_read(void *ctx, uint32_t first, uint32_t n_rows, void *out,
	struct apsp_err *err)
{
	const struct table *t = ctx;
	size_t n = t->g->n;

	(void)err;
	for (size_t i = 0; i < n_rows * n; i++)
		table_cell_put(out, t->rows.element, i, cell(t, first * n + i));
	return 0;
}

static struct table table_of(struct graph *g, enum apsp_distance_kind kind,
	enum apsp_element element, double unit)
{
	bool hops = kind == APSP_DISTANCE_HOPS;

	for (uint64_t a = 0; a < g->lengths.n_arcs; a++)
		g->lengths.lengths[a] = (double)g->whole[a] * unit;
	return (struct table){.g = g,
		.rows = {.n_vertices = g->n,
			.kind = kind,
			.element = element,
			.scale = hops ? 1 : 49, /* 49 · (1 / 49) < 1 */
			.read = rows_read},
		.unit = unit,
		.stretched = true,
		.wrong = -1};
}

static int run(
	struct table *t, unsigned int width, double *out, struct apsp_err *err)
{
	struct apsp_lengths lengths = t->g->lengths;
	struct apsp_progress progress;

	t->rows.ctx = t;
	if (t->rows.kind == APSP_DISTANCE_HOPS)
		lengths.lengths = NULL;
	apsp_progress_init(&progress, NULL, NULL);
	return apsp_betweenness_run(
		&lengths, &t->rows, width, &progress, out, err);
}

static void expect(struct table *t)
{
	double *out = calloc(t->g->n, sizeof(*out));
	struct apsp_err err;

	if (run(t, 1, out, &err) < 0)
		fail_msg("%s", err.message);
	for (uint32_t v = 0; v < t->g->n; v++) {
		double expected = (double)t->g->expected[v];

		if (fabs(out[v] - expected) > 1e-11 * (1 + expected))
			fail_msg("vertex %u of %u: %.17g instead of %.17g", v,
				t->g->n, out[v], expected);
	}
	free(out);
}

/*
 * A random graph with many ties and pairs without a path. zeros: some arcs have
 * length 0, upward ones alone, so that none is on a cycle of length 0.
 */
static struct graph random_graph(uint64_t *state, uint32_t longest, bool zeros)
{
	uint32_t n = 2 + random_below(state, MOST - 2);
	uint32_t sparse = 2 + random_below(state, 30);
	struct graph g = graph_new(n, (uint64_t)n * n);

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++) {
			long length = 1 + random_below(state, longest);

			/* the last vertices have no arcs in */
			if (u == v || v > n - n / 8 - 1 ||
				random_below(state, sparse) > 0)
				continue;
			if (zeros && (u * 7 % n) < (v * 7 % n) && n % 7 != 0 &&
				random_below(state, 3) == 0)
				length = 0;
			arc_add(&g, u, v, length);
		}
	distances_find(&g);
	expected_find(&g);
	return g;
}

static void test_whole(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 30; i++) {
		struct graph g = random_graph(&seed, 1, false);
		struct table t = table_of(&g, APSP_DISTANCE_HOPS,
			i % 2 ? APSP_ELEMENT_U16 : APSP_ELEMENT_I32, 1);

		expect(&t);
		graph_free(&g);
	}
	for (int i = 0; i < 60; i++) {
		/* also elements of V above 2^24, which no float holds */
		uint32_t longest = i % 4 == 3 ? 1 << 18 : 1 + i % 20;
		struct graph g = random_graph(&seed, longest, i % 2);
		struct table t = table_of(&g, APSP_DISTANCE_SCALED,
			i % 3 ? APSP_ELEMENT_I32 : APSP_ELEMENT_F64, 1);

		expect(&t);
		graph_free(&g);
	}
}

/* Sevenths are rounded: equally long paths have different sums. */
static void test_real(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int i = 0; i < 80; i++) {
		struct graph g = random_graph(&seed, 1 + i % 20, i % 2);
		struct table t = table_of(&g, APSP_DISTANCE_SUM,
			i % 3 ? APSP_ELEMENT_F32 : APSP_ELEMENT_F64, 1.0 / 7);

		t.stretched = i % 5;
		expect(&t);
		graph_free(&g);
	}
}

/* Distances that a float cannot tell apart, in the wrong order. */
static void test_real_order(void **state)
{
	enum { FAR = 1 << 28, N = 60 };
	struct graph g = graph_new(N, 2 * N);
	struct table t;

	(void)state;
	/* 0 → N − 1 is long, and from there the chain leads down */
	arc_add(&g, 0, N - 1, FAR);
	for (uint32_t v = 2; v < N; v++) {
		arc_add(&g, v, v - 1, 1);
		if (v > 3)
			arc_add(&g, v, v - 2, 2);
	}
	distances_find(&g);
	expected_find(&g);
	t = table_of(&g, APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1.0 / 7);
	t.stretched = false;
	expect(&t);
	graph_free(&g);
}

/* More paths than a double holds. */
static void test_many_paths(void **state)
{
	uint32_t n = 3 * DIAMONDS + 1;
	struct graph g = graph_new(n, 4 * DIAMONDS);
	double *out = calloc(n, sizeof(*out));
	struct table t;

	(void)state;
	for (uint32_t i = 0; i < DIAMONDS; i++) {
		arc_add(&g, 3 * i, 3 * i + 1, 1);
		arc_add(&g, 3 * i, 3 * i + 2, 1);
		arc_add(&g, 3 * i + 1, 3 * i + 3, 1);
		arc_add(&g, 3 * i + 2, 3 * i + 3, 1);
	}
	for (size_t s = 0; s < n; s++)
		for (size_t v = 0; v < n; v++) {
			size_t from = (s + 2) / 3, to = v / 3;
			long beside = s % 3 > 0, into = v % 3 > 0;

			g.distance[s * n + v] =
				s == v ? 0
				: from > to
					? BETWEEN_NONE
					: beside + into + 2 * (long)(to - from);
		}
	t = table_of(&g, APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1);
	assert_int_equal(run(&t, 1, out, NULL), 0);
	for (uint32_t i = 0; i < DIAMONDS; i++) {
		/* before and behind the pair of vertices beside each other */
		double before = 3 * i + 1, behind = n - 3 - 3 * i;

		assert_true(fabs(out[3 * i + 1] - before * behind / 2) <=
			    1e-9 * before * behind);
		assert_true(out[3 * i + 1] == out[3 * i + 2]);
		before--;
		behind += 2;
		assert_true(fabs(out[3 * i] - before * behind) <=
			    1e-9 * before * behind);
	}
	free(out);
	graph_free(&g);
}

static void test_undefined(void **state)
{
	struct graph g = graph_new(3, 4);
	struct table t;
	double out[3] = {0};

	(void)state;
	arc_add(&g, 0, 1, 0);
	arc_add(&g, 1, 0, 0); /* a cycle of length 0 */
	arc_add(&g, 1, 2, 5);
	distances_find(&g);
	t = table_of(&g, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1);
	assert_int_equal(run(&t, 1, out, NULL), 0);
	for (int v = 0; v < 3; v++)
		assert_true(isnan(out[v]));
	/* the same without the cycle */
	g.whole[1] = 1;
	t = table_of(&g, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1);
	distances_find(&g);
	assert_int_equal(run(&t, 1, out, NULL), 0);
	assert_true(out[0] == 0 && out[1] == 1 && out[2] == 0);
	g.whole[2] = -1;
	distances_find(&g);
	t = table_of(&g, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1);
	assert_int_equal(run(&t, 1, out, NULL), 0);
	for (int v = 0; v < 3; v++)
		assert_true(isnan(out[v]));
	graph_free(&g);
}

/* A distance that is less than any path's fails the job. */
static void test_wrong_rows(void **state)
{
	uint64_t seed = 3;
	struct graph g = random_graph(&seed, 5, false);
	double *out = calloc(g.n, sizeof(*out));
	struct apsp_err err;
	struct table t;

	(void)state;
	t = table_of(&g, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1);
	for (long c = 0; t.wrong < 0; c++)
		if (g.distance[c] > 1 && g.distance[c] < BETWEEN_NONE)
			t.wrong = c;
	assert_int_equal(run(&t, 1, out, &err), APSP_EPROOF);
	assert_non_null(strstr(err.message, "that no path has"));
	t = table_of(&g, APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1.0 / 7);
	for (long c = 0; t.wrong < 0; c++)
		if (g.distance[c] > 1 && g.distance[c] < BETWEEN_NONE)
			t.wrong = c;
	assert_int_equal(run(&t, 1, out, &err), APSP_EPROOF);
	free(out);
	graph_free(&g);
}

/* What goes wrong with shares fails the job, whatever the distances. */
static void test_wrong_shares(void **state)
{
	static const enum apsp_distance_kind kinds[] = {
		APSP_DISTANCE_HOPS, APSP_DISTANCE_SCALED, APSP_DISTANCE_SUM};
	uint64_t seed = 5;

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		bool real = kinds[k] == APSP_DISTANCE_SUM;
		struct graph g = random_graph(&seed, k == 0 ? 1 : 5, false);
		double *out = calloc(g.n, sizeof(*out));
		struct table t = table_of(&g, kinds[k],
			real ? APSP_ELEMENT_F32 : APSP_ELEMENT_I32,
			real ? 1.0 / 7 : 1);
		struct apsp_err err = {0};

		assert_int_equal(run(&t, 1, out, &err), 0);
		moves_shares = true;
		assert_int_equal(run(&t, 1, out, &err), APSP_EPROOF);
		assert_non_null(strstr(err.message, "of the shortest paths"));
		moves_shares = false;
		/* a batch's shares are not added; hops need no first look at
		   the rows */
		loops_left = 2;
		if (k == 0) {
			assert_int_equal(run(&t, 1, out, &err), APSP_EPROOF);
			assert_non_null(
				strstr(err.message, "the sum of its shares"));
		}
		loops_left = 0;
		free(out);
		graph_free(&g);
	}
}

/* A distance that some path has, but not the shortest. */
static void test_long_rows(void **state)
{
	struct graph g = graph_new(3, 3);
	struct apsp_err err;
	struct table t;
	double out[3];

	(void)state;
	arc_add(&g, 0, 1, 1);
	arc_add(&g, 0, 2, 3);
	arc_add(&g, 1, 2, 1);
	distances_find(&g);
	g.distance[2] = 3;
	t = table_of(&g, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1);
	assert_int_equal(run(&t, 1, out, &err), APSP_EPROOF);
	g.distance[2] = 2;
	assert_int_equal(run(&t, 1, out, &err), 0);
	assert_true(out[0] == 0 && out[1] == 1 && out[2] == 0);
	graph_free(&g);
}

static void test_cancelled(void **state)
{
	uint64_t seed = 4;
	struct graph g = random_graph(&seed, 5, false);
	struct table t =
		table_of(&g, APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1.0 / 7);
	double *out = calloc(g.n, sizeof(*out));
	struct apsp_progress progress;
	const struct apsp_stop stop = {APSP_STOP_CANCEL, NULL};

	(void)state;
	t.rows.ctx = &t;
	apsp_progress_init(&progress, NULL, &stop);
	assert_int_equal(apsp_betweenness_run(
				 &g.lengths, &t.rows, 1, &progress, out, NULL),
		APSP_ECANCELLED);
	free(out);
	graph_free(&g);
}

/* No proof judges the shares of a batch that a stop has cut short. */
static void test_stopped_batch(void **state)
{
	uint64_t seed = 4;
	struct graph g = random_graph(&seed, 5, false);
	struct table t =
		table_of(&g, APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 1);
	double *out = calloc(g.n, sizeof(*out));
	struct apsp_progress progress;
	struct apsp_stop stop = {0};

	(void)state;
	t.rows.ctx = &t;
	apsp_progress_init(&progress, NULL, &stop);
	stopped = &stop;
	assert_int_equal(apsp_betweenness_run(
				 &g.lengths, &t.rows, 1, &progress, out, NULL),
		APSP_ECANCELLED);
	stopped = NULL;
	free(out);
	graph_free(&g);
}

/* One processor and all of them, in batches of other sizes. */
static void test_same_bits(void **state)
{
	uint64_t seed = 5;
	struct graph g = random_graph(&seed, 9, true);
	struct table t =
		table_of(&g, APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1.0 / 7);
	double *one = calloc(g.n, sizeof(*one));
	double *all = calloc(g.n, sizeof(*all));
	cpu_set_t every, single;

	(void)state;
	assert_int_equal(run(&t, apsp_parallel_processors(), all, NULL), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(every), &every), 0);
	CPU_ZERO(&single);
	for (int c = 0; CPU_COUNT(&single) == 0; c++)
		if (CPU_ISSET(c, &every))
			CPU_SET(c, &single);
	assert_int_equal(sched_setaffinity(0, sizeof(single), &single), 0);
	assert_int_equal(run(&t, 1, one, NULL), 0);
	sched_setaffinity(0, sizeof(every), &every);
	assert_memory_equal(one, all, g.n * sizeof(*one));
	free(one);
	free(all);
	graph_free(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_real_order),
		cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_wrong_rows),
		cmocka_unit_test(test_wrong_shares),
		cmocka_unit_test(test_long_rows),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_stopped_batch),
		cmocka_unit_test(test_same_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
