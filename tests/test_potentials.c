/*
 * Potentials and negative cycles, against a plain Bellman-Ford in rounds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/graph/lengths.h"
#include "daemon/base/clock.h"
#include "tests/integers_fixture.h"

/* Bellman-Ford as in textbooks. True: there is a negative cycle. */
static bool has_negative_cycle(const struct apsp_lengths *l)
{
	uint32_t n = l->n_vertices;
	long double *d = calloc(n + 1, sizeof(*d));
	bool changed = true;

	for (uint32_t round = 0; changed && round <= n; round++) {
		changed = false;
		for (uint32_t u = 0; u < n; u++)
			for (uint64_t a = l->offsets[u]; a < l->offsets[u + 1];
				a++)
				if (d[u] + l->lengths[a] < d[l->heads[a]]) {
					d[l->heads[a]] = d[u] + l->lengths[a];
					changed = true;
				}
	}
	free(d);
	return changed || l->has_negative_loop;
}

/*
 * The cycle is in order, has arcs of the graph only and no vertex twice, and
 * its sum is below 0.
 */
static void check_cycle(const struct integers_fixture *m)
{
	const struct apsp_negative_cycle *cycle = &m->cycle;
	long double sum = 0;
	char start[64];

	for (size_t i = 0; i < cycle->n; i++) {
		uint32_t u = cycle->vertices[i];
		uint32_t v = cycle->vertices[(i + 1) % cycle->n];
		uint64_t arc = apsp_lengths_find(&m->lengths, u, v);

		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(cycle->vertices[k], u);
		assert_true(u >= cycle->vertices[0]);
		if (cycle->n == 1)
			return;
		assert_true(arc != APSP_NO_ARC);
		sum += m->lengths.lengths[arc];
	}
	assert_true(sum < 0);
	snprintf(start, sizeof(start),
		"negative cycle of %zu vertices: v%u → v%u", cycle->n,
		cycle->vertices[0], cycle->vertices[1]);
	assert_memory_equal(m->err.message, start, strlen(start));
}

/* w' by its definition, and with the potentials added. */
static void check_potentials(const struct integers_fixture *m)
{
	const struct apsp_lengths *l = &m->lengths;
	const struct apsp_integers *in = &m->integers;
	bool scaled = in->kind == APSP_DISTANCE_SCALED;

	for (uint32_t u = 0; u < l->n_vertices; u++) {
		for (uint64_t a = l->offsets[u]; a < l->offsets[u + 1]; a++) {
			int64_t w = apsp_integers_at(l, in, u, a);
			double length = l->lengths[a];

			assert_true(w >= (scaled || !in->potentials));
			if (in->potentials)
				w += in->potentials[l->heads[a]] -
				     in->potentials[u];
			if (scaled)
				assert_true(
					w == (int64_t)length * in->scale + 1);
			else if (in->kind == APSP_DISTANCE_SUM)
				assert_true(
					w ==
					(int64_t)floor(length / in->unit) + 1);
			else
				assert_int_equal(w, 1);
		}
	}
}

static void test_negative(void **state)
{
	uint64_t seed = 1234;
	unsigned cycles = 0;
	unsigned potentials = 0;
	unsigned zero_cycles = 0;

	(void)state;
	for (unsigned round = 0; round < 1500; round++) {
		struct integers_fixture m = {0};
		bool negative;

		graph_fixture_init_negative(
			&m.f, &seed, round % 2, round % 3 * 3);
		integers_fixture_make(&m, round % 5 == 0 ? 1 : 0);
		negative = has_negative_cycle(&m.lengths);
		assert_int_equal(m.r, negative ? APSP_ENEGCYCLE : 0);
		if (negative) {
			check_cycle(&m);
			cycles++;
		} else {
			check_potentials(&m);
			potentials += m.integers.potentials != NULL;
		}
		zero_cycles += !negative && round % 3 == 0;
		integers_fixture_done(&m);
	}
	assert_true(cycles > 200);
	assert_true(potentials > 500);
	assert_true(zero_cycles > 0);
}

