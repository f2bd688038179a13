/*
 * streamed-fw where the device has room for a part of the matrix only: the
 * tables are blocked-fw's, bit for bit, whatever the slabs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/device/host_panels.h"
#include "compute/distance/streamed_plan.h"
#include "daemon/job/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/identity_positions.h"
#include "tests/passed_over.h"
#include "tests/random.h"
#include "tests/solved.h"

enum {
	N_TILES = 13,
	N = (N_TILES - 1) * APSP_TILE + 5,
};

/* The same device with a smaller memory and staging that leaves room. */
struct small_device {
	struct apsp_device device;
	struct apsp_tuning tuning;
};

static void small_init(
	struct small_device *small, const struct device_fixture *fixture)
{
	small->device = fixture->device;
	small->tuning = *fixture->device.tuning;
	small->tuning.staging_bytes = 1 << 15;
	small->device.tuning = &small->tuning;
}

/* Room for five slabs of so many tile rows beside n_arcs arcs. */
static void small_slabs(struct small_device *small, uint32_t slab,
	uint64_t n_arcs, enum apsp_element element)
{
	small->device.memory_bytes =
		5 * slab * apsp_panel_bytes(N_TILES, element) +
		apsp_device_arcs_bytes(
			n_arcs, element, small->tuning.staging_bytes) +
		N_TILES * N_TILES;
}

enum lengths {
	HOPS,
	LONG,
	NEGATIVE,
	REAL,
	HUGE_ONES,
};

/* One component, or a chain of parts that lead to the next ones only. */
static uint64_t graph_write(const struct device_fixture *fixture,
	enum lengths lengths, bool parts, uint64_t seed)
{
	struct graph_fixture g;
	struct apsp_err err;
	uint64_t n_arcs;
	char path[300];

	graph_fixture_init(&g, N);
	for (uint32_t e = 0; e < 4 * N; e++) {
		uint32_t u = random_below(&seed, N), v = random_below(&seed, N);
		uint32_t w = 1 + random_below(&seed, 50000);
		double values[] = {1, w, w + 2.0 * u - 2.0 * v,
			1 + w % 9 / 10.0, w * 1048577.0};

		if (parts && u / 300 > v / 300)
			continue;
		if (u != v)
			graph_fixture_add(&g, u, v, values[lengths]);
	}
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	n_arcs = g.graph.n_arcs;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
	return n_arcs;
}

static void solve(const struct device_fixture *fixture,
	const struct apsp_device *device, const char *algorithm,
	struct solved *out)
{
	struct apsp_err err;

	if (solved_run(fixture->dir, device, algorithm, out, &err) < 0)
		fail_msg("%s: %s", algorithm, err.message);
}

static void compare(const struct device_fixture *fixture,
	const struct small_device *small, const struct solved *expected,
	const char *what, unsigned int which)
{
	struct solved streamed = {0};

	solve(fixture, &small->device, "streamed-fw", &streamed);
	if (!solved_same(expected, &streamed))
		fail_msg("%s %u: tables differ from blocked-fw's", what, which);
	solved_done(&streamed);
}

/* Slabs of 1 tile row, of 2 (which do not divide 13), and one of all. */
static void test_slabs(void **state)
{
	static const uint32_t slabs[] = {1, 2, N_TILES};
	struct device_fixture *fixture = *state;
	struct small_device small;
	struct solved expected = {0};
	uint64_t n_arcs = graph_write(fixture, LONG, false, 1);

	small_init(&small, fixture);
	solve(fixture, &fixture->device, "blocked-fw", &expected);
	for (size_t s = 0; s < sizeof(slabs) / sizeof(*slabs); s++) {
		struct apsp_streamed_plan plan;
		struct apsp_err err;

		small_slabs(&small, slabs[s], n_arcs, APSP_ELEMENT_I32);
		assert_int_equal(apsp_streamed_plan_make(&small.device, N,
					 n_arcs, APSP_ELEMENT_I32, &plan, &err),
			0);
		assert_int_equal(plan.slab, slabs[s]);
		compare(fixture, &small, &expected, "slab", slabs[s]);
	}
	solved_done(&expected);
}

