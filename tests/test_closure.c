/*
 * Every closure, bit for bit, against a breadth-first search from every vertex;
 * on the device as it is tuned, and with a GPU's kernels on whatever is at
 * hand.
 */
#include <CL/cl.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compute/closure/closure_algorithm.h"
#include "compute/device/programs.h"
#include "compute/solve/prepared_graph.h"
#include "tests/closure_shapes.h"
#include "tests/device_fixture.h"

/* What the driver refuses. */
enum refusal { NO_REFUSAL, NO_BUFFERS, NO_PROGRAMS };

static enum refusal refusal;
static int n_refused;

/* In place of the loader's, as the next one. */
cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
	void *data, cl_int *status)
{
	static cl_mem (*real)(
		cl_context, cl_mem_flags, size_t, void *, cl_int *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clCreateBuffer");
	if (refusal != NO_BUFFERS)
		return real(context, flags, size, data, status);
	n_refused++;
	*status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	return NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint n_devices,
	const cl_device_id *devices, const char *options,
	void (*notify)(cl_program, void *), void *ctx)
{
	static cl_int (*real)(cl_program, cl_uint, const cl_device_id *,
		const char *, void (*)(cl_program, void *), void *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clBuildProgram");
	if (refusal != NO_PROGRAMS)
		return real(program, n_devices, devices, options, notify, ctx);
	n_refused++;
	return CL_BUILD_PROGRAM_FAILURE;
}

static const char *const names[] = {
#define APSP_CLOSURE(id, stem, name, ...) name,
#include "compute/plan/algorithm_list.h"
};

/* What can be reached from every vertex. */
static struct apsp_bits reach_of(const struct apsp_lengths *g)
{
	uint32_t n = g->n_vertices;
	uint32_t *queue = malloc(((size_t)n + 1) * sizeof(*queue));
	struct apsp_bits reach;

	assert_int_equal(apsp_bits_init(&reach, n, n, NULL), 0);
	for (uint32_t source = 0; source < n; source++) {
		uint32_t end = 1;

		queue[0] = source;
		apsp_bits_set(&reach, source, source);
		for (uint32_t i = 0; i < end; i++)
			for (uint64_t a = g->offsets[queue[i]];
				a < g->offsets[queue[i] + 1]; a++) {
				uint32_t head = g->heads[a];

				if (apsp_bits_get(&reach, source, head))
					continue;
				apsp_bits_set(&reach, source, head);
				queue[end++] = head;
			}
	}
	free(queue);
	return reach;
}

static void check(const struct apsp_closure_task *task, const char *name,
	const struct apsp_bits *reach, const char *where)
{
	const struct apsp_closure_algorithm *closure =
		apsp_closure_algorithm_find(name);
	uint32_t n = task->lengths->n_vertices;
	struct apsp_progress silent;
	const double *seconds = silent.stages.seconds;
	struct apsp_bits made;
	struct apsp_err err;

	apsp_progress_init(&silent, NULL, NULL);
	apsp_progress_stage(&silent, APSP_STAGE_CLOSURE);
	assert_non_null(closure);
	if (closure->run(task, &silent, &made, &err) < 0)
		fail_msg("%s, %s: n=%u m=%llu: %s", name, where, n,
			(unsigned long long)task->lengths->n_arcs, err.message);
	/* what goes to and from the device has its own stages */
	assert_int_equal(silent.stage, APSP_STAGE_CLOSURE);
	if (!task->device)
		assert_true(seconds[APSP_STAGE_UPLOAD] == 0);
	else if (closure !=
		 apsp_closure_algorithm_find("")) /* or on the host */
		assert_true(seconds[APSP_STAGE_UPLOAD] > 0);
	assert_true((seconds[APSP_STAGE_UPLOAD] > 0) ==
		    (seconds[APSP_STAGE_DOWNLOAD] > 0));
	assert_int_equal(made.n_rows, n);
	assert_int_equal(made.n_columns, n);
	if (memcmp(made.words, reach->words,
		    sizeof(*made.words) * made.row_words * n) != 0)
		fail_msg("%s, %s: n=%u m=%llu: wrong", name, where, n,
			(unsigned long long)task->lengths->n_arcs);
	apsp_bits_done(&made);
}

static void check_graph(
	const struct apsp_device *device, const struct apsp_lengths *g)
{
	struct apsp_bits reach = reach_of(g);
	struct apsp_components components;
	struct apsp_closure_task task = {
		.lengths = g, .components = &components};
	struct apsp_device gpu = *device, cpu = *device;
	struct apsp_tuning tuning[2] = {*apsp_tuning_find("", false, NULL),
		*apsp_tuning_find("", true, NULL)};

	assert_int_equal(apsp_components_build(g, &components, NULL), 0);
	check(&task, "closure-order", &reach, "on the host");
	for (int t = 0; t < 2; t++)
		tuning[t].bits.host_words = 0;
	cpu.tuning = &tuning[0];
	gpu.tuning = &tuning[1];
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		task.device = &gpu;
		check(&task, names[i], &reach, "as on a GPU");
		if (device->tuning->gpu)
			continue;
		task.device = &cpu;
		check(&task, names[i], &reach, "as on a CPU");
	}
	apsp_components_done(&components);
	apsp_bits_done(&reach);
}

static void test_shapes(void **state)
{
	struct device_fixture *fixture = *state;
	/* around words, pivot blocks, groups of lines and lines */
	static const uint32_t sizes[] = {
		1, 2, 31, 32, 33, 64, 65, 97, 1023, 1024, 1025, 2100};

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
		for (int shape = 0; shape < N_SHAPES; shape++) {
			struct apsp_lengths g = graph_make(
				shape, sizes[s], 1 + 100 * s + (size_t)shape);

			check_graph(&fixture->device, &g);
			graph_free(&g);
		}
}

/* Around one arc a vertex, components are the most varied. */
static void test_many_small(void **state)
{
	struct device_fixture *fixture = *state;
	uint64_t seed = 4711;

	for (int i = 0; i < 100; i++) {
		uint32_t n = 2 + random_below(&seed, 130);
		uint32_t m = random_below(&seed, 3 * n);
		uint32_t *tails = malloc((m + 1) * sizeof(*tails));
		uint32_t *heads = malloc((m + 1) * sizeof(*heads));
		const struct arcs arcs = {tails, heads, m};
		struct apsp_lengths g;

		for (uint32_t a = 0; a < m; a++) {
			tails[a] = random_below(&seed, n);
			heads[a] = random_below(&seed, n);
		}
		g = rows_of(&arcs, n);
		check_graph(&fixture->device, &g);
		graph_free(&g);
		free(tails);
		free(heads);
	}
}

/* Launches of few rows, as on large graphs. */
static void test_small_launches(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *device.tuning;

	device.tuning = &tuning;
	tuning.bits.host_words = 0;
	tuning.launch_relaxations = 20000;
	for (int shape = 0; shape < N_SHAPES; shape++) {
		struct apsp_lengths g = graph_make(shape, 333, 5);
		struct apsp_bits reach = reach_of(&g);
		struct apsp_components components;
		const struct apsp_closure_task task = {.lengths = &g,
			.components = &components,
			.device = &device};

		assert_int_equal(
			apsp_components_build(&g, &components, NULL), 0);
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			check(&task, names[i], &reach, "in small launches");
		apsp_components_done(&components);
		apsp_bits_done(&reach);
		graph_free(&g);
	}
}

/* No room: a sentence with both sizes; closure-order goes to the host. */
static void test_too_small(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *device.tuning;
	struct apsp_lengths g = graph_make(DAG, 1000, 1);
	struct apsp_bits reach = reach_of(&g), bits;
	struct apsp_components components;
	const struct apsp_closure_task task = {
		.lengths = &g, .components = &components, .device = &device};
	struct apsp_progress silent;
	struct apsp_err err;

	apsp_progress_init(&silent, NULL, NULL);
	assert_int_equal(apsp_components_build(&g, &components, NULL), 0);
	device.tuning = &tuning;
	tuning.bits.host_words = 0;
	device.memory_bytes = 150000;
	for (size_t i = 1; i < sizeof(names) / sizeof(*names); i++) {
		assert_int_equal(apsp_closure_algorithm_find(names[i])->run(
					 &task, &silent, &bits, &err),
			APSP_ELIMIT);
		assert_non_null(strstr(err.message, "1000 vertices"));
		assert_non_null(strstr(err.message, "150 kB"));
	}
	device.memory_bytes = 100000;
	check(&task, "closure-order", &reach, "without room");
	device.memory_bytes = fixture->device.memory_bytes;
	device.info.largest_buffer_bytes = 100000;
	check(&task, "closure-order", &reach, "without room");
	assert_int_equal(apsp_closure_warshall_run(&task, &silent, &bits, &err),
		APSP_ELIMIT);
	assert_non_null(strstr(err.message, "in one buffer"));
	apsp_components_done(&components);
	apsp_bits_done(&reach);
	graph_free(&g);
}

/* A device that gives no memory, and one whose compiler fails: the host makes
   the closure, in the same bits. */
static void test_device_refuses(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *device.tuning;
	struct apsp_lengths g = graph_make(BOW_TIE, 300, 1);
	struct apsp_bits reach = reach_of(&g);
	uint64_t loops[300 / 64 + 1] = {0};
	struct apsp_progress silent;

	apsp_progress_init(&silent, NULL, NULL);
	device.tuning = &tuning;
	tuning.bits.host_words = 0;
	for (enum refusal wanted = NO_REFUSAL; wanted <= NO_PROGRAMS;
		wanted++) {
		struct apsp_prepared_graph prepared = {
			.lengths = {.n_vertices = g.n_vertices,
				.n_arcs = g.n_arcs,
				.offsets = g.offsets,
				.heads = g.heads,
				.self_loop = loops}};
		struct apsp_err err;
		int r;

		refusal = wanted;
		n_refused = 0;
		/* with programs of its own, which are not made yet */
		device.programs = calloc(1, sizeof(*device.programs));
		assert_non_null(device.programs);
		assert_int_equal(apsp_components_build(&prepared.lengths,
					 &prepared.components, &err),
			0);
		r = apsp_prepared_graph_closure(
			&prepared, NULL, &device, &silent, &err);
		refusal = NO_REFUSAL;
		apsp_programs_free(device.programs);
		if (r < 0)
			fail_msg("refusal %d: %s", (int)wanted, err.message);
		assert_int_equal(n_refused > 0, wanted != NO_REFUSAL);
		for (uint32_t v = 0; v < g.n_vertices; v++)
			for (uint32_t j = 0; j < g.n_vertices; j++)
				assert_int_equal(
					apsp_bits_get(&prepared.closure, v, j),
					apsp_bits_get(&reach, v, j));
		prepared.lengths = (struct apsp_lengths){0};
		apsp_prepared_graph_done(&prepared);
	}
	apsp_bits_done(&reach);
	graph_free(&g);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(
		apsp_closure_algorithm_find("")->name, "closure-order");
	assert_null(apsp_closure_algorithm_find("closure-"));
	assert_null(apsp_closure_algorithm_find("blocked-fw"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_many_small),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_small_launches),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_device_refuses),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
