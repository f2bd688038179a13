/*
 * What a solve really takes on a device, against what its plan said of it
 * before: bytes at once, and in one buffer. Buffers are counted in the calls
 * that make and release them, which this program has of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "compute/algorithm.h"
#include "compute/closure.h"
#include "compute/closure_cost.h"
#include "compute/planner.h"
#include "compute/predecessor.h"
#include "compute/sums_device.h"
#include "daemon/base/auto.h"
#include "daemon/base/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"
#include "tests/solved.h"

enum {
	N = 4 * APSP_TILE + 9, /* more sources than a batch of bits has */
	DEGREE = 40,
};

/* Bytes of the device's that are held now, and that were at most. */
static uint64_t held, peak;

/* Shapes that were solved in windows. */
static int n_windowed;

/* The same call in the OpenCL loader. */
static void next_find(const char *name, void *out)
{
	void *next = dlsym(RTLD_NEXT, name);

	assert_non_null(next);
	memcpy(out, &next, sizeof(next));
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
	void *data, cl_int *status)
{
	cl_mem (*next)(cl_context, cl_mem_flags, size_t, void *, cl_int *);

	next_find("clCreateBuffer", &next);
	if (!(flags & CL_MEM_ALLOC_HOST_PTR))
		held += size;
	if (held > peak)
		peak = held;
	return next(context, flags, size, data, status);
}

cl_int clReleaseMemObject(cl_mem buffer)
{
	cl_int (*next)(cl_mem);
	cl_mem_flags flags = 0;
	size_t size = 0;

	next_find("clReleaseMemObject", &next);
	assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags),
				 &flags, NULL),
		CL_SUCCESS);
	assert_int_equal(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(size),
				 &size, NULL),
		CL_SUCCESS);
	if (!(flags & CL_MEM_ALLOC_HOST_PTR))
		held -= size;
	return next(buffer);
}

/* Graphs whose V fits the width that is tried first. */
static const struct shape {
	uint32_t n;
	uint32_t degree;
	double longest;
	bool hops;
} shapes[] = {
	/* the matrix is the most; more sources than a batch of bits has */
	{4 * APSP_TILE + 9, 10, 9, true},
	{4 * APSP_TILE + 9, 10, 100000, false},
	{4 * APSP_TILE + 9, 10, 1e9, false},
	/* and where distances are path sums */
	{4 * APSP_TILE + 9, 10, 0.5, false},
	/* the arcs are, all essential, of which no two are one edge */
	{3 * APSP_TILE - 1, 3 * APSP_TILE / 2 - 1, 1, true},
	{3 * APSP_TILE - 1, 3 * APSP_TILE / 2 - 1, 0.5, false},
};

