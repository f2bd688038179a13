/*
 * The three forms of bf-dense, however vertices and sources are shared out
 * among items, groups, launches and buffers, by GPUs' and CPUs' kernels. The
 * tables are the reference's bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/passed_over.h"
#include "tests/random.h"
#include "tests/solved.h"

static const char *const forms[] = {
	"bf-dense-reduce", "bf-dense-transposed", "bf-dense-vertex"};

struct shape {
	bool gpu;
	uint32_t items;
	uint32_t sources;
	uint32_t vertices;
};

/* Three tiles a side, or one, and one vertex; lengths of 1 to `most`. */
static void graph_write(
	const struct device_fixture *fixture, uint64_t most, uint64_t seed)
{
	const uint32_t n = device_tiles(&fixture->device, 3, 1) * APSP_TILE + 1;
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, n);
	for (uint32_t e = 0; e < 3 * n; e++)
		graph_fixture_add(&g, random_below(&seed, n),
			random_below(&seed, n),
			(double)(1 + random_u64(&seed) % most));
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

/* All forms against the reference's tables of the same graph. */
static void check(const struct device_fixture *fixture,
	const struct apsp_device *device, const struct shape *shape)
{
	struct solved reference = {0}, other = {0};
	struct apsp_err err;

	if (solved_run(fixture->dir, NULL, "reference", &reference, &err) < 0)
		fail_msg("reference: %s", err.message);
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		int r = solved_run(
			fixture->dir, device, forms[f], &other, &err);

		if (passed_over_solve(device, &reference, r, &err))
			continue;
		if (r < 0)
			fail_msg("%s, %u items, %u sources, %u vertices: %s",
				forms[f], shape->items, shape->sources,
				shape->vertices, err.message);
		if (!solved_same(&reference, &other))
			fail_msg("%s, %u items, %u sources, %u vertices: "
				 "tables differ",
				forms[f], shape->items, shape->sources,
				shape->vertices);
		solved_done(&other);
	}
	solved_done(&reference);
}

static void test_shapes(void **state)
{
	static const struct shape shapes[] = {{true, 1, 1, 1},
		{true, APSP_TILE, 8, 2}, {false, 1, 2, 8}, {false, 4, 8, 1}};
	/* two of 16, 32 and 64 bits for each shape */
	static const uint64_t most[] = {4, 60000, 4000000000};
	struct device_fixture *fixture = *state;

	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct apsp_tuning tuning =
			*apsp_tuning_find("", shapes[s].gpu, NULL);
		struct apsp_device device = fixture->device;

		/* a GPU takes minutes with a vector an item */
		if (device.tuning->gpu && !shapes[s].gpu)
			continue;
		device.tuning = &tuning;
		tuning.bf_items = shapes[s].items;
		tuning.bf_sources = shapes[s].sources;
		tuning.bf_vertices = shapes[s].vertices;
		for (size_t i = 0; i < 2; i++) {
			graph_write(
				fixture, most[(s + i) % 3], 71 + 10 * s + i);
			check(fixture, &device, &shapes[s]);
		}
	}
}

/* Two panels of int32 fit a buffer; then launches take two tiles of one group
 * of sources as well, and arcs come to the device in several chunks. */
static void test_cuts(void **state)
{
	static const struct shape shapes[] = {
		{false, 1, 4, 4}, {true, 16, 4, 4}};
	struct device_fixture *fixture = *state;

	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
		struct apsp_tuning tuning =
			*apsp_tuning_find("", shapes[s].gpu, NULL);
		struct apsp_device device = fixture->device;

		/* a GPU takes minutes with a vector an item */
		if (device.tuning->gpu && !shapes[s].gpu)
			continue;
		device.tuning = &tuning;
		device.info.largest_buffer_bytes =
			UINT64_C(2) * 4 * APSP_TILE * APSP_TILE * 4;
		tuning.pivot_tiles = 1;
		tuning.bf_items = shapes[s].items;
		tuning.bf_sources = shapes[s].sources;
		tuning.bf_vertices = shapes[s].vertices;
		graph_write(fixture, 60000, 91 + s);
		check(fixture, &device, &shapes[s]);
		tuning.bf_relaxations = UINT64_C(4) * 4 * APSP_TILE * APSP_TILE;
		tuning.staging_bytes = 1 << 12;
		check(fixture, &device, &shapes[s]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_cuts),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
