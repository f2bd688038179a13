/*
 * Every algorithm on random graphs against an independent oracle. The tables of
 * all algorithms are the same bits; every path is walked and summed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/plan/algorithm.h"
#include "compute/plan/closure_cost.h"
#include "daemon/job/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/oracle.h"
#include "tests/passed_over.h"
#include "tests/solved.h"

/*
 * Which algorithms a graph is solved by: those that a plan may choose, and all,
 * none or a third of those that run by name only and of closures.
 */
enum which {
	FIRST_THIRD,
	SECOND_THIRD,
	LAST_THIRD,
	N_THIRDS,
	CHOSEN,
	ALL,
};

/* The reference is what the others are compared with; the default closure is
   made before every algorithm's distances. */
static bool has_case(const char *name, enum which which)
{
	int id = apsp_algorithm_find(name);

	if (id < 0) {
		id = apsp_closure_cost_find(name);
		return id > 0 &&
		       (which == ALL || (unsigned int)id % N_THIRDS == which);
	}
	if (apsp_algorithms[id].start == APSP_START_HOST)
		return false;
	return apsp_algorithms[id].competes || which == ALL ||
	       (unsigned int)id % N_THIRDS == which;
}

/* Integers: exact. The lowest predecessor among those on a best path. */
static void check_integer(const struct solved *s, const struct oracle *o,
	uint32_t i, uint32_t j, double distance, int64_t hops)
{
	uint32_t n = o->n, lowest = UINT32_MAX;
	const double *d = o->distance + (size_t)i * n;
	const uint32_t *h = o->hops + (size_t)i * n;

	assert_true(distance == d[j]);
	assert_int_equal(hops, h[j]);
	for (uint32_t t = 0; t < o->n_tails[j] && i != j; t++) {
		uint32_t k = o->tails[(size_t)j * n + t];

		if (isinf(d[k]) || h[k] + 1 != h[j] ||
			d[k] + o->length[(size_t)k * n + j] != d[j])
			continue;
		lowest = k;
		break;
	}
	assert_int_equal(solved_predecessor(s, i, j), lowest);
}

static void check_real(
	double stored, double walked, double expected, double magnitude)
{
	assert_true((double)(float)walked == stored);
	assert_true(fabs(walked - expected) <= 1e-5 * magnitude);
}

static void check_cell(const struct solved *s, const struct oracle *o,
	uint32_t i, uint32_t j, enum weights kind,
	const struct solved_paths *paths)
{
	double expected = o->distance[(size_t)i * o->n + j];
	double distance, walked = paths->sums[j];
	int64_t hops, steps = paths->hops[j];

	if (isinf(expected)) {
		assert_false(solved_cell(s, i, j, &distance, &hops));
		assert_false(solved_bit(s, APSP_SECTION_CLOSURE, i, j));
		assert_int_equal(solved_predecessor(s, i, j), UINT32_MAX);
		return;
	}
	assert_true(solved_cell(s, i, j, &distance, &hops));
	assert_true(solved_bit(s, APSP_SECTION_CLOSURE, i, j));
	assert_true(solved_bit(s, APSP_SECTION_CLOSURE_TRANSPOSED, j, i));
	assert_true(steps >= 0);
	if (s->header->distance_kind != APSP_DISTANCE_SUM) {
		assert_int_equal(steps, hops);
		assert_true(walked == distance);
		check_integer(s, o, i, j, distance, hops);
	} else {
		/* lengths of both signs cancel and add up to 40 */
		check_real(distance, walked, expected,
			kind == REAL_NEGATIVE ? 40 : fabs(expected));
	}
}

static void check_cycles(const struct solved *s, const struct oracle *o,
	const struct graph_fixture *g)
{
	for (uint32_t v = 0; v < o->n; v++) {
		bool expected = false;

		for (uint64_t e = 0; e < g->graph.n_arcs; e++)
			if (g->graph.arcs[e].from == v &&
				!isinf(o->distance[(size_t)g->graph.arcs[e].to *
							   o->n +
						   v]))
				expected = true;
		assert_true(
			solved_bit(s, APSP_SECTION_ON_CYCLE, 0, v) == expected);
	}
}

