/*
 * What no algorithm can do is refused with a sentence: a device without room, a
 * distance that no width holds. And what shows a V to be wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/device/panel_rows.h"
#include "compute/distance/distance_algorithm.h"
#include "daemon/base/auto.h"
#include "daemon/job/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/passed_over.h"
#include "tests/solved.h"

/* A device without room for a job says so, with both sizes. */
static void test_too_small(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_tuning tuning = *fixture->device.tuning;
	struct apsp_device device = fixture->device;
	const uint32_t n = 257 * APSP_TILE, panel = 257 * APSP_TILE * APSP_TILE;
	const struct apsp_positions positions = {.n_vertices = n};
	const struct apsp_panels_extent all = {.n_rows = n, .block = 1};
	struct apsp_panels panels;
	struct graph_fixture g;
	struct solved solved;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, APSP_TILE + 1);
	graph_fixture_add(&g, 0, APSP_TILE, 1);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
	/* the matrix alone would fit, but not with the download's rows */
	device.memory_bytes = apsp_panels_bytes(
		APSP_TILE + 1, APSP_TILE + 1, APSP_ELEMENT_U16);
	assert_int_equal(solved_run(fixture->dir, &device, "fw", &solved, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "129 vertices and 1 arcs in u16"));

	/* 257 panels in buffers of two are fine, a buffer each is one more
	   buffer than there may be */
	tuning.pivot_tiles = 1;
	device.tuning = &tuning;
	device.info.largest_buffer_bytes = 2 * (uint64_t)panel;
	assert_int_equal(apsp_panels_open(&device, &positions, APSP_ELEMENT_U16,
				 &all, &panels, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message,
		"32896 vertices need buffers of 16.8 MB at least; the device "
		"allows 8.42 MB"));
	device.info.largest_buffer_bytes = panel;
	assert_int_equal(apsp_panels_open(&device, &positions, APSP_ELEMENT_U16,
				 &all, &panels, &err),
		APSP_ELIMIT);
}

/* Without doubles it is a wider V that the device lacks. */
static void check_overflow(const struct device_fixture *fixture)
{
	struct solved none;
	struct apsp_err err;

	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &none, &err),
		APSP_EOVERFLOW);
	assert_int_equal(solved_run(fixture->dir, &fixture->device,
				 "blocked-fw", &none, &err),
		passed_over_doubles(&fixture->device) ? APSP_ELIMIT
						      : APSP_EOVERFLOW);
}

/* A distance that no width holds is refused, not rounded. */
static void test_overflow(void **state)
{
	struct device_fixture *fixture = *state;
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, 300);
	for (uint32_t v = 0; v + 1 < 300; v++)
		graph_fixture_add(&g, v, v + 1, 1e12);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	check_overflow(fixture);
	graph_fixture_done(&g);
}

/* For real lengths a smaller scale of the weights does not help. */
static void test_too_far(void **state)
{
	struct device_fixture *fixture = *state;
	struct graph_fixture g;
	struct solved none;
	struct apsp_err err = {0};
	char path[300];

	graph_fixture_init(&g, 4);
	graph_fixture_add(&g, 0, 1, 0x1p-36); /* a unit is 2^-53 */
	graph_fixture_add(&g, 1, 2, 0.75);
	graph_fixture_add(&g, 2, 3, 0.75);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &none, &err),
		APSP_EOVERFLOW);
	assert_non_null(strstr(err.message, "distances exceed 1, "));
	assert_non_null(strstr(err.message, "raise the smallest lengths"));
}

/* Groups of `group` vertices in a line, between which nothing leads. The last
   one's lengths are `longer` times the others'. */
static void lines_write(const struct device_fixture *fixture, uint32_t group,
	double length, double longer)
{
	const uint32_t n = 300;
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, n);
	for (uint32_t v = 0; v + 1 < n; v++)
		if ((v + 1) % group != 0)
			graph_fixture_add(&g, v, v + 1,
				v < n - group ? length + v : longer * length);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