/* A long chain of arcs takes linear time, in any order of its vertices, with
   arcs of several lengths, and with arcs back that are longer. */
static void test_chains(void **state)
{
	enum { CHAIN = 60000, STEP = 7919 };
	static const double others[] = {-1, 0, 0.5};
	double begin_s = apsp_clock_process_s();

	(void)state;
	for (int turn = 0; turn < 24; turn++) {
		struct integers_fixture m = {0};

		graph_fixture_init(&m.f, CHAIN);
		for (uint32_t i = 0; i + 1 < CHAIN; i++) {
			uint32_t u = i, v = i + 1;

			if (turn & 1) {
				u = CHAIN - 1 - i;
				v = CHAIN - 2 - i;
			}
			if (turn & 2) {
				u = (uint32_t)((uint64_t)u * STEP % CHAIN);
				v = (uint32_t)((uint64_t)v * STEP % CHAIN);
			}
			graph_fixture_add(
				&m.f, u, v, i % 2 ? others[turn / 8] : -1);
			if (turn & 4)
				graph_fixture_add(&m.f, v, u, 5);
		}
		integers_fixture_make(&m, 0);
		assert_int_equal(m.r, 0);
		check_potentials(&m);
		integers_fixture_done(&m);
	}
	assert_true(apsp_clock_process_s() - begin_s < 20);
}

static void test_small_cycles(void **state)
{
	struct integers_fixture m = {0};

	(void)state;
	/* a sum of -1 around all vertices, whatever the scale */
	for (int64_t scale = 0; scale < 12; scale++) {
		integers_fixture_path(&m, (double[]){3, -2, 1, 4}, 4, scale);
		integers_fixture_forget(&m);
		graph_fixture_add(&m.f, 4, 0, -6);
		integers_fixture_make(&m, scale);
		assert_int_equal(m.r, 0);
		check_potentials(&m);
		integers_fixture_forget(&m);
		graph_fixture_add(&m.f, 4, 0, -7);
		integers_fixture_make(&m, scale);
		assert_int_equal(m.r, APSP_ENEGCYCLE);
		assert_string_equal(m.err.message,
			"negative cycle of 5 vertices: v0 → v1 → v2 → v3 → v4 "
			"→ v0");
		integers_fixture_done(&m);
	}

	/* an undirected negative arc */
	integers_fixture_path(&m, (double[]){5, 5, -0.5, 5}, 4, 0);
	integers_fixture_forget(&m);
	graph_fixture_add(&m.f, 3, 2, -0.5);
	integers_fixture_make(&m, 0);
	assert_string_equal(
		m.err.message, "negative cycle of 2 vertices: v2 → v3 → v2");
	integers_fixture_done(&m);

	/* a self-loop, with everything else of length 1 */
	integers_fixture_path(&m, (double[]){1, 1}, 2, 0);
	integers_fixture_forget(&m);
	graph_fixture_add(&m.f, 1, 1, -3);
	integers_fixture_make(&m, 0);
	assert_string_equal(
		m.err.message, "negative cycle of 1 vertex: v1 → v1");
	assert_int_equal(m.cycle.n, 1);
	assert_int_equal(m.cycle.vertices[0], 1);
	integers_fixture_done(&m);
}

/*
 * Rounding raises a real cycle from just below 0 to a sum of exactly 0. If it
 * were accepted, its predecessors could form a cycle.
 */
static void test_rounded_cycle(void **state)
{
	struct integers_fixture m = {0};

	(void)state;
	integers_fixture_path(&m, (double[]){1.5, 1.5}, 2, 0);
	integers_fixture_forget(&m);
	graph_fixture_add(&m.f, 2, 0, -3);
	integers_fixture_make(&m, 0);
	assert_int_equal(m.r, 0);
	assert_true(m.integers.unit == 0x1p-17);
	check_potentials(&m);
	integers_fixture_forget(&m);
	m.f.arcs[2].weight = -3 - 2.5 * 0x1p-17;
	integers_fixture_make(&m, 0);
	assert_int_equal(m.r, APSP_ENEGCYCLE);
	check_cycle(&m);
	integers_fixture_done(&m);
}

