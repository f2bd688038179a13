/*
 * The memory that a solve allocates on a device, compared with its plan: the
 * peak, and the largest buffer.
 */
#include "tests/footprint_fixture.h"

#include "compute/closure/closure_algorithm.h"
#include "compute/device/panel_rows.h"
#include "compute/device/pinned_pool.h"
#include "compute/distance/distance_algorithm.h"
#include "compute/plan/closure_cost.h"
#include "compute/plan/footprint.h"
#include "compute/tables/predecessors.h"
#include "compute/tables/sums_device.h"
#include "daemon/base/auto.h"

/* Graphs whose V fits the width that is tried first. */
static const struct shape shapes[] = {
	/* the matrix is the most; more sources than a batch of bits has */
	{4 * APSP_TILE + 9, 10, 9, true},
	{2 * APSP_TILE + 9, 10, 100000, false},
	{2 * APSP_TILE + 9, 10, 1e9, false},
	/* and where distances are path sums */
	{2 * APSP_TILE + 9, 10, 0.5, false},
	/* ranks, whose tails are settled */
	{.n = 2 * APSP_TILE + 9,
		.degree = 10,
		.longest = 100000,
		.widest = true},
	/* the arcs are the most: all essential, no two the same edge */
	{2 * APSP_TILE - 1, APSP_TILE - 1, 1, true},
	{2 * APSP_TILE - 1, APSP_TILE - 1, 0.5, false},
};

/* Without a plan: arcs, panels, the algorithm's own, essential arcs and
 * what sums take of them. */
static int run_unplanned(struct first *first, const struct apsp_device *device,
	const char *name, struct apsp_err *err)
{
	APSP_AUTO(apsp_device_arcs_done) struct apsp_device_arcs arcs = {0};
	APSP_AUTO(apsp_panels_done) struct apsp_panels panels = {0};
	APSP_AUTO(apsp_predecessors_done)
	struct apsp_predecessors predecessors = {0};
	APSP_AUTO(apsp_sum_arcs_done) struct apsp_sum_arcs sum_arcs = {0};
	APSP_AUTO(apsp_sums_device_done) struct apsp_sums_device sums = {0};
	const struct apsp_distance_algorithm *algorithm =
		apsp_distance_algorithm_find(name);
	struct apsp_prepared_graph *prepared = &first->prepared;
	const struct apsp_lengths *lengths = apsp_prepared_graph_arcs(prepared);
	const uint8_t *useless = prepared->useful.useless;
	APSP_AUTO(apsp_free) uint8_t *flags = NULL;
	APSP_AUTO(apsp_free) uint8_t *kept = NULL;
	enum apsp_element element = prepared->widths[0].element;
	const struct apsp_task task = {.lengths = lengths,
		.integers = &prepared->integers,
		.order = &prepared->order,
		.arcs = &arcs};
	int r = apsp_device_arcs_load(device, lengths, &prepared->integers,
		&prepared->order, element, &arcs, err);

	flags = calloc(lengths->n_arcs + 1, 1);
	kept = malloc(prepared->lengths.n_arcs + 1);
	assert_non_null(flags);
	assert_non_null(kept);
	if (r >= 0)
		r = apsp_distance_algorithm_panels(algorithm, device, &task,
			element, prepared->lengths.n_vertices, &panels, err);
	if (r >= 0)
		r = algorithm->run(&task, &panels, &first->silent, err);
	if (r >= 0)
		r = apsp_panel_rows_essential(&panels, &arcs, flags, err);
	for (uint64_t e = 0, i = 0; e < prepared->lengths.n_arcs; e++)
		kept[e] = !(useless && useless[e]) && flags[i++];
	if (r >= 0)
		r = apsp_predecessors_open(&panels, &prepared->lengths,
			&prepared->integers, kept, NULL, &predecessors, err);
	if (r < 0 || prepared->integers.kind != APSP_DISTANCE_SUM)
		return r;
	r = apsp_sum_arcs_load(
		&predecessors, &prepared->lengths, &sum_arcs, err);
	return r < 0 ? r
		     : apsp_sums_device_open(&predecessors, &sum_arcs,
			       &prepared->integers, APSP_ELEMENT_F32, &sums,
			       err);
}

static int solve(const struct device_fixture *fixture,
	const struct apsp_device *device, const char *name,
	const struct first *first, struct apsp_err *err)
{
	struct solved solved = {0};
	int r = solved_run(fixture->dir, device, name, &solved, err);

	/* the first width was wide enough */
	if (r >= 0 && first->prepared.integers.kind != APSP_DISTANCE_SUM)
		assert_int_equal(
			solved.header->sections[APSP_SECTION_DISTANCE].element,
			first->prepared.widths[0].element);
	solved_done(&solved);
	return r;
}

/*
 * A solve takes what was planned, or less: of arcs with lengths only the
 * essential ones are uploaded again.
 */