/*
 * Lengths that leave no room for 300 arcs a path, and paths of few arcs: in the
 * first graph n times a length is past 2^53, in the second n times a distance,
 * and in the third two scales fit what is known beforehand, but not the last
 * line's distances.
 */
static void test_small_scales(void **state)
{
	static const struct {
		uint32_t group;
		double length, longer;
	} graphs[] = {{3, 1e14, 1}, {10, 1e13, 1}, {30, 0x1p40, 3}};
	static const char *const names[] = {
		"reference", "blocked-fw", "multi-source", "bf-edges", ""};
	struct device_fixture *fixture = *state;

	for (int i = 0; i < 3; i++)
		for (int a = 0; a < 5; a++) {
			const uint32_t last = graphs[i].group - 1;
			struct solved s = {0};
			struct apsp_err err = {0};
			double distance;
			int64_t hops;
			int r;

			lines_write(fixture, last + 1, graphs[i].length,
				graphs[i].longer);
			r = solved_run(fixture->dir, &fixture->device, names[a],
				&s, &err);
			if (r == APSP_ELIMIT &&
				passed_over_doubles(&fixture->device))
				continue;
			if (r < 0)
				fail_msg("%s: %s", names[a], err.message);
			assert_true(solved_cell(&s, 0, last, &distance, &hops));
			assert_true(distance == last * graphs[i].length +
							last * (last - 1) / 2);
			assert_int_equal(hops, last);
			assert_true(solved_cell(
				&s, 299 - last, 299, &distance, &hops));
			assert_true(distance ==
				    last * graphs[i].length * graphs[i].longer);
			assert_false(
				solved_cell(&s, 0, last + 1, &distance, &hops));
			solved_done(&s);
		}
}

/* A device without doubles leaves what needs them to the host. */
static void test_without_doubles(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct solved s = {0};
	struct apsp_err err = {0};

	device.info.has_double = false;
	lines_write(fixture, 3, 1e14, 1);
	assert_int_equal(solved_run(fixture->dir, &device, "", &s, &err), 0);
	assert_string_equal(s.header->algorithm, "reference");
	solved_done(&s);
	assert_int_equal(
		solved_run(fixture->dir, &device, "blocked-fw", &s, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "; algorithm=reference can"));
}

/* Paths of too many arcs for the scale that such lengths leave. */
static void test_no_scale(void **state)
{
	struct device_fixture *fixture = *state;
	struct solved none;
	struct apsp_err err = {0};

	lines_write(fixture, 100, 1e14, 1);
	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &none, &err),
		APSP_EOVERFLOW);
	assert_non_null(strstr(err.message,
		"paths of fewer than 64 arcs, and some path has 9"));
}

/*
 * Potentials make these distances small on the device. With their potentials
 * they are past 2^53, where float64 would round them.
 */
static void test_overflow_behind_potentials(void **state)
{
	static const double far = 0x1p50;
	struct device_fixture *fixture = *state;
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, 5); /* x, i, k, l, j */
	graph_fixture_add(&g, 0, 1, -far);
	graph_fixture_add(&g, 1, 2, far);
	graph_fixture_add(&g, 2, 3, far);
	graph_fixture_add(&g, 3, 4, 0);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	check_overflow(fixture);
	graph_fixture_done(&g);
}

/*
 * A star, from whose middle V is small, and a chain whose V exceeds 32 bits.
 * The attempt in i32 fails only when rows are downloaded, after the weights
 * have been written and dropped.
 */