static void check_all(const struct solved *s, const struct oracle *o,
	const struct graph_fixture *g, enum weights kind)
{
	struct solved_paths paths;

	solved_paths_init(s, &paths);
	for (uint32_t i = 0; i < o->n; i++) {
		solved_walk_all(s, i, &paths);
		for (uint32_t j = 0; j < o->n; j++)
			check_cell(s, o, i, j, kind, &paths);
	}
	check_cycles(s, o, g);
	solved_paths_done(&paths);
}

/* An algorithm that does not take the lengths says so, and writes no tables. */
static void check_refused(
	const struct device_fixture *fixture, const char *algorithm)
{
	struct solved none;
	struct apsp_err err;

	assert_int_equal(solved_run(fixture->dir, &fixture->device, algorithm,
				 &none, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "ask for transform=hops"));
}

/* Whether the test has cut them. */
static bool small_buffers(const struct device_fixture *fixture)
{
	return fixture->device.info.largest_buffer_bytes < 1 << 22;
}

static void case_run(struct device_fixture *fixture, enum which which,
	uint32_t n, enum weights kind, enum density density, uint64_t seed)
{
	struct solved reference = {0}, other = {0};
	struct graph_fixture g;
	struct oracle o;
	struct apsp_err err;
	char path[300];
	uint64_t state = seed;

	oracle_graph(&o, &g, n, kind, density, &state);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	if (apsp_graph_write(path, &g.graph, &err) < 0 ||
		solved_run(fixture->dir, NULL, "reference", &reference, &err) <
			0)
		fail_msg("n=%u weights=%d density=%d seed=%llu: %s", n, kind,
			density, (unsigned long long)seed, err.message);
	oracle_run(&o, kind == NEGATIVE || kind == REAL_NEGATIVE);
	check_all(&reference, &o, &g, kind);
	for (size_t a = 0; apsp_algorithm_names[a]; a++) {
		const char *name = apsp_algorithm_names[a];
		int r;

		if (!has_case(name, which))
			continue;
		/* no panels: their bits take one buffer */
		if (small_buffers(fixture) && strncmp(name, "closure-", 8) == 0)
			continue;
		if (!solved_takes(&reference, name)) {
			check_refused(fixture, name);
			continue;
		}
		r = solved_run(
			fixture->dir, &fixture->device, name, &other, &err);
		if (passed_over_solve(&fixture->device, &reference, r, &err))
			continue;
		if (r < 0)
			fail_msg("%s: n=%u weights=%d density=%d seed=%llu: %s",
				name, n, kind, density,
				(unsigned long long)seed, err.message);
		if (!solved_same(&reference, &other))
			fail_msg("%s: n=%u weights=%d density=%d seed=%llu: "
				 "tables differ from the reference's",
				name, n, kind, density,
				(unsigned long long)seed);
		solved_done(&other);
	}
	solved_done(&reference);
	oracle_done(&o);
	graph_fixture_done(&g);
}

/*
 * Sparse graphs are solved by all algorithms. Without arcs and with all of
 * them, those that run by name only have each size, and each kind of weights,
 * by turns.
 */
static void test_random(void **state)
{
	static const uint32_t sizes[] = {1, 2, APSP_TILE - 1, APSP_TILE,
		APSP_TILE + 1, 2 * APSP_TILE + 1};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (int kind = 0; kind < N_WEIGHTS; kind++)
			for (int density = 0; density < N_DENSITIES; density++)
				case_run(*state,
					density == SPARSE
						? ALL
						: (s + (size_t)kind +
							  (size_t)density) %
							  N_THIRDS,
					sizes[s], kind, density,
					1 + 1000 * s + 100 * (size_t)kind +
						(size_t)density);
}

/* Small graphs of many shapes, with many ties, zero cycles and components.
 */
static void test_many_small(void **state)
{
	uint64_t seed = 4711;

	for (int i = 0; i < 120; i++) {
		uint32_t n = 2 + random_below(&seed, 20);
		enum weights kind = random_below(&seed, N_WEIGHTS);

		case_run(*state, i % 3 ? CHOSEN : ALL, n, kind, SPARSE,
			random_u64(&seed) | 1);
	}
}