/*
 * Cycles whose sum is below 0 by less than a unit an arc: their integers, which
 * are rounded up, sum to more than 0. The exact sum decides.
 */
static void test_cycle_below_a_unit(void **state)
{
	static const struct {
		double there, back;
		int r;
	} cycles[] = {
		{1.0000001, -1.00000015, APSP_ENEGCYCLE},
		{1.00000015, -1.0000001, 0},
		{1.0000001, -1.0000001, 0}, /* 0 is not negative */
		{1.5, -1.5 - 0x1p-52, APSP_ENEGCYCLE},
		{-1.5, 1.5 - 0x1p-52, APSP_ENEGCYCLE},
		{-1.5, 1.5 + 0x1p-52, 0},
		{0x1p-1057, -0x1.00008p-1057, APSP_ENEGCYCLE},
		{0x1.00008p-1057, -0x1p-1057, 0},
		{0x1.8p1000, -0x1.8000000000001p1000, APSP_ENEGCYCLE},
		{0x1.8000000000001p1000, -0x1.8p1000, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cycles) / sizeof(*cycles); i++) {
		struct integers_fixture m = {0};

		graph_fixture_init(&m.f, 2);
		graph_fixture_add(&m.f, 0, 1, cycles[i].there);
		graph_fixture_add(&m.f, 1, 0, cycles[i].back);
		integers_fixture_make(&m, 0);
		if (m.r != cycles[i].r)
			fail_msg("cycle %zu: %d", i, m.r);
		if (m.r == 0)
			check_potentials(&m);
		integers_fixture_done(&m);
	}
}

/*
 * A ring whose sum is the least that doubles of its lengths can be off 0, with
 * lengths of many sizes, so that no sum in floating point is exact.
 */
static void test_ring_off_by_one_bit(void **state)
{
	enum { RING = 300 };
	static const double last_bit = 0x1p-52;
	uint64_t seed = 77;

	(void)state;
	for (int off = -1; off <= 1; off++) {
		struct integers_fixture m = {0};

		graph_fixture_init(&m.f, RING);
		for (uint32_t v = 0; v < RING; v += 2) {
			double big = 0x1p30 * (1 + random_unit(&seed));

			graph_fixture_add(&m.f, v, v + 1, big);
			graph_fixture_add(&m.f, v + 1, (v + 2) % RING, -big);
		}
		m.f.arcs[0].weight = 1.25;
		m.f.arcs[1].weight = -1.25 + off * last_bit;
		integers_fixture_make(&m, 0);
		assert_int_equal(m.r, off < 0 ? APSP_ENEGCYCLE : 0);
		if (off < 0)
			assert_int_equal(m.cycle.n, RING);
		else
			check_potentials(&m);
		integers_fixture_done(&m);
	}
}

/* A cycle of thousands of vertices is found; its message shows the cut. */
static void test_long_cycle(void **state)
{
	enum { LONG = 5000 };
	struct integers_fixture m = {0};
	const char *end = " → … → v0";

	(void)state;
	graph_fixture_init(&m.f, LONG);
	for (uint32_t v = 0; v < LONG; v++)
		graph_fixture_add(&m.f, v, (v + 1) % LONG, v % 2 ? -2 : 2);
	integers_fixture_make(&m, 0);
	assert_int_equal(m.r, 0);
	integers_fixture_forget(&m);
	m.f.arcs[LONG - 1].weight = -3;
	integers_fixture_make(&m, 0);
	assert_int_equal(m.r, APSP_ENEGCYCLE);
	assert_int_equal(m.cycle.n, LONG);
	check_cycle(&m);
	assert_string_equal(
		m.err.message + strlen(m.err.message) - strlen(end), end);
	integers_fixture_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_small_cycles),
		cmocka_unit_test(test_rounded_cycle),
		cmocka_unit_test(test_cycle_below_a_unit),
		cmocka_unit_test(test_ring_off_by_one_bit),
		cmocka_unit_test(test_long_cycle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