static void test_second_attempt(void **state)
{
	enum {
		STAR = 60, /* with the star's middle */
		CHAIN = 40,
	};
	static const char *const names[] = {"reference", "blocked-fw"};
	struct device_fixture *fixture = *state;
	struct apsp_prepared_graph prepared = {0};
	struct apsp_negative_cycle cycle = {0};
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, STAR + CHAIN);
	for (uint32_t v = 1; v < STAR; v++)
		graph_fixture_add(&g, 0, v, 0.75);
	for (uint32_t v = STAR; v + 1 < STAR + CHAIN; v++)
		graph_fixture_add(&g, v, v + 1, 0.001);
	g.graph.profile.transform = APSP_TRANSFORM_INV;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	assert_int_equal(apsp_prepared_graph_open(path, &prepared, &err), 0);
	assert_int_equal(
		apsp_prepared_graph_lengths(&prepared, &cycle, &err), 0);
	assert_int_equal(prepared.widths[0].element, APSP_ELEMENT_I32);
	assert_true((CHAIN - 1) * 1000 / prepared.integers.unit >
		    APSP_V_INFINITY_I32);
	apsp_prepared_graph_done(&prepared);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct solved s = {0};
		const double *weights;
		double distance;
		int64_t hops;
		int r;

		r = solved_run(
			fixture->dir, &fixture->device, names[i], &s, &err);
		if (r == APSP_ELIMIT && passed_over_doubles(&fixture->device))
			continue;
		if (r < 0)
			fail_msg("%s: %s", names[i], err.message);
		weights = solved_section(&s, APSP_SECTION_ARC_WEIGHTS);
		for (uint64_t e = 0; e < g.graph.n_arcs; e++)
			assert_true(weights[e] == g.graph.arcs[e].weight);
		assert_true(solved_cell(
			&s, STAR, STAR + CHAIN - 1, &distance, &hops));
		assert_true(distance == 1000 * (CHAIN - 1));
		solved_done(&s);
	}
	graph_fixture_done(&g);
}

/*
 * An arc shorter than V shows V to be wrong, so predecessors must get it. One
 * longer than V is not essential.
 */
static void essential_check(const struct apsp_device *device, const char *name,
	enum apsp_element element)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	uint64_t offsets[] = {0, 1, 2, 3, 3};
	uint32_t heads[] = {1, 2, 3}, order[] = {0, 1, 2, 3};
	double of[] = {9, 9, 9};
	uint8_t flags[3] = {7, 7, 7};
	const struct apsp_lengths lengths = {.n_vertices = 4,
		.n_arcs = 3,
		.offsets = offsets,
		.heads = heads,
		.lengths = of};
	const struct apsp_integers integers = {
		.kind = APSP_DISTANCE_SCALED, .scale = 1};
	const struct apsp_positions same = {
		.n_vertices = 4, .vertices = order, .of = order};
	const struct apsp_task task = {.lengths = &lengths,
		.integers = &integers,
		.order = &same,
		.arcs = &arcs};
	struct apsp_err err;

	if (apsp_device_arcs_load(device, &lengths, &integers, &same, element,
		    &arcs, &err) < 0 ||
		apsp_distance_algorithm_panels(
			apsp_distance_algorithm_find(name), device, &task,
			element, 4, &panels, &err) < 0)
		fail_msg("%s", err.message);
	/* V was made with 9; now the arcs have other lengths */
	of[1] = 5;
	of[2] = 12;
	apsp_device_arcs_done(&arcs);
	if (apsp_device_arcs_load(device, &lengths, &integers, &same, element,
		    &arcs, &err) < 0 ||
		apsp_panel_rows_essential(&panels, &arcs, flags, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(flags[0], 1);
	assert_int_equal(flags[1], 1);
	assert_int_equal(flags[2], 0);
}

static void test_essential(void **state)
{
	const struct device_fixture *fixture = *state;

	for (size_t e = 0; e < device_elements_count(&fixture->device); e++) {
		essential_check(
			&fixture->device, "blocked-fw", device_element(e));
		essential_check(
			&fixture->device, "streamed-fw", device_element(e));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_essential),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_too_far),
		cmocka_unit_test(test_small_scales),
		cmocka_unit_test(test_without_doubles),
		cmocka_unit_test(test_no_scale),
		cmocka_unit_test(test_overflow_behind_potentials),
		cmocka_unit_test(test_second_attempt),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