/*
 * The same where a device matrix is cut into several buffers, and with pivot
 * blocks of several tiles that do not divide the matrix. An algorithm that runs
 * by name only has each kind of weights, and each size of a pivot block, once.
 */
static void test_several_buffers(void **state)
{
	struct device_fixture *fixture = *state;
	struct device_fixture cut = *fixture;
	struct apsp_tuning tuning = *fixture->device.tuning;
	const uint32_t n_tiles = device_tiles(&cut.device, 7, 5);
	const uint32_t n = (n_tiles - 1) * APSP_TILE + 1;

	cut.device.tuning = &tuning;
	for (tuning.pivot_tiles = 1; tuning.pivot_tiles <= 3;
		tuning.pivot_tiles++) {
		/* three panels of int32 fit one buffer */
		cut.device.info.largest_buffer_bytes =
			UINT64_C(3) * n_tiles * APSP_TILE * APSP_TILE * 4;
		case_run(&cut, tuning.pivot_tiles % N_THIRDS, n, PAST_16,
			SPARSE, 11 + tuning.pivot_tiles);
		case_run(&cut, (tuning.pivot_tiles + 1) % N_THIRDS, n, ZEROS,
			SPARSE, 21 + tuning.pivot_tiles);
		/* launches of a few tiles */
		tuning.launch_relaxations =
			5 * APSP_TILE * APSP_TILE * (uint64_t)APSP_TILE;
		cut.device.info.largest_buffer_bytes =
			fixture->device.info.largest_buffer_bytes;
		case_run(&cut, (tuning.pivot_tiles + 2) % N_THIRDS, n, SMALL,
			SPARSE, 31 + tuning.pivot_tiles);
	}
}

/*
 * A GPU's kernels, on whatever device there is. Pivot blocks are nothing to
 * those that run by name only, which take long here: test_device.c has them for
 * each element, and test_bf_dense.c those of bf-dense.
 */
static void test_tiles(void **state)
{
	struct device_fixture *fixture = *state;
	struct device_fixture gpu = *fixture;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);
	const uint32_t n_tiles = device_tiles(&fixture->device, 5, 3);

	gpu.device.tuning = &tuning;
	for (int kind = 0; kind < N_WEIGHTS; kind++)
		case_run(&gpu, (unsigned int)kind % N_THIRDS, APSP_TILE + 1,
			kind, SPARSE, 61 + kind);
	for (tuning.pivot_tiles = 1; tuning.pivot_tiles <= 3;
		tuning.pivot_tiles++) {
		case_run(&gpu, CHOSEN, n_tiles * APSP_TILE + 1, SMALL, SPARSE,
			41 + tuning.pivot_tiles);
		case_run(&gpu, CHOSEN, (n_tiles - 1) * APSP_TILE, PAST_16,
			SPARSE, 51 + tuning.pivot_tiles);
	}
}

/*
 * A long chain of vertices both ways: nearly all tiles begin as infinity, so
 * blocks of several tiles must pass on which tiles have become finite.
 */
static void test_chain(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	const uint32_t n = device_tiles(&device, 7, 4) * APSP_TILE + 5;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);
	struct solved expected = {0}, solved = {0};
	struct graph_fixture g;
	uint64_t random = 5;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, n);
	for (uint32_t v = 0; v + 1 < n; v++) {
		graph_fixture_add(&g, v, v + 1, 1 + random_below(&random, 9));
		graph_fixture_add(&g, v + 1, v, 1 + random_below(&random, 9));
	}
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &expected, &err),
		0);
	device.tuning = &tuning;
	for (tuning.pivot_tiles = 1; tuning.pivot_tiles <= 6;
		tuning.pivot_tiles++) {
		if (solved_run(fixture->dir, &device, "blocked-fw", &solved,
			    &err) < 0)
			fail_msg("blocks of %u tiles: %s", tuning.pivot_tiles,
				err.message);
		assert_true(solved_same(&expected, &solved));
		solved_done(&solved);
	}
	solved_done(&expected);
	graph_fixture_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_small),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_several_buffers),
		cmocka_unit_test(test_tiles),
		cmocka_unit_test(test_chain),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
