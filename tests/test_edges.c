/*
 * What bf-edges and bfs-levels have of their own: the list of edges, levels
 * past a byte, and every way of cutting the work: by segment, launch, batch,
 * buffer and kind of device. The tables are the reference's bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/distance/edge_list.h"
#include "compute/plan/algorithm.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/passed_over.h"
#include "tests/random.h"
#include "tests/solved.h"

static void graph_write(
	const struct device_fixture *fixture, struct graph_fixture *g)
{
	struct apsp_err err;
	char path[300];

	g->graph.profile.duplicates = APSP_DUPLICATES_MIN;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g->graph, &err), 0);
	graph_fixture_done(g);
}

/* Against the reference's tables of the same graph. */
static void check_same(const struct device_fixture *fixture,
	const struct apsp_device *device, const char *algorithm,
	const char *what)
{
	struct solved reference = {0}, other = {0};
	struct apsp_err err;
	int r;

	if (solved_run(fixture->dir, NULL, "reference", &reference, &err) < 0)
		fail_msg("reference: %s", err.message);
	r = solved_run(fixture->dir, device, algorithm, &other, &err);
	if (!passed_over_solve(device, &reference, r, &err)) {
		if (r < 0)
			fail_msg("%s, %s: %s", algorithm, what, err.message);
		if (!solved_same(&reference, &other))
			fail_msg("%s, %s: tables differ", algorithm, what);
	}
	solved_done(&other);
	solved_done(&reference);
}

/* Random arcs, of which some lead back at the same length; lengths of 1 to
 * `most`. */
static void random_make(
	struct graph_fixture *g, uint32_t n, uint32_t most, uint64_t seed)
{
	graph_fixture_init(g, n);
	for (uint32_t e = 0; e < 2 * n; e++) {
		uint32_t u = random_below(&seed, n), v = random_below(&seed, n);
		double w = 1 + random_below(&seed, most);

		graph_fixture_add(g, u, v, w);
		if (e % 3 == 0)
			graph_fixture_add(g, v, u, w);
	}
}

static void path_make(struct graph_fixture *g, uint32_t n, bool back)
{
	/* and a vertex that nothing reaches */
	graph_fixture_init(g, n + 1);
	for (uint32_t v = 0; v + 1 < n; v++) {
		graph_fixture_add(g, v, v + 1, 1);
		if (back)
			graph_fixture_add(g, v + 1, v, 1);
	}
}

/* As many levels as codes, and more: codes start anew. */
static void test_long_paths(void **state)
{
	static const uint32_t sizes[] = {253, 254, 255, 256, 507, 508, 800};
	struct device_fixture *fixture = *state;
	struct device_fixture gpu = *fixture;

	gpu.device.tuning = apsp_tuning_find("", true, NULL);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (int back = 0; back < 2; back++) {
			struct graph_fixture g;
			char what[40];

			snprintf(what, sizeof(what), "path of %u, back %d",
				sizes[s], back);
			path_make(&g, sizes[s], back);
			graph_write(fixture, &g);
			check_same(
				fixture, &fixture->device, "bfs-levels", what);
			if (sizes[s] > 600)
				check_same(fixture, &gpu.device, "bfs-levels",
					what);
			if (sizes[s] < 260)
				check_same(fixture, &fixture->device,
					"bf-edges", what);
		}
}

/* Test one way of dividing the work, over lengths of every width and hops. */
static void check_cut(struct device_fixture *fixture,
	const struct apsp_device *device, const char *what)
{
	/* in 16 bits, 32 and 64 */
	static const uint32_t most[] = {4, 60000, 4000000000};
	struct graph_fixture g;
	const uint32_t n = 2 * APSP_TILE + 5;

	for (size_t i = 0; i < sizeof(most) / sizeof(*most); i++) {
		random_make(&g, n, most[i], 5 + i);
		graph_write(fixture, &g);
		check_same(fixture, device, "bf-edges", what);
	}
	random_make(&g, n, 1, 9);
	graph_write(fixture, &g);
	check_same(fixture, device, "bf-edges", what);
	check_same(fixture, device, "bfs-levels", what);
}

