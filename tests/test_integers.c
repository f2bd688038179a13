/*
 * The integer form: scale and unit, potentials and negative cycles against a
 * plain Bellman-Ford in rounds, bounds against all pairs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/lengths.h"
#include "compute/reference.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

/* One graph with what is made of it; r is that of apsp_integers_build(). */
struct made {
	struct graph_fixture f;
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_cycle cycle;
	struct apsp_err err;
	int r;
};

static void make_integers(struct made *m, int64_t scale)
{
	m->err = (struct apsp_err){0};
	m->integers = (struct apsp_integers){0};
	m->f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_lengths_build(&m->f.graph, &m->lengths, NULL), 0);
	m->r = apsp_integers_build(&m->f.graph, &m->lengths, scale,
		&m->integers, &m->cycle, &m->err);
	assert_int_equal(m->r, m->err.code);
	assert_int_equal(m->cycle.n != 0, m->r == APSP_ENEGCYCLE);
}

static void drop_integers(struct made *m)
{
	apsp_cycle_done(&m->cycle);
	apsp_integers_done(&m->integers);
	apsp_lengths_done(&m->lengths);
}

/* The path v0 → v1 → … with these lengths. */
static void make_path(
	struct made *m, const double *lengths, uint32_t n, int64_t scale)
{
	graph_fixture_init(&m->f, n + 1);
	for (uint32_t i = 0; i < n; i++)
		graph_fixture_add(&m->f, i, i + 1, lengths[i]);
	make_integers(m, scale);
}

static void drop(struct made *m)
{
	drop_integers(m);
	graph_fixture_done(&m->f);
}

/* The integer length of the arc at that place. */
static int64_t at(const struct made *m, uint64_t arc)
{
	uint32_t tail = 0;

	while (m->lengths.offsets[tail + 1] <= arc)
		tail++;
	return apsp_integers_at(&m->lengths, &m->integers, tail, arc);
}

static void test_kinds(void **state)
{
	struct made m;

	(void)state;
	make_path(&m, (double[]){3, 0, 7}, 3, 0);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_SCALED);
	assert_int_equal(m.integers.scale, 4);
	assert_int_equal(at(&m, 0), 13);
	assert_int_equal(at(&m, 1), 1);
	assert_int_equal(at(&m, 2), 29);
	assert_null(m.integers.potentials);
	drop(&m);

	make_path(&m, (double[]){3, 0, 7}, 3, 100);
	assert_int_equal(m.integers.scale, 100);
	assert_int_equal(at(&m, 2), 701);
	drop(&m);

	make_path(&m, (double[]){1, 1}, 2, 100);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_HOPS);
	assert_int_equal(m.integers.scale, 1);
	assert_int_equal(at(&m, 1), 1);
	drop(&m);

	make_path(&m, NULL, 0, 0);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_HOPS);
	drop(&m);

	make_path(&m, (double[]){1, 0.5}, 2, 100);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_SUM);
	assert_int_equal(m.integers.scale, 1);
	assert_true(m.integers.unit == 0x1p-18);
	assert_int_equal(at(&m, 0), (1 << 18) + 1);
	assert_int_equal(at(&m, 1), (1 << 17) + 1);
	drop(&m);

	/* past 2^53 a double is a whole number without being one */
	make_path(&m, (double[]){0x1p54}, 1, 1);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_SUM);
	drop(&m);
}

static void test_unit(void **state)
{
	uint64_t seed = 8;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		uint32_t n = 2 + random_below(&seed, 40);
		bool zero = round % 2;
		double smallest = INFINITY;
		double lengths[41];
		double units;
		struct made m;

		for (uint32_t i = 0; i < n; i++) {
			lengths[i] = (0.1 + random_unit(&seed)) *
				     pow(10, random_below(&seed, zero ? 7 : 9) -
						     4.0);
			if (zero && i == n / 2)
				lengths[i] = 0;
			else
				smallest = fmin(smallest, lengths[i]);
		}
		make_path(&m, lengths, n, 0);
		assert_int_equal(m.r, 0);
		units = smallest / m.integers.unit;
		if (zero)
			units /= n + 1; /* vertices */
		assert_true(units >= 0x1p17 && units < 0x1p18);
		for (uint32_t i = 0; i < n; i++)
			assert_true(
				at(&m, i) ==
				(int64_t)floor(lengths[i] / m.integers.unit) +
					1);
		drop(&m);
	}
}

