/*
 * The integer form: kinds, scale and unit, limits, and bounds against all
 * pairs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_paths.h"
#include "tests/host_rows.h"
#include "tests/integers_fixture.h"
#include "tests/random.h"

/* The integer length of the arc at that place. */
static int64_t at(const struct integers_fixture *m, uint64_t arc)
{
	uint32_t tail = 0;

	while (m->lengths.offsets[tail + 1] <= arc)
		tail++;
	return apsp_integers_at(&m->lengths, &m->integers, tail, arc);
}

static void test_kinds(void **state)
{
	struct integers_fixture m;

	(void)state;
	integers_fixture_path(&m, (double[]){3, 0, 7}, 3, 0);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_SCALED);
	assert_int_equal(m.integers.scale, 4);
	assert_int_equal(at(&m, 0), 13);
	assert_int_equal(at(&m, 1), 1);
	assert_int_equal(at(&m, 2), 29);
	assert_null(m.integers.potentials);
	integers_fixture_done(&m);

	integers_fixture_path(&m, (double[]){3, 0, 7}, 3, 100);
	assert_int_equal(m.integers.scale, 100);
	assert_int_equal(at(&m, 2), 701);
	integers_fixture_done(&m);

	integers_fixture_path(&m, (double[]){1, 1}, 2, 100);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_HOPS);
	assert_int_equal(m.integers.scale, 1);
	assert_int_equal(at(&m, 1), 1);
	integers_fixture_done(&m);

	integers_fixture_path(&m, NULL, 0, 0);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_HOPS);
	integers_fixture_done(&m);

	integers_fixture_path(&m, (double[]){1, 0.5}, 2, 100);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_SUM);
	assert_int_equal(m.integers.scale, 1);
	assert_true(m.integers.unit == 0x1p-18);
	assert_int_equal(at(&m, 0), (1 << 18) + 1);
	assert_int_equal(at(&m, 1), (1 << 17) + 1);
	integers_fixture_done(&m);

	/* past 2^53 every double is whole, whatever the weight was */
	integers_fixture_path(&m, (double[]){0x1p54}, 1, 1);
	assert_int_equal(m.integers.kind, APSP_DISTANCE_SUM);
	integers_fixture_done(&m);
}

/* More arcs than a thread looks at in one go. */
enum {
	LONG = 40000,
};

static void expect_long(double others, double one, int r,
	enum apsp_distance_kind kind, double unit)
{
	double *lengths = malloc(LONG * sizeof(*lengths));

	assert_non_null(lengths);
	for (uint32_t place = 0; place < LONG; place += LONG / 2 - 1) {
		struct integers_fixture m;

		for (uint32_t i = 0; i < LONG; i++)
			lengths[i] = i == place ? one : others;
		integers_fixture_path(&m, lengths, LONG, 1);
		assert_int_equal(m.r, r);
		if (r == 0) {
			assert_int_equal(m.integers.kind, kind);
			assert_true(m.integers.unit == unit);
			assert_int_equal(
				m.integers.potentials != NULL, one < 0);
		}
		integers_fixture_done(&m);
	}
	free(lengths);
}

/* What one arc among many tells, wherever it is. */
static void test_long_path(void **state)
{
	(void)state;
	expect_long(1, 1, 0, APSP_DISTANCE_HOPS, 1);
	expect_long(1, 2, 0, APSP_DISTANCE_SCALED, 1);
	expect_long(1, -1, 0, APSP_DISTANCE_SCALED, 1);
	expect_long(2, 0.5, 0, APSP_DISTANCE_SUM, 0x1p-18);
	expect_long(1.5, 0.25, 0, APSP_DISTANCE_SUM, 0x1p-19);
	expect_long(0.5, 0x1p60, APSP_EOVERFLOW, 0, 0);
	expect_long(0x1p30, 0x1p54, 0, APSP_DISTANCE_SUM, 0x1p13);
}