static void graph_make(const struct device_fixture *fixture,
	const struct shape *shape, bool cyclic)
{
	struct graph_fixture g;
	struct apsp_err err;
	uint64_t seed = 1;
	char path[300];

	graph_fixture_init(&g, shape->n);
	for (uint32_t u = 0; u < shape->n; u++)
		for (uint32_t i = 1;
			i <= shape->degree && (cyclic || u + i < shape->n); i++)
			graph_fixture_add(&g, u, (u + i) % shape->n,
				shape->longest < 1
					? 1 + random_unit(&seed)
					: 1 + floor(random_unit(&seed) *
						      shape->longest));
	if (shape->hops)
		g.graph.profile.transform = APSP_TRANSFORM_HOPS;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

/* A device whose limits a test sets, with its own or another's tuning. */
struct limited {
	struct apsp_device device;
	struct apsp_tuning tuning;
};

static void limited_init(
	struct limited *l, const struct device_fixture *fixture, bool gpu)
{
	l->device = fixture->device;
	l->tuning = *apsp_tuning_find("", gpu);
	/* not all rows at once, nor all batches */
	l->tuning.staging_bytes = 1 << 15;
	l->tuning.lanes_bytes = 1 << 18;
	l->tuning.pivot_tiles = gpu ? 2 : 1;
	l->device.tuning = &l->tuning;
}

/* The graph's first attempt, ready to be run or planned. */
struct first {
	struct apsp_problem problem;
	struct apsp_monitor silent;
};

static void first_make(const struct device_fixture *fixture, struct first *out)
{
	struct apsp_cycle cycle = {0};
	struct apsp_err err;
	char path[300];

	memset(out, 0, sizeof(*out));
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	apsp_monitor_init(&out->silent, NULL, NULL);
	assert_int_equal(apsp_problem_open(path, &out->problem, &err), 0);
	assert_int_equal(apsp_problem_lengths(&out->problem, &cycle, &err), 0);
	assert_int_equal(apsp_problem_closure(
				 &out->problem, NULL, NULL, &out->silent, &err),
		0);
	assert_int_equal(apsp_problem_scale(
				 &out->problem, &out->problem.widths[0], &err),
		0);
}

static struct apsp_estimate estimate(
	struct first *first, const struct apsp_device *device, const char *name)
{
	struct apsp_plan plan;
	struct apsp_err err;

	assert_int_equal(apsp_planner_make(&first->problem, device,
				 &first->problem.widths[0], name, &plan, &err),
		0);
	return plan.algorithms[apsp_cost_find(name)];
}

static struct apsp_estimate estimate_at(struct first *first,
	const struct limited *limited, uint64_t memory_bytes, const char *name)
{
	struct apsp_device device = limited->device;

	device.memory_bytes = memory_bytes;
	return estimate(first, &device, name);
}

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
	const struct apsp_algorithm *algorithm = apsp_algorithm_find(name);
	struct apsp_problem *problem = &first->problem;
	APSP_AUTO(apsp_free)
	uint8_t *flags = malloc(problem->lengths.n_arcs + 1);
	enum apsp_element element = problem->widths[0].element;
	const struct apsp_task task = {
		&problem->lengths, &problem->integers, &problem->order, &arcs};
	int r = apsp_device_arcs_load(device, &problem->lengths,
		&problem->integers, &problem->order, element, &arcs, err);

	if (r >= 0)
		r = apsp_algorithm_panels(algorithm, device, &task, element,
			problem->lengths.n_vertices, &panels, err);
	if (r >= 0)
		r = algorithm->run(&task, &panels, &first->silent, err);
	if (r >= 0)
		r = apsp_panels_essential(&panels, &arcs, flags, err);
	if (r >= 0)
		r = apsp_predecessors_open(&panels, &problem->lengths,
			&problem->integers, flags, &predecessors, err);
	if (r < 0 || problem->integers.kind != APSP_DISTANCE_SUM)
		return r;
	r = apsp_sum_arcs_load(
		&predecessors, &problem->lengths, &sum_arcs, err);
	return r < 0 ? r
		     : apsp_sums_device_open(&predecessors, &sum_arcs,
			       APSP_ELEMENT_F32, &sums, err);
}

static int solve(const struct device_fixture *fixture,
	const struct apsp_device *device, const char *name,
	const struct first *first, struct apsp_err *err)
{
	struct solved solved = {0};
	int r = solved_run(fixture->dir, device, name, &solved, err);

	/* the first attempt was the last one */
	if (r >= 0 && first->problem.integers.kind != APSP_DISTANCE_SUM)
		assert_int_equal(
			solved.header->sections[APSP_SECTION_DISTANCE].element,
			first->problem.widths[0].element);
	solved_done(&solved);
	return r;
}

/*
 * Windows of a row of tiles, where there is no room for more, give the tables
 * that the reference does; then have the device too little for them, too.
 */
static void window_check(const struct device_fixture *fixture,
	struct first *first, struct limited *limited, const char *name)
{
	struct solved expected = {0}, windows = {0};
	uint64_t before = held, step = limited->device.memory_bytes / 2;
	struct apsp_err err;

	n_windowed++;
	for (; step > 0; step /= 2)
		while (estimate_at(first, limited,
			limited->device.memory_bytes - step, name)
				.feasible)
			limited->device.memory_bytes -= step;
	assert_int_equal(
		estimate(first, &limited->device, name).rows, APSP_TILE);
	peak = held;
	if (solved_run(fixture->dir, &limited->device, name, &windows, &err) <
			0 ||
		solved_run(fixture->dir, NULL, "reference", &expected, &err) <
			0)
		fail_msg("%s in windows: %s", name, err.message);
	assert_true(peak - before <= limited->device.memory_bytes);
	assert_int_equal(held, before);
	assert_true(solved_same(&expected, &windows));
	solved_done(&expected);
	solved_done(&windows);
	limited->device.memory_bytes--;
}

/*
 * A solve takes what was said, if not always all of it: of arcs with lengths
 * only the essential ones are brought to the device again.
 */
static void bytes_check(const struct device_fixture *fixture,
	const struct shape *shape, struct first *first, struct limited *limited,
	const char *name)
{
	struct apsp_estimate e = estimate(first, &limited->device, name);
	enum apsp_element element = first->problem.widths[0].element;
	uint64_t least = e.device_bytes / 100 * (shape->hops ? 97 : 60);
	uint64_t before = held;
	struct apsp_err err;

	limited->device.memory_bytes = e.device_bytes;
	peak = held;
	if (solve(fixture, &limited->device, name, first, &err) < 0)
		fail_msg("%s: %s", name, err.message);
	peak -= before;
	assert_int_equal(held, before);
	if (peak < least || peak > e.device_bytes)
		fail_msg("%s of %u vertices in %s, gpu %d, took %llu bytes, "
			 "not %llu",
			name, shape->n, apsp_element_name(element),
			limited->tuning.gpu, (unsigned long long)peak,
			(unsigned long long)e.device_bytes);
	limited->device.memory_bytes--;
	/* what it has of its own may leave no room even for that */
	if (estimate(first, &limited->device, name).feasible)
		window_check(fixture, first, limited, name);
	assert_int_equal(solve(fixture, &limited->device, name, first, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, ": it needs "));
	limited->device.memory_bytes = fixture->device.memory_bytes;
}