static void test_cuts(void **state)
{
	static const uint32_t segments[] = {0, 1, 7, 1 << 20};
	struct device_fixture *fixture = *state;

	for (int gpu = 0; gpu < 2; gpu++) {
		struct apsp_device device = fixture->device;
		struct apsp_tuning tuning = *apsp_tuning_find("", gpu, NULL);
		char what[40];

		device.tuning = &tuning;
		for (size_t s = 0; s < sizeof(segments) / sizeof(*segments);
			s++) {
			snprintf(what, sizeof(what), "gpu %d, segment %u", gpu,
				segments[s]);
			tuning.segment = segments[s];
			check_cut(fixture, &device, what);
		}
		snprintf(what, sizeof(what), "gpu %d, small launches", gpu);
		tuning.launch_arcs = 1000;
		tuning.launch_edges = 1000;
		check_cut(fixture, &device, what);
		snprintf(what, sizeof(what), "gpu %d, small batches", gpu);
		tuning.batch_bytes = 3 * 4 * 300;
		check_cut(fixture, &device, what);
		tuning.batch_bytes = UINT64_C(16) << 20;
		snprintf(what, sizeof(what), "gpu %d, small buffers", gpu);
		tuning.pivot_tiles = 1;
		device.info.largest_buffer_bytes =
			UINT64_C(3) * APSP_TILE * APSP_TILE * 8;
		check_cut(fixture, &device, what);
	}
}

/* Lengths are refused by a sentence, before there are tables. */
static void test_refused(void **state)
{
	struct device_fixture *fixture = *state;
	struct graph_fixture g;
	struct solved none;
	struct apsp_err err;

	random_make(&g, 20, 4, 1);
	graph_write(fixture, &g);
	assert_int_equal(solved_run(fixture->dir, &fixture->device,
				 "bfs-levels", &none, &err),
		APSP_EDATA);
	assert_string_equal(err.message,
		"bfs-levels counts arcs, but here arcs have lengths; ask for "
		"transform=hops or another algorithm");
}

/*
 * Without atomic minima of 64 bits the plan refuses what needs them; items that
 * have their rows to themselves do not.
 */
static void test_no_atomics(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct graph_fixture g;
	struct solved none;
	struct apsp_err err;

	device.info.has_wide_atomics = false;
	random_make(&g, 40, 4000000000, 3);
	graph_write(fixture, &g);
	device.tuning = apsp_tuning_find("", false, NULL);
	check_same(fixture, &device, "bf-edges", "own rows in 64 bits");
	device.tuning = apsp_tuning_find("", true, NULL);
	assert_int_equal(
		solved_run(fixture->dir, &device, "bf-edges", &none, &err),
		APSP_ELIMIT);
	if (!strstr(err.message, "bf-edges cannot do 40 vertices and ") ||
		!strstr(err.message,
			device.info.has_double
				? "in f64: distances past 2^30 units need "
				  "64-bit atomic minima"
				: "in f64: distances past 2^30 units need "
				  "64-bit arithmetic") ||
		!strstr(err.message, "; algorithm="))
		fail_msg("%s", err.message);
	random_make(&g, 40, 60000, 4);
	graph_write(fixture, &g);
	check_same(fixture, &device, "bf-edges", "32 bits");
}

/* The names that the daemon knows run, and take hops only where it says so. */
static void test_names(void **state)
{
	(void)state;
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const char *name = apsp_algorithms[i].name;
		const struct apsp_distance_algorithm *found =
			apsp_distance_algorithm_find(name);
		bool listed = false;

		for (size_t k = 0; apsp_algorithm_hops_only[k]; k++)
			listed |=
				strcmp(apsp_algorithm_hops_only[k], name) == 0;
		if (!found)
			assert_non_null(apsp_closure_algorithm_find(name));
		else
			assert_int_equal(found->entry->hops_only, listed);
	}
}

