/*
 * The algorithms that work in windows of rows, where memory does not hold all
 * rows: the tables are those of the reference, whatever the window, and the
 * memory taken is what the plan said.
 */
#include "tests/footprint_fixture.h"

#include <stdatomic.h>

double __wrap_apsp_clock_s(void);

/* Calls of apsp_clock_s() come here (tests/meson.build). Time hardly passes:
   the search for useful arcs is limited in time, and a search that ended early
   on a busy machine would find other arcs than the one before. */
double __wrap_apsp_clock_s(void)
{
	static atomic_uint n_calls;

	return 1e-6 * atomic_fetch_add(&n_calls, 1);
}

/* The plan of an algorithm on a device with so much memory. */
static struct apsp_estimate estimate_at(struct first *first,
	const struct limited *limited, const char *algorithm,
	uint64_t memory_bytes)
{
	struct apsp_device device = limited->device;

	device.memory_bytes = memory_bytes;
	return estimate(first, &device, algorithm);
}

/* Check that windows of so many rows give the reference's tables. */
static void windows_solve(const struct device_fixture *fixture,
	const struct limited *limited, const char *algorithm,
	const struct solved *expected)
{
	struct solved windows = {0};
	uint64_t before = bytes_held;
	struct apsp_err err;

	bytes_peak = bytes_held;
	if (solved_run(fixture->dir, &limited->device, algorithm, &windows,
		    &err) < 0)
		fail_msg("windows of %s: %s", algorithm, err.message);
	assert_true(bytes_peak - before <= limited->device.memory_bytes);
	assert_int_equal(bytes_held, before);
	assert_true(solved_same(expected, &windows));
	solved_done(&windows);
}

/*
 * Try all memory sizes from the least that is enough (a byte less is not) to
 * one that needs no window. Returns how many window sizes came up.
 */
static int windows_check(const struct device_fixture *fixture,
	struct first *first, struct limited *limited, const char *algorithm)
{
	uint64_t *memory = &limited->device.memory_bytes, rows = 0;
	uint64_t most = first->prepared.order.n_vertices;
	struct apsp_estimate e;
	struct solved expected = {0}, none;
	struct apsp_err err;
	int n_sizes = 0;

	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &expected, &err),
		0);
	for (uint64_t step = *memory / 2; step > 0; step /= 2)
		while (estimate_at(first, limited, algorithm, *memory - step)
				.feasible)
			*memory -= step;
	--*memory;
	assert_int_equal(solved_run(fixture->dir, &limited->device, algorithm,
				 &none, &err),
		APSP_ELIMIT);
	for (++*memory; *memory < fixture->device.memory_bytes;
		*memory += *memory / 8) {
		e = estimate_at(first, limited, algorithm, *memory);
		if (e.rows < most && e.rows != rows) {
			windows_solve(fixture, limited, algorithm, &expected);
			n_sizes++;
		}
		rows = e.rows;
	}
	*memory = fixture->device.memory_bytes;
	solved_done(&expected);
	return n_sizes;
}

struct windows {
	struct shape shape;
	uint64_t largest; /* buffer: of two panels, or a batch of bits */
};

static void shape_check(const struct device_fixture *fixture,
	const struct windows *windows, const char *algorithm, bool gpu)
{
	struct limited limited;
	struct first first;
	int n_sizes;

	graph_make(fixture, &windows->shape, true);
	first_make(fixture, &first);
	limited_init(&limited, fixture, gpu);
	limited.tuning.pivot_tiles = 1;
	limited.tuning.lane_bytes = 64; /* several batches */
	limited.tuning.batch_bytes = 1 << 18;
	limited.device.info.largest_buffer_bytes = windows->largest;
	n_sizes = windows_check(fixture, &first, &limited, algorithm);
	if (n_sizes < 1 + gpu)
		fail_msg("%s of %u vertices, gpu %d: %d", algorithm,
			windows->shape.n, gpu, n_sizes);
	apsp_prepared_graph_done(&first.prepared);
}

/* Windows of lengths and of hops, of one row of tiles and of several. */
static void test_windows(void **state)
{
	static const struct windows some[] = {
		{{9 * APSP_TILE + 9, 4, 1, true}, 1400000},
		{{4 * APSP_TILE + 9, 10, 100000, false}, 10 << 16},
		{{4 * APSP_TILE + 9, 10, 0.5, false}, 10 << 16},
	};
	const struct device_fixture *fixture = *state;

	for (size_t s = 0; s < sizeof(some) / sizeof(*some); s++)
		for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
			const struct apsp_algorithm *a = &apsp_algorithms[i];
			int gpu = fixture->device.tuning->gpu;

			if (!a->window || (a->hops_only && !some[s].shape.hops))
				continue;
			for (; gpu < 2; gpu++)
				shape_check(fixture, &some[s], a->name, gpu);
		}
}

/* Other programs hold memory of which the plan does not know. */
static void test_full_device(void **state)
{
	static const struct shape shape = {17 * APSP_TILE + 9, 4, 1, true};
	const struct device_fixture *fixture = *state;
	struct solved expected = {0}, windows = {0}, none = {0};
	struct limited limited;
	struct first first;
	struct apsp_err err = {0};
	uint64_t whole;

	graph_make(fixture, &shape, true);
	first_make(fixture, &first);
	limited_init(&limited, fixture, true);
	limited.tuning.pivot_tiles = 1;
	limited.tuning.lane_bytes = 64;
	assert_int_equal(
		solved_run(fixture->dir, NULL, "reference", &expected, &err),
		0);
	whole = estimate_at(
		&first, &limited, "multi-source", limited.device.memory_bytes)
			.device_bytes;
	bytes_free = bytes_held + whole / 5 * 3;
	if (solved_run(fixture->dir, &limited.device, "multi-source", &windows,
		    &err) < 0)
		fail_msg("%s", err.message);
	assert_true(solved_same(&expected, &windows));
	/* no plan has room in so little */
	bytes_free = bytes_held + whole / 100;
	assert_int_equal(solved_run(fixture->dir, &limited.device,
				 "multi-source", &none, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "too little free memory"));
	bytes_free = 0;
	solved_done(&expected);
	solved_done(&windows);
	apsp_prepared_graph_done(&first.prepared);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_full_device),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