/* Few slabs, since the device's buffers are small, and several at home. */
static void test_small_buffers(void **state)
{
	struct device_fixture *fixture = *state;
	struct small_device small;
	struct solved expected = {0};
	uint64_t n_arcs = graph_write(fixture, LONG, true, 2);

	small_init(&small, fixture);
	solve(fixture, &fixture->device, "blocked-fw", &expected);
	small_slabs(&small, N_TILES, n_arcs, APSP_ELEMENT_I32);
	for (uint32_t panels = 3; panels <= 7; panels++) {
		struct apsp_streamed_plan plan;
		struct apsp_err err;

		small.device.info.largest_buffer_bytes =
			panels * apsp_panel_bytes(N_TILES, APSP_ELEMENT_I32);
		small.tuning.pivot_tiles = 1 + panels % 3;
		assert_int_equal(apsp_streamed_plan_make(&small.device, N,
					 n_arcs, APSP_ELEMENT_I32, &plan, &err),
			0);
		assert_int_equal(plan.n_slabs, (N_TILES + panels - 1) / panels);
		compare(fixture, &small, &expected, "panels", panels);
	}
	solved_done(&expected);
}

/* All elements and signs, launches of a few tiles, a GPU's kernels. */
static void test_elements(void **state)
{
	static const struct {
		enum lengths lengths;
		enum apsp_element element;
	} cases[] = {
		{HOPS, APSP_ELEMENT_U16},
		{NEGATIVE, APSP_ELEMENT_I32},
		{REAL, APSP_ELEMENT_I32},
		{HUGE_ONES, APSP_ELEMENT_F64},
	};
	struct device_fixture *fixture = *state;

	for (unsigned int c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct small_device small;
		struct solved expected = {0};
		uint64_t n_arcs =
			graph_write(fixture, cases[c].lengths, c % 2, 3 + c);

		if (cases[c].element == APSP_ELEMENT_F64 &&
			passed_over_doubles(&fixture->device))
			continue;
		small_init(&small, fixture);
		small_slabs(&small, 2, n_arcs, cases[c].element);
		small.tuning.pivot_tiles = 1 + c % 2;
		solve(fixture, &fixture->device, "blocked-fw", &expected);
		compare(fixture, &small, &expected, "case", c);
		small.tuning = *apsp_tuning_find("", true, NULL);
		small.tuning.staging_bytes = 1 << 15;
		compare(fixture, &small, &expected, "tiles, case", c);
		small_init(&small, fixture);
		small.tuning.launch_relaxations =
			5 * APSP_TILE * APSP_TILE * (uint64_t)APSP_TILE;
		compare(fixture, &small, &expected, "launches, case", c);
		solved_done(&expected);
	}
}

/* The least memory is enough, a byte less is refused with both sizes. */
static void test_least(void **state)
{
	struct device_fixture *fixture = *state;
	struct small_device small;
	struct solved solved = {0};
	struct apsp_streamed_plan plan;
	struct apsp_err err;
	uint64_t n_arcs = graph_write(fixture, HOPS, false, 9);
	uint64_t least;

	small_init(&small, fixture);
	least = 5 * apsp_panel_bytes(N_TILES, APSP_ELEMENT_U16) +
		N_TILES * N_TILES;
	small.device.memory_bytes = least;
	assert_int_equal(apsp_streamed_plan_make(&small.device, N, 0,
				 APSP_ELEMENT_U16, &plan, &err),
		0);
	assert_int_equal(plan.slab, 1);
	small.device.memory_bytes--;
	assert_int_equal(apsp_streamed_plan_make(&small.device, N, 0,
				 APSP_ELEMENT_U16, &plan, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "5 slabs of"));
	small.device.memory_bytes =
		least + apsp_device_arcs_bytes(n_arcs, APSP_ELEMENT_U16,
				small.tuning.staging_bytes) /
				2;
	assert_int_equal(solved_run(fixture->dir, &small.device, "streamed-fw",
				 &solved, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "in u16: it needs"));
}

/* Only jobs of slabs that the pivot cannot change are left out. */
static void test_jobs(void **state)
{
	/* 1 → 2 → 3 → 0 → 4, one tile row a slab */
	static const uint8_t finite[25] = {1, 0, 0, 0, 1, /**/
		0, 1, 1, 0, 0,				  /**/
		0, 0, 1, 1, 0,				  /**/
		1, 0, 0, 1, 0,				  /**/
		0, 0, 0, 0, 1};
	static const struct apsp_streamed_job expected[] = {{0, 3, 0},
		{0, 1, 1}, {1, 2, 1}, {2, 1, 0}, {2, 3, 1}, {3, 1, 0},
		{3, 2, 0}, {3, 4, 1}, {4, 1, 0}, {4, 2, 0}, {4, 3, 0},
		{4, 0, 1}};
	const struct apsp_streamed_plan plan = {5, 1, 5, 5};
	struct apsp_streamed_job *jobs;
	struct apsp_err err;
	size_t n;

	(void)state;
	assert_int_equal(
		apsp_streamed_plan_jobs(&plan, finite, &jobs, &n, &err), 0);
	assert_int_equal(n, sizeof(expected) / sizeof(*expected));
	assert_memory_equal(jobs, expected, sizeof(expected));
	free(jobs);
}