/* Each arc's integer: whole, under potentials, a row at a time. */
static void test_row(void **state)
{
	double *lengths = malloc(LONG * sizeof(*lengths));
	struct integers_fixture m;

	(void)state;
	assert_non_null(lengths);
	for (uint32_t i = 0; i < LONG; i++)
		lengths[i] = 0.25 + i % 97 - 48 * (i % 5 == 0);
	integers_fixture_path(&m, lengths, LONG, 1);
	assert_int_equal(m.r, 0);
	assert_non_null(m.integers.potentials);
	for (uint32_t i = 0; i < LONG; i++) {
		const int64_t *h = m.integers.potentials;
		int64_t value =
			(int64_t)floor(lengths[i] / m.integers.unit) + 1;
		int64_t row;

		apsp_integers_row(&m.lengths, &m.integers, i, &row);
		assert_int_equal(row, value + h[i] - h[i + 1]);
	}
	integers_fixture_done(&m);
	free(lengths);
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
		struct integers_fixture m;

		for (uint32_t i = 0; i < n; i++) {
			lengths[i] = (0.1 + random_unit(&seed)) *
				     pow(10, random_below(&seed, zero ? 7 : 9) -
						     4.0);
			if (zero && i == n / 2)
				lengths[i] = 0;
			else
				smallest = fmin(smallest, lengths[i]);
		}
		integers_fixture_path(&m, lengths, n, 0);
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
		integers_fixture_done(&m);
	}
}