static void bytes_check(const struct device_fixture *fixture,
	const struct shape *shape, struct first *first, struct limited *limited,
	const char *name)
{
	struct apsp_estimate e = estimate(first, &limited->device, name);
	enum apsp_element element = first->prepared.widths[0].element;
	uint64_t least = e.device_bytes / 100 * (shape->hops ? 97 : 60);
	uint64_t before = bytes_held;
	struct apsp_err err;

	limited->device.memory_bytes = e.device_bytes;
	bytes_peak = bytes_held;
	if (solve(fixture, &limited->device, name, first, &err) < 0)
		fail_msg("%s: %s", name, err.message);
	bytes_peak -= before;
	assert_int_equal(bytes_held, before);
	if (bytes_peak < least || bytes_peak > e.device_bytes)
		fail_msg("%s of %u vertices in %s, gpu %d, took %llu bytes, "
			 "not %llu",
			name, shape->n, apsp_element_name(element),
			limited->tuning.gpu, (unsigned long long)bytes_peak,
			(unsigned long long)e.device_bytes);
	limited->device.memory_bytes--;
	/* a smaller window may fit */
	if (!apsp_algorithms[apsp_algorithm_find(name)].window) {
		assert_int_equal(
			solve(fixture, &limited->device, name, first, &err),
			APSP_ELIMIT);
		assert_non_null(strstr(err.message, ": it needs "));
	}
	limited->device.memory_bytes = fixture->device.memory_bytes;
}

/* The planned largest buffer is enough, and one byte less is not. */
static void buffer_check(const struct device_fixture *fixture,
	struct first *first, struct limited *limited, const char *name)
{
	struct apsp_estimate e = estimate(first, &limited->device, name);
	uint64_t staging = limited->tuning.staging_bytes;
	uint64_t *largest = &limited->device.info.largest_buffer_bytes;
	struct apsp_err err;

	/* more rows together than one buffer holds, if there could be */
	limited->tuning.staging_bytes = 1 << 21;
	*largest = e.buffer_bytes;
	if (solve(fixture, &limited->device, name, first, &err) < 0)
		fail_msg("%s: %s", name, err.message);
	*largest -= 1;
	assert_int_equal(run_unplanned(first, &limited->device, name, &err),
		APSP_ELIMIT);
	if (!apsp_algorithms[apsp_algorithm_find(name)].window) {
		assert_int_equal(
			solve(fixture, &limited->device, name, first, &err),
			APSP_ELIMIT);
		assert_non_null(strstr(err.message, " in one buffer on "));
	}
	*largest = fixture->device.info.largest_buffer_bytes;
	limited->tuning.staging_bytes = staging;
}

static void shape_check(const struct device_fixture *fixture,
	const struct shape *shape, bool gpu)
{
	struct first first;
	struct limited limited;

	graph_make(fixture, shape, true);
	first_make(fixture, &first);
	limited_init(&limited, fixture, gpu);
	for (int i = 0; i < APSP_N_ALGORITHMS; i++) {
		const struct apsp_algorithm *algorithm = &apsp_algorithms[i];

		if (algorithm->start == APSP_START_HOST ||
			(algorithm->hops_only && !shape->hops) ||
			(shape->widest && !algorithm->widest))
			continue;
		bytes_check(fixture, shape, &first, &limited, algorithm->name);
		buffer_check(fixture, &first, &limited, algorithm->name);
	}
	apsp_prepared_graph_done(&first.prepared);
}

/* Whether a buffer of so many bytes is kept, exactly; then it no longer is. */
static bool kept_take(struct apsp_held_memory *held, uint64_t size)
{
	for (size_t i = 0; i < held->n_buffers; i++)
		if (held->buffers[i] == size)
			return apsp_held_memory_take(held, size);
	return false;
}

/* The next job's plan counts what the device's pool keeps. */
static void kept_check(struct first *first, struct apsp_device *device)
{
	struct apsp_estimate with, without;
	size_t n;

	apsp_pinned_pool_held(device->pinned, &device->held);
	device->was_open = true;
	with = estimate(first, device, "reference");
	n = device->held.n_buffers;
	device->held.n_buffers = 0;
	without = estimate(first, device, "reference");
	device->held.n_buffers = n;
	assert_int_equal(with.host_bytes - without.host_bytes,
		apsp_held_memory_kept(&device->held));
}

/*
 * A plan counts the pinned buffers that a download takes. The pool is there
 * once the self-test has passed, which leaves buffers, too.
 */