enum {
	LIST_N = 40,
	LIST_SEGMENT = 8,
};

static int64_t length_of(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, uint32_t tail, uint32_t head)
{
	uint64_t at = apsp_lengths_find(lengths, tail, head);

	return at == APSP_NO_ARC
		       ? -1
		       : apsp_integers_at(lengths, integers, tail, at);
}

/* Every arc is listed once, in order; pairs of equal length are one edge. */
static void check_list(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, uint32_t segment,
	int64_t infinity)
{
	uint8_t seen[LIST_N][LIST_N] = {{0}};
	struct apsp_edge_list list;
	uint64_t n_arcs = 0, n_merged = 0, before = 0;
	struct apsp_err err;

	assert_int_equal(apsp_edge_list_build(lengths, integers, positions,
				 infinity, segment, &list, &err),
		0);
	for (uint64_t e = 0; e < list.n_edges; e++) {
		bool both = list.edges[e].tail & APSP_EDGE_BOTH_WAYS;
		uint32_t tail = list.edges[e].tail & ~APSP_EDGE_BOTH_WAYS;
		uint32_t head = list.edges[e].head;
		uint32_t u = positions->vertices[tail],
			 v = positions->vertices[head];
		int64_t length = length_of(lengths, integers, u, v);
		uint64_t place;

		assert_int_equal(list.edges[e].length, length);
		assert_true(length > 0 && length < infinity);
		assert_false(seen[u][v]++);
		n_arcs++;
		if (both) {
			assert_int_equal(
				length_of(lengths, integers, v, u), length);
			assert_false(seen[v][u]++);
			n_arcs++;
			n_merged++;
		}
		if (segment == 0) {
			assert_false(both);
			continue;
		}
		assert_int_equal(
			both, length_of(lengths, integers, v, u) == length);
		place = ((uint64_t)(head / segment) * LIST_N + tail / segment) *
				LIST_N +
			head;
		assert_true(e == 0 || before <= place);
		before = place;
	}
	for (uint32_t u = 0; u < lengths->n_vertices; u++)
		for (uint64_t e = lengths->offsets[u];
			e < lengths->offsets[u + 1]; e++)
			n_arcs += apsp_integers_at(lengths, integers, u, e) >=
				  infinity;
	assert_int_equal(n_arcs, lengths->n_arcs);
	assert_int_equal(n_merged > 0, segment > 0);
	apsp_edge_list_done(&list);
}

static void test_list(void **state)
{
	struct graph_fixture g;
	struct apsp_lengths lengths = {0};
	struct apsp_integers integers = {0};
	struct apsp_negative_cycle cycle;
	uint32_t vertices[LIST_N], of[LIST_N];
	const struct apsp_positions positions = {
		.n_vertices = LIST_N, .vertices = vertices, .of = of};
	struct apsp_err err;

	(void)state;
	for (uint32_t p = 0; p < LIST_N; p++) {
		vertices[p] = p * 7 % LIST_N;
		of[p * 7 % LIST_N] = p;
	}
	random_make(&g, LIST_N, 3, 77);
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_lengths_build(&g.graph, &lengths, &err), 0);
	assert_int_equal(apsp_integers_build(&g.graph, &lengths, 0, &integers,
				 &cycle, &err),
		0);
	check_list(&lengths, &integers, &positions, 0, INT64_MAX);
	check_list(&lengths, &integers, &positions, 1, INT64_MAX);
	check_list(&lengths, &integers, &positions, LIST_SEGMENT, INT64_MAX);
	/* the longest are left out */
	check_list(&lengths, &integers, &positions, LIST_SEGMENT, 3 * LIST_N);
	apsp_integers_done(&integers);
	apsp_lengths_done(&lengths);
	graph_fixture_done(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_no_atomics),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