/* What does not fit is refused; a unit finer for zeros gives way first. */
static void test_limits(void **state)
{
	struct made m;

	(void)state;
	make_path(&m, (double[]){0x1p53, 2}, 2, 1);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	assert_non_null(strstr(m.err.message, "'v0' to 'v1'"));
	drop(&m);
	make_path(&m, (double[]){2, 0x1p53 - 1}, 2, 1);
	assert_int_equal(m.r, 0);
	assert_int_equal(at(&m, 1), INT64_C(1) << 53);
	drop(&m);
	make_path(&m, (double[]){2, 0x1p53 - 1}, 2, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	assert_non_null(strstr(m.err.message, "'v1' to 'v2'"));
	drop(&m);
	make_path(&m, (double[]){2, 0x1p52}, 2, INT64_MAX);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	drop(&m);

	make_path(&m, (double[]){0.5, 1e300}, 2, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	drop(&m);
	/* subnormal lengths are whole units already */
	make_path(&m, (double[]){0x1p-1074, 0x1p-1073}, 2, 0);
	assert_int_equal(m.r, 0);
	assert_int_equal(at(&m, 0), 2);
	assert_int_equal(at(&m, 1), 3);
	drop(&m);

	make_path(&m, (double[]){0.5, 0, 0x1p34 - 1}, 3, 0);
	assert_int_equal(m.r, 0);
	assert_true(m.integers.unit == 0x1p-18);
	drop(&m);
	make_path(&m, (double[]){0.5, 0, 0x1p32 - 1}, 3, 0);
	assert_int_equal(m.r, 0);
	assert_true(m.integers.unit == 0x1p-20);
	drop(&m);
}

/* Round by round, as the textbook has it. True: there is a negative cycle. */
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

/* In order, every arc there, no vertex twice, the sum below 0. */
static void check_cycle(const struct made *m)
{
	const struct apsp_cycle *cycle = &m->cycle;
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

/* w' by its definition, and what the potentials leave of it. */
static void check_potentials(const struct made *m)
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

/* A random graph; hidden potentials keep most of its cycles from below 0. */
static void make_negative(
	struct graph_fixture *f, uint64_t *seed, bool real, uint32_t slack)
{
	uint32_t n = 1 + random_below(seed, 30);
	uint32_t m = random_below(seed, 5 * n);
	double hidden[30];

	graph_fixture_init(f, n);
	for (uint32_t v = 0; v < n; v++)
		hidden[v] = random_below(seed, 50);
	for (uint32_t a = 0; a < m; a++) {
		uint32_t u = random_below(seed, n);
		uint32_t v = random_below(seed, n);
		double w = random_below(seed, 20) + hidden[u] - hidden[v];

		if (u != v && slack != 0 && random_below(seed, slack) == 0)
			w -= 10;
		/* quarters, so that sums are exact and cycles of 0 come up */
		graph_fixture_add(f, u, v, real ? w / 4 + 0.0 : w);
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
		struct made m = {0};
		bool negative;

		make_negative(&m.f, &seed, round % 2, round % 3 * 3);
		make_integers(&m, round % 5 == 0 ? 1 : 0);
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
		drop(&m);
	}
	assert_true(cycles > 200);
	assert_true(potentials > 500);
	assert_true(zero_cycles > 0);
}

static void test_small_cycles(void **state)
{
	struct made m = {0};

	(void)state;
	/* a sum of -1 around all vertices, whatever the scale */
	for (int64_t scale = 0; scale < 12; scale++) {
		make_path(&m, (double[]){3, -2, 1, 4}, 4, scale);
		drop_integers(&m);
		graph_fixture_add(&m.f, 4, 0, -6);
		make_integers(&m, scale);
		assert_int_equal(m.r, 0);
		check_potentials(&m);
		drop_integers(&m);
		graph_fixture_add(&m.f, 4, 0, -7);
		make_integers(&m, scale);
		assert_int_equal(m.r, APSP_ENEGCYCLE);
		assert_string_equal(m.err.message,
			"negative cycle of 5 vertices: v0 → v1 → v2 → v3 → v4 "
			"→ v0");
		drop(&m);
	}

	/* an undirected negative arc */
	make_path(&m, (double[]){5, 5, -0.5, 5}, 4, 0);
	drop_integers(&m);
	graph_fixture_add(&m.f, 3, 2, -0.5);
	make_integers(&m, 0);
	assert_string_equal(
		m.err.message, "negative cycle of 2 vertices: v2 → v3 → v2");
	drop(&m);

	/* a self-loop, with everything else of length 1 */
	make_path(&m, (double[]){1, 1}, 2, 0);
	drop_integers(&m);
	graph_fixture_add(&m.f, 1, 1, -3);
	make_integers(&m, 0);
	assert_string_equal(
		m.err.message, "negative cycle of 1 vertex: v1 → v1");
	assert_int_equal(m.cycle.n, 1);
	assert_int_equal(m.cycle.vertices[0], 1);
	drop(&m);
}

/*
 * Rounded up, a real cycle a little below 0 sums to 0 exactly: left alone, its
 * predecessors could go round.
 */
static void test_rounded_cycle(void **state)
{
	struct made m = {0};

	(void)state;
	make_path(&m, (double[]){1.5, 1.5}, 2, 0);
	drop_integers(&m);
	graph_fixture_add(&m.f, 2, 0, -3);
	make_integers(&m, 0);
	assert_int_equal(m.r, 0);
	assert_true(m.integers.unit == 0x1p-17);
	check_potentials(&m);
	drop_integers(&m);
	m.f.arcs[2].weight = -3 - 2.5 * 0x1p-17;
	make_integers(&m, 0);
	assert_int_equal(m.r, APSP_ENEGCYCLE);
	check_cycle(&m);
	drop(&m);
}

/* A cycle of thousands is found, and its message says where it was cut. */
static void test_long_cycle(void **state)
{
	enum { LONG = 5000 };
	struct made m = {0};
	const char *end = " → … → v0";

	(void)state;
	graph_fixture_init(&m.f, LONG);
	for (uint32_t v = 0; v < LONG; v++)
		graph_fixture_add(&m.f, v, (v + 1) % LONG, v % 2 ? -2 : 2);
	make_integers(&m, 0);
	assert_int_equal(m.r, 0);
	drop_integers(&m);
	m.f.arcs[LONG - 1].weight = -3;
	make_integers(&m, 0);
	assert_int_equal(m.r, APSP_ENEGCYCLE);
	assert_int_equal(m.cycle.n, LONG);
	check_cycle(&m);
	assert_string_equal(
		m.err.message + strlen(m.err.message) - strlen(end), end);
	drop(&m);
}

static uint32_t first_busiest(const struct apsp_lengths *l)
{
	uint32_t *degree = calloc(l->n_vertices + 1, sizeof(*degree));
	uint32_t best = 0;

	for (uint32_t u = 0; u < l->n_vertices; u++)
		for (uint64_t a = l->offsets[u]; a < l->offsets[u + 1]; a++) {
			degree[u]++;
			degree[l->heads[a]]++;
		}
	for (uint32_t v = 1; v < l->n_vertices; v++)
		if (degree[v] > degree[best])
			best = v;
	free(degree);
	return best;
}

/* The largest V from and to root by the reference, potentials undone. */
static void expect_bound(
	const struct made *m, uint32_t root, int64_t *most, uint32_t *hops)
{
	uint32_t n = m->lengths.n_vertices;
	const int64_t *h = m->integers.potentials;
	struct apsp_reference *reference;
	int64_t v[30];
	uint32_t predecessors[30];

	*most = 0;
	*hops = 0;
	assert_int_equal(
		apsp_reference_new(&m->lengths, &m->integers, &reference, NULL),
		0);
	for (uint32_t i = 0; i < n; i++) {
		apsp_reference_row(reference, i, v, predecessors);
		for (uint32_t j = 0; j < n; j++) {
			int64_t true_v = v[j] + (h ? h[j] - h[i] : 0);

			if (v[j] == APSP_REFERENCE_INFINITY ||
				(i != root && j != root))
				continue;
			*most = true_v > *most ? true_v : *most;
			/* V is distance · n + hops */
			true_v = ((true_v % n) + n) % n;
			*hops = true_v > *hops ? (uint32_t)true_v : *hops;
		}
	}
	apsp_reference_free(reference);
}

static void test_bound(void **state)
{
	uint64_t seed = 555;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct made m = {0};
		int64_t v;
		int64_t expected_v;
		uint32_t hops;
		uint32_t expected_hops;

		make_negative(&m.f, &seed, false, 0);
		make_integers(&m, 0);
		assert_int_equal(m.r, 0);
		assert_int_equal(apsp_integers_bound(&m.lengths, &m.integers,
					 &v, &hops, NULL),
			0);
		if (m.integers.kind == APSP_DISTANCE_SCALED) {
			expect_bound(&m, first_busiest(&m.lengths), &expected_v,
				&expected_hops);
			assert_true(v == expected_v);
			assert_int_equal(hops, expected_hops);
		}
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_unit),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_small_cycles),
		cmocka_unit_test(test_rounded_cycle),
		cmocka_unit_test(test_long_cycle),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