static void pinned_check(
	const struct device_fixture *fixture, const struct shape *shape)
{
	uint64_t sizes[APSP_DOWNLOAD_PINNED];
	enum apsp_element element, distance;
	struct apsp_held_memory held;
	struct limited limited;
	struct first first;
	struct apsp_err err;
	bool whole;
	size_t n;

	graph_make(fixture, shape, true);
	first_make(fixture, &first);
	limited_init(&limited, fixture, true);
	limited.device.pinned = NULL;
	whole = first.prepared.integers.kind != APSP_DISTANCE_SUM;
	element = first.prepared.widths[0].element;
	distance = whole ? element : APSP_ELEMENT_F32;
	n = apsp_download_pinned(
		&(const struct apsp_workload){.n_vertices = shape->n,
			.n_arcs = first.prepared.lengths.n_arcs,
			.element = element,
			.distance = distance,
			.predecessor = first.prepared.lengths.in.rank},
		&limited.tuning, sizes);
	for (int run = 0; run < 2; run++) {
		if (solve(fixture, &limited.device, "blocked-fw", &first,
			    &err) < 0)
			fail_msg("%s", err.message);
		if (run == 0)
			limited.device.pinned = apsp_pinned_pool_new(
				limited.device.queue, 1 << 30);
	}
	kept_check(&first, &limited.device);
	held = limited.device.held;
	for (size_t i = 0; i < n; i++)
		/* F64 counts as path sums, which have V, the last, beside */
		if (!(whole && distance == APSP_ELEMENT_F64 && i > 4 &&
			    i % 4 == 3) &&
			!kept_take(&held, sizes[i]))
			fail_msg("%u vertices: no buffer %zu of %llu bytes",
				shape->n, i, (unsigned long long)sizes[i]);
	assert_int_equal(held.n_buffers, 0);
	apsp_pinned_pool_free(limited.device.pinned);
	apsp_prepared_graph_done(&first.prepared);
}

static void test_pinned(void **state)
{
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		pinned_check(*state, &shapes[s]);
}

/* Leave the peak of device memory in bytes_peak. */
static void closure_run(const struct apsp_closure_algorithm *closure,
	const struct apsp_closure_task *task, int code)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits bits = {0};
	struct apsp_progress silent;
	uint64_t before = bytes_held;
	struct apsp_err err = {0};
	int r;

	apsp_progress_init(&silent, NULL, NULL);
	bytes_peak = bytes_held;
	r = closure->run(task, &silent, &bits, &err);
	if (r != code)
		fail_msg("%s: %s", closure->name, err.message);
	bytes_peak -= before;
}

/*
 * Closures, where everything reaches everything or each vertex is a component.
 * Components' arcs are counted as if none were parallel.
 */
static void closure_check(const struct device_fixture *fixture, bool cyclic)
{
	static const struct shape shape = {9 * APSP_TILE + 5, 3, 9, false};
	struct apsp_closure_size size;
	struct limited limited;
	struct first first;

	graph_make(fixture, &shape, cyclic);
	first_make(fixture, &first);
	limited_init(&limited, fixture, false);
	limited.tuning.bits.host_words = 0;
	size = (struct apsp_closure_size){shape.n,
		first.prepared.lengths.n_arcs,
		first.prepared.components.n_components};
	assert_int_equal(size.n_components, cyclic ? 1 : shape.n);
	for (int i = 0; i < APSP_N_CLOSURES; i++) {
		const struct apsp_closure_cost *cost = &apsp_closure_costs[i];
		const struct apsp_closure_algorithm *closure =
			apsp_closure_algorithm_find(cost->name);
		const struct apsp_closure_task task = {
			.lengths = &first.prepared.lengths,
			.components = &first.prepared.components,
			.device = &limited.device};
		struct apsp_closure_bytes bytes =
			cost->bytes(&size, &limited.tuning.bits);

		limited.device.memory_bytes = bytes.all;
		limited.device.info.largest_buffer_bytes = bytes.largest;
		closure_run(closure, &task, 0);
		/* made on the device; all arcs join different components */
		if (bytes_peak > bytes.all ||
			bytes_peak < (cyclic ? bytes.all / 2 : bytes.all))
			fail_msg("%s took %llu bytes, not %llu", cost->name,
				(unsigned long long)bytes_peak,
				(unsigned long long)bytes.all);
		limited.device.memory_bytes--;
		closure_run(closure, &task, cost->or_host ? 0 : APSP_ELIMIT);
		assert_int_equal(bytes_peak, 0);
		limited.device.memory_bytes++;
		limited.device.info.largest_buffer_bytes--;
		closure_run(closure, &task, cost->or_host ? 0 : APSP_ELIMIT);
		assert_int_equal(bytes_peak, 0);
	}
	apsp_prepared_graph_done(&first.prepared);
}

static void test_closures(void **state)
{
	closure_check(*state, true);
	closure_check(*state, false);
}

static void test_on_cpu(void **state)
{
	const struct device_fixture *fixture = *state;

	/* the CPUs' kernels take minutes on a GPU */
	if (fixture->device.tuning->gpu)
		skip();
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		shape_check(*state, &shapes[s], false);
}

static void test_on_gpu(void **state)
{
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		shape_check(*state, &shapes[s], true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_on_cpu),
		cmocka_unit_test(test_on_gpu),
		cmocka_unit_test(test_pinned),
		cmocka_unit_test(test_closures),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