static void test_limits(void **state)
{
	struct integers_fixture m;

	(void)state;
	integers_fixture_path(&m, (double[]){0x1p53, 2}, 2, 1);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	assert_non_null(strstr(m.err.message, "'v0' to 'v1'"));
	integers_fixture_done(&m);
	integers_fixture_path(&m, (double[]){2, 0x1p53 - 1}, 2, 1);
	assert_int_equal(m.r, 0);
	assert_int_equal(at(&m, 1), INT64_C(1) << 53);
	integers_fixture_done(&m);
	integers_fixture_path(&m, (double[]){2, 0x1p53 - 1}, 2, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	assert_non_null(strstr(m.err.message, "'v1' to 'v2'"));
	integers_fixture_done(&m);
	integers_fixture_path(&m, (double[]){2, 0x1p52}, 2, INT64_MAX);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	integers_fixture_done(&m);

	/* the first arc fits with a smaller scale, and is not to blame */
	integers_fixture_path(&m, (double[]){3e15, 1, 9e15, 3e15}, 4, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	assert_non_null(strstr(m.err.message, "'v2' to 'v3'"));
	integers_fixture_done(&m);

	integers_fixture_path(&m, (double[]){0.5, 1e300}, 2, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	integers_fixture_done(&m);
	/* a unit of 2^-1074 would count two arcs of 2^-1074 as one of thrice
	   the length */
	integers_fixture_path(&m, (double[]){0x1p-1050, 0x1.ffffp-1058}, 2, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	assert_non_null(strstr(m.err.message, "'v1' to 'v2'"));
	assert_non_null(strstr(m.err.message, "scale the weights up"));
	integers_fixture_done(&m);
	integers_fixture_path(&m, (double[]){-0x1p-1074, 0x1p-1073}, 2, 0);
	assert_int_equal(m.r, APSP_EOVERFLOW);
	integers_fixture_done(&m);
	integers_fixture_path(&m, (double[]){0x1p-1057, 0x1.8p-1057}, 2, 0);
	assert_int_equal(m.r, 0);
	assert_true(m.integers.unit == 0x1p-1074);
	assert_int_equal(at(&m, 0), (1 << 17) + 1);
	integers_fixture_done(&m);
}

/*
 * Zeros make the unit finer, next to long lengths only as much as the zeros of
 * a path need. If the long lengths do not fit then, they are refused.
 */
static void test_zeros(void **state)
{
	static const struct {
		double lengths[8];
		uint32_t n;
		double unit;
		const char *refusal;
	} paths[] = {
		{{0.5, 0, 0x1p32 - 1}, 3, 0x1p-20},
		{{0.5, 0, 0x1p33 - 1}, 3, 0x1p-19},
		{{0.5, 0, 0x1p34 - 1}, 3, 0x1p-19},
		{{0.5, 0, 0x1p34}, 3, 0, "'v2' to 'v3' has length 17179869184"},
		/* three of six vertices */
		{{0.5, 0, 0, 1, 0x1p33 - 1}, 5, 0x1p-20},
		{{0.5, 0, 0, 1, 0x1p33}, 5, 0, "does not fit 53 bits"},
		/* pairs of vertices: a path of k other arcs has at most k + 1
		   zeros */
		{{0, 0.5, 0, 0.5, 0, 0.5, 0, 0x1p33 - 1}, 8, 0x1p-20},
		{{0, 0.5, 0, 1, 0x1p33}, 5, 0, "does not fit 53 bits"},
		/* the message names the length that is to blame */
		{{1e-16, 1}, 2, 0, "the smallest length, 1e-16; drop or raise"},
		/* below a unit of 2^-1074 there is none */
		{{0x1p-1056, 0, 0x1.8p-1056}, 3, 0x1p-1074},
		{{0x1p-1057, 0, 0x1.8p-1057}, 3, 0, "scale the weights up"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct integers_fixture m;

		integers_fixture_path(&m, paths[i].lengths, paths[i].n, 0);
		assert_int_equal(m.r, paths[i].refusal ? APSP_EOVERFLOW : 0);
		if (paths[i].refusal)
			assert_non_null(
				strstr(m.err.message, paths[i].refusal));
		else
			assert_true(m.integers.unit == paths[i].unit);
		integers_fixture_done(&m);
	}
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
static void expect_bound(const struct integers_fixture *m, uint32_t root,
	int64_t *most, uint32_t *hops)
{
	uint32_t n = m->lengths.n_vertices;
	const int64_t *h = m->integers.potentials;
	struct host_rows reference;
	int64_t v[30];
	uint32_t predecessors[30];

	*most = 0;
	*hops = 0;
	host_rows_open(&reference, &m->lengths, &m->integers);
	for (uint32_t i = 0; i < n; i++) {
		apsp_dijkstra_run(reference.dijkstra, i, v, NULL, predecessors);
		for (uint32_t j = 0; j < n; j++) {
			int64_t true_v;

			if (v[j] == APSP_DIJKSTRA_INFINITY ||
				(i != root && j != root))
				continue;
			true_v = v[j] + (h ? h[j] - h[i] : 0);
			*most = true_v > *most ? true_v : *most;
			/* V is distance · n + hops */
			true_v = ((true_v % n) + n) % n;
			*hops = true_v > *hops ? (uint32_t)true_v : *hops;
		}
	}
	apsp_dijkstra_free(reference.dijkstra);
}

static void test_bound(void **state)
{
	uint64_t seed = 555;

	(void)state;
	for (unsigned round = 0; round < 300; round++) {
		struct integers_fixture m = {0};
		struct apsp_root_paths paths = {0};
		int64_t v;
		int64_t expected_v;
		uint32_t hops;
		uint32_t expected_hops;

		graph_fixture_init_negative(&m.f, &seed, false, 0);
		integers_fixture_make(&m, 0);
		assert_int_equal(m.r, 0);
		assert_int_equal(apsp_in_arcs_build(&m.lengths, NULL), 0);
		assert_int_equal(apsp_root_paths_find(&m.lengths, &m.integers,
					 NULL, &paths, NULL),
			0);
		apsp_root_paths_bound(
			&paths, &m.integers, m.lengths.n_vertices, &v, &hops);
		apsp_root_paths_done(&paths);
		if (m.integers.kind == APSP_DISTANCE_SCALED) {
			expect_bound(&m, first_busiest(&m.lengths), &expected_v,
				&expected_hops);
			assert_true(v == expected_v);
			assert_int_equal(hops, expected_hops);
		}
		integers_fixture_done(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_unit),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_row),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
