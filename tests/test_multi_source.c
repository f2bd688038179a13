/*
 * multi-source in all its shapes: lanes that do not divide the sources,
 * launches that end in the middle of a sweep, panels in several buffers. The
 * tables are those of the reference, bit for bit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/distance/task.h"
#include "compute/solve/self_test.h"
#include "daemon/job/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/passed_over.h"
#include "tests/random.h"
#include "tests/solved.h"

/* A graph's shape, and what its lengths are. */
struct shape {
	uint32_t n;
	uint32_t degree; /* 0: a ring, whose paths take many sweeps */
	uint32_t longest;
	bool real;
	bool hub; /* all vertices lead to one */
};

static const struct shape shapes[] = {
	{1, 3, 9, false, false},
	{APSP_TILE, 0, 1, false, false},
	{2 * APSP_TILE + 1, 0, 50, false, false},
	{3 * APSP_TILE + 17, 2, 1, false, false},
	{3 * APSP_TILE + 17, 3, 9, false, false},
	{300, 40, 100000, false, false},
	{300, 4, 1 << 30, false, false},
	{300, 4, 9, true, false},
	/* more sources than a batch of bits has */
	{4 * APSP_TILE + 5, 0, 1, false, false},
	{6 * APSP_TILE + 17, 2, 1, false, true},
	{6 * APSP_TILE + 17, 2, 9, false, true},
};

enum {
	N_SHAPES = sizeof(shapes) / sizeof(*shapes),
	N_SMALL = N_SHAPES - 3,
};

static void graph_make(const struct device_fixture *fixture,
	const struct shape *shape, uint64_t seed)
{
	struct graph_fixture g;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, shape->n);
	for (uint32_t u = 0; u < shape->n; u++) {
		if (shape->hub)
			graph_fixture_add(&g, u, shape->n / 2, shape->longest);
		if (shape->degree == 0)
			graph_fixture_add(&g, u, (u + 1) % shape->n,
				1 + random_below(&seed, shape->longest));
		for (uint32_t e = 0; e < shape->degree; e++)
			graph_fixture_add(&g, u, random_below(&seed, shape->n),
				shape->real ? 0.1 + random_unit(&seed)
					    : 1 + random_below(&seed,
							  shape->longest));
	}
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

static void shape_run(const struct device_fixture *fixture,
	const struct apsp_device *device, size_t s)
{
	struct solved reference = {0}, found = {0};
	struct apsp_err err;
	int r;

	graph_make(fixture, &shapes[s], 1 + s);
	if (solved_run(fixture->dir, NULL, "reference", &reference, &err) < 0)
		fail_msg("shape %zu: %s", s, err.message);
	r = solved_run(fixture->dir, device, "multi-source", &found, &err);
	if (!passed_over_solve(device, &reference, r, &err)) {
		if (r < 0)
			fail_msg("shape %zu: %s", s, err.message);
		if (!solved_same(&reference, &found))
			fail_msg("shape %zu: not the reference's tables", s);
	}
	solved_done(&reference);
	solved_done(&found);
}

/* The first shapes under a device's tuning and limits as they are now. */
static void shapes_run(const struct device_fixture *fixture,
	const struct apsp_device *device, size_t n_shapes)
{
	for (size_t s = 0; s < n_shapes; s++)
		shape_run(fixture, device, s);
}

static void test_as_tuned(void **state)
{
	struct device_fixture *fixture = *state;

	shapes_run(fixture, &fixture->device, N_SHAPES);
}

static void test_short_launches(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *device.tuning;

	device.tuning = &tuning;
	tuning.launch_pushes = 1000;
	shapes_run(fixture, &device, N_SHAPES);
}

/* A panel a buffer, lanes of another width. */
static void test_several_buffers(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *device.tuning;

	device.tuning = &tuning;
	tuning.pivot_tiles = 1; /* rows of tiles that a buffer holds whole */
	tuning.lane_bytes = 64;
	device.info.largest_buffer_bytes =
		UINT64_C(4) * APSP_TILE * APSP_TILE * sizeof(double);
	shapes_run(fixture, &device, N_SMALL);
}

/* A GPU's kernels, on whatever is at hand: few batches at once, and many. */
static void test_sweeps(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);

	device.tuning = &tuning;
	shapes_run(fixture, &device, N_SHAPES);
	/* fewer lanes than the square of harvest is wide */
	tuning.lane_bytes = 64;
	tuning.lanes_bytes = UINT64_C(2) * 300 * tuning.lane_bytes;
	device.info.largest_buffer_bytes =
		UINT64_C(6) * 4 * APSP_TILE * APSP_TILE * sizeof(double);
	shapes_run(fixture, &device, N_SMALL);
}

/*
 * Several batches are wanted, and a buffer holds the rows of one: a CPU's items
 * and a GPU's launches make do with it. No GPU runs a CPU's kernels.
 */
static void test_one_batch(void **state)
{
	struct device_fixture *fixture = *state;

	for (int gpu = fixture->device.tuning->gpu; gpu < 2; gpu++) {
		struct apsp_device device = fixture->device;
		struct apsp_tuning tuning = *apsp_tuning_find("", gpu, NULL);

		device.tuning = &tuning;
		device.info.compute_units = 2;
		tuning.pivot_tiles = 1;
		tuning.lane_bytes = 256;
		/* rows of values: 785 vertices × 256 bytes a batch, of seven
		   batches; a tile row of V is 7 × 128 × 128 × 2 */
		device.info.largest_buffer_bytes = 230000;
		shape_run(fixture, &device, N_SHAPES - 1);
		if (gpu)
			continue; /* bits have 16 times as many sources there */
		/* of bits: 517 × 18 × 64 bytes, of two batches */
		device.info.largest_buffer_bytes = 600000;
		shape_run(fixture, &device, N_SHAPES - 3);
	}
}

/* Bits in every width; a graph would need very long paths for wide ones. */
static void test_bits(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;

	const size_t n = device_elements_count(&device);

	for (size_t i = device.tuning->gpu ? n : 0; i < 2 * n; i++) {
		const struct apsp_self_test test = {
			apsp_distance_algorithm_find("multi-source"),
			device_element(i % n), APSP_ELEMENT_NONE, true};
		struct apsp_err err;

		device.tuning = apsp_tuning_find("", i / n, NULL);
		if (apsp_self_test_run(&device, &test, &err) < 0)
			fail_msg("case %zu: %s", i, err.message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_tuned),
		cmocka_unit_test(test_short_launches),
		cmocka_unit_test(test_several_buffers),
		cmocka_unit_test(test_sweeps),
		cmocka_unit_test(test_one_batch),
		cmocka_unit_test(test_bits),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