/*
 * The algorithm alone, on a few vertices that lie in tiles of their own: the
 * first leads to the others and they to it, nobody leads anywhere else.
 */
enum {
	STEP = 300,
	ARCS = 2 * (N / STEP),
};

struct alone {
	struct apsp_positions positions;
	struct apsp_device_arcs arcs;
	struct apsp_panels panels;
	uint64_t offsets[N + 1];
	uint32_t heads[ARCS];
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	struct apsp_task task;
};

static void alone_open(struct alone *a, struct small_device *small)
{
	struct apsp_err err;
	uint64_t n = 0;

	memset(a, 0, sizeof(*a));
	for (uint32_t v = 0; v < N; v++) {
		a->offsets[v] = n;
		for (uint32_t w = STEP; v == 0 && w < N; w += STEP)
			a->heads[n++] = w;
		if (v > 0 && v % STEP == 0)
			a->heads[n++] = 0;
	}
	a->offsets[N] = n;
	assert_int_equal(n, ARCS);
	a->lengths = (struct apsp_lengths){.n_vertices = N,
		.n_arcs = n,
		.offsets = a->offsets,
		.heads = a->heads};
	a->integers = (struct apsp_integers){.kind = APSP_DISTANCE_HOPS};
	a->task = (struct apsp_task){.lengths = &a->lengths,
		.integers = &a->integers,
		.order = &a->positions,
		.arcs = &a->arcs};
	small_slabs(small, 2, n, APSP_ELEMENT_U16);
	identity_positions_init(N, &a->positions);
	if (apsp_device_arcs_load(&small->device, &a->lengths, &a->integers,
		    &a->positions, APSP_ELEMENT_U16, &a->arcs, &err) < 0 ||
		apsp_distance_algorithm_panels(
			apsp_distance_algorithm_find("streamed-fw"),
			&small->device, &a->task, APSP_ELEMENT_U16, N,
			&a->panels, &err) < 0)
		fail_msg("%s", err.message);
}

static void alone_done(struct alone *a)
{
	apsp_panels_done(&a->panels);
	apsp_device_arcs_done(&a->arcs);
	apsp_positions_done(&a->positions);
}

/* Exactly the tiles that hold a finite value in the end are marked. */
static void marks_check(const struct alone *alone)
{
	uint8_t marks[N_TILES * N_TILES];

	assert_int_equal(clEnqueueReadBuffer(alone->panels.device->queue,
				 alone->panels.finite, CL_TRUE, 0,
				 sizeof(marks), marks, 0, NULL, NULL),
		CL_SUCCESS);
	for (uint32_t i = 0; i < N_TILES; i++)
		for (uint32_t j = 0; j < N_TILES; j++) {
			bool finite = i == j;

			for (uint32_t u = 0; u < N; u += STEP)
				for (uint32_t v = 0; v < N; v += STEP)
					finite |= u / APSP_TILE == i &&
						  v / APSP_TILE == j;
			assert_int_equal(marks[i * N_TILES + j], finite);
		}
}

/* A reader of events that has enough at the first line. */
static ssize_t stop_set(void *cookie, const char *text, size_t size)
{
	(void)text;
	apsp_stop_ask(cookie, APSP_STOP_CANCEL);
	return (ssize_t)size;
}

/*
 * A stop is seen within the first round. By then all tiles that the round may
 * make finite are marked, though few have been relaxed: no launch sets a mark
 * that another of its groups may be reading.
 */
static void test_cancel(void **state)
{
	struct apsp_stop stop = {0};
	FILE *events = fopencookie(
		&stop, "w", (cookie_io_functions_t){.write = stop_set});
	struct apsp_progress progress;
	struct small_device small;
	struct alone alone;
	struct apsp_err err;

	assert_non_null(events);
	small_init(&small, *state);
	alone_open(&alone, &small);
	apsp_progress_init(&progress, events, &stop);
	assert_int_equal(apsp_streamed_fw_run(
				 &alone.task, &alone.panels, &progress, &err),
		APSP_ECANCELLED);
	assert_true(progress.reported < 0.01);
	marks_check(&alone);
	alone_done(&alone);
	fclose(events);
}

/* At the end no other tile is marked. */
static void test_marks(void **state)
{
	struct apsp_progress silent;
	struct small_device small;
	struct alone alone;
	struct apsp_err err;

	small_init(&small, *state);
	alone_open(&alone, &small);
	apsp_progress_init(&silent, NULL, NULL);
	assert_int_equal(
		apsp_streamed_fw_run(&alone.task, &alone.panels, &silent, &err),
		0);
	marks_check(&alone);
	alone_done(&alone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slabs),
		cmocka_unit_test(test_small_buffers),
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_cancel),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