/* The largest buffer that was said is enough, and one byte less is not. */
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
	assert_int_equal(solve(fixture, &limited->device, name, first, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, " in one buffer on "));
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
	for (int i = 0; i < APSP_COST_IDS; i++) {
		const struct apsp_cost *cost = &apsp_costs[i];

		if (cost->home == APSP_COST_ON_HOST ||
			(i == APSP_COST_BFS_LEVELS && !shape->hops))
			continue;
		bytes_check(fixture, shape, &first, &limited, cost->name);
		buffer_check(fixture, &first, &limited, cost->name);
	}
	apsp_problem_done(&first.problem);
}

/* Leave in peak what it took of the device. */
static void closure_run(const struct apsp_closure *closure,
	const struct apsp_closure_task *task, int code)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits bits = {0};
	struct apsp_monitor silent;
	uint64_t before = held;
	struct apsp_err err = {0};
	int r;

	apsp_monitor_init(&silent, NULL, NULL);
	peak = held;
	r = closure->run(task, &silent, &bits, &err);
	if (r != code)
		fail_msg("%s: %s", closure->name, err.message);
	peak -= before;
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
	size = (struct apsp_closure_size){shape.n, first.problem.lengths.n_arcs,
		first.problem.components.n_components};
	assert_int_equal(size.n_components, cyclic ? 1 : shape.n);
	for (int i = 0; i < APSP_CLOSURE_COSTS; i++) {
		const struct apsp_closure_cost *cost = &apsp_closure_costs[i];
		const struct apsp_closure *closure =
			apsp_closure_find(cost->name);
		const struct apsp_closure_task task = {
			.lengths = &first.problem.lengths,
			.components = &first.problem.components,
			.device = &limited.device};
		struct apsp_closure_bytes bytes =
			cost->bytes(&size, &limited.tuning.bits);

		limited.device.memory_bytes = bytes.all;
		limited.device.info.largest_buffer_bytes = bytes.largest;
		closure_run(closure, &task, 0);
		/* made on the device, and of the arcs each is another one's */
		if (peak > bytes.all ||
			peak < (cyclic ? bytes.all / 2 : bytes.all))
			fail_msg("%s took %llu bytes, not %llu", cost->name,
				(unsigned long long)peak,
				(unsigned long long)bytes.all);
		limited.device.memory_bytes--;
		closure_run(closure, &task, cost->or_host ? 0 : APSP_ELIMIT);
		assert_int_equal(peak, 0);
		limited.device.memory_bytes++;
		limited.device.info.largest_buffer_bytes--;
		closure_run(closure, &task, cost->or_host ? 0 : APSP_ELIMIT);
		assert_int_equal(peak, 0);
	}
	apsp_problem_done(&first.problem);
}

static void test_closures(void **state)
{
	closure_check(*state, true);
	closure_check(*state, false);
}

static void test_on_cpu(void **state)
{
	const struct device_fixture *fixture = *state;

	/* there a vector an item takes minutes */
	if (fixture->device.tuning->gpu)
		skip();
	n_windowed = 0;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		shape_check(*state, &shapes[s], false);
	assert_in_range(n_windowed, 3, INT32_MAX);
}

static void test_on_gpu(void **state)
{
	n_windowed = 0;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++)
		shape_check(*state, &shapes[s], true);
	assert_in_range(n_windowed, 3, INT32_MAX);
}

/* More vertices, that a window of bits takes less than all rows. */
static void test_windows_of_bits(void **state)
{
	static const struct shape shape = {9 * APSP_TILE + 9, 4, 1, true};
	const struct device_fixture *fixture = *state;

	graph_make(fixture, &shape, true);
	for (int gpu = fixture->device.tuning->gpu; gpu < 2; gpu++) {
		struct limited limited;
		struct first first;

		first_make(fixture, &first);
		limited_init(&limited, fixture, gpu);
		limited.device.memory_bytes =
			estimate(&first, &limited.device, "multi-source")
				.device_bytes;
		window_check(fixture, &first, &limited, "multi-source");
		apsp_problem_done(&first.problem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_on_cpu),
		cmocka_unit_test(test_on_gpu),
		cmocka_unit_test(test_windows_of_bits),
		cmocka_unit_test(test_closures),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
