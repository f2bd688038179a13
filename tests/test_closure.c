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
#include "compute/closure/closure_levels.h"
#include "compute/device/programs.h"
#include "compute/solve/prepared_graph.h"
#include "tests/device_fixture.h"
#include "tests/random.h"

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

enum shape {
	RANDOM,	   /* self-loops and duplicates come up by chance */
	DAG,	   /* in a hidden order */
	DENSE_DAG, /* half of all possible arcs */
	PATH,	   /* the deepest possible */
	RINGS,	   /* components of many vertices, one leading to the next */
	BOW_TIE,   /* all to all through one large component */
	N_SHAPES,
};

static const char *const names[] = {
#define APSP_CLOSURE(id, stem, name, ...) name,
#include "compute/plan/algorithm_list.h"
};

/* Arcs while they are being collected. */
struct arcs {
	uint32_t *tails;
	uint32_t *heads;
	uint64_t n;
};

static void arc_add(struct arcs *arcs, uint32_t tail, uint32_t head)
{
	arcs->tails[arcs->n] = tail;
	arcs->heads[arcs->n++] = head;
}

static void shape_random(struct arcs *arcs, enum shape shape, uint32_t n,
	const uint32_t *hidden, uint64_t *state)
{
	for (uint32_t a = 0; a < 2 * n; a++) {
		uint32_t u = random_below(state, n), v = random_below(state, n);

		if (shape == DAG && u > v)
			arc_add(arcs, hidden[v], hidden[u]);
		else if (shape == RANDOM || u < v)
			arc_add(arcs, hidden[u], hidden[v]);
	}
}

static void shape_bow_tie(struct arcs *arcs, uint32_t n, const uint32_t *hidden)
{
	uint32_t third = n / 3;

	for (uint32_t v = third; v < 2 * third; v++)
		arc_add(arcs, hidden[v],
			hidden[v + 1 < 2 * third ? v + 1 : third]);
	for (uint32_t v = 0; v < third; v++) {
		arc_add(arcs, hidden[v], hidden[third + v]);
		arc_add(arcs, hidden[third + v], hidden[2 * third + v]);
	}
}

static void shape_make(struct arcs *arcs, enum shape shape, uint32_t n,
	const uint32_t *hidden, uint64_t *state)
{
	if (shape == RANDOM || shape == DAG)
		shape_random(arcs, shape, n, hidden, state);
	if (shape == BOW_TIE)
		shape_bow_tie(arcs, n, hidden);
	for (uint32_t u = 0; u < n && shape == DENSE_DAG; u++)
		for (uint32_t v = u + 1; v < n; v++)
			if (random_below(state, 2))
				arc_add(arcs, hidden[u], hidden[v]);
	for (uint32_t v = 0; v + 1 < n; v++) {
		if (shape == PATH)
			arc_add(arcs, hidden[v], hidden[v + 1]);
		if (shape == RINGS && v % 41 == 40)
			arc_add(arcs, hidden[v], hidden[v - 40]);
		if (shape == RINGS && random_below(state, 10))
			arc_add(arcs, hidden[v], hidden[v + 1]);
	}
}

static struct apsp_lengths rows_of(const struct arcs *arcs, uint32_t n)
{
	struct apsp_lengths g = {.n_vertices = n, .n_arcs = arcs->n};

	g.offsets = calloc((size_t)n + 2, sizeof(*g.offsets));
	g.heads = malloc((arcs->n + 1) * sizeof(*g.heads));
	for (uint64_t a = 0; a < arcs->n; a++)
		g.offsets[arcs->tails[a] + 2]++;
	for (uint32_t v = 0; v < n; v++)
		g.offsets[v + 2] += g.offsets[v + 1];
	for (uint64_t a = 0; a < arcs->n; a++)
		g.heads[g.offsets[arcs->tails[a] + 1]++] = arcs->heads[a];
	return g;
}

static struct apsp_lengths graph_make(
	enum shape shape, uint32_t n, uint64_t seed)
{
	size_t most = (size_t)n * n / 2 + 3 * (size_t)n;
	struct apsp_lengths g;
	struct arcs arcs = {
		.tails = malloc(most * sizeof(uint32_t)),
		.heads = malloc(most * sizeof(uint32_t)),
	};
	uint32_t *hidden = malloc(n * sizeof(*hidden));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = random_below(&seed, i + 1);

		hidden[i] = hidden[j];
		hidden[j] = i;
	}
	shape_make(&arcs, shape, n, hidden, &seed);
	g = rows_of(&arcs, n);
	free(hidden);
	free(arcs.tails);
	free(arcs.heads);
	return g;
}

static void graph_free(struct apsp_lengths *g)
{
	free(g->offsets);
	free(g->heads);
}

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
	assert_int_equal(silent.stages.stage, APSP_STAGE_CLOSURE);
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
	struct apsp_tuning tuning[2] = {
		*apsp_tuning_find("", false), *apsp_tuning_find("", true)};

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

/* Levels are cut into steps that keep their bounds and every row's order. */
static void check_steps(const struct apsp_closure_levels *levels,
	uint32_t n_vertices, uint64_t most)
{
	uint32_t *step_of = malloc(n_vertices * sizeof(*step_of));
	uint32_t *place_of = malloc(n_vertices * sizeof(*place_of));
	uint32_t place = 0;

	for (uint32_t s = 0; s < levels->n_steps; s++) {
		const struct apsp_closure_step *step = &levels->steps[s];
		uint64_t successors = 0;

		assert_int_equal(step->first, place);
		for (; place < step->first + step->n; place++) {
			uint32_t k = levels->order[place];
			uint32_t row = levels->rows[k];

			step_of[row] = s;
			place_of[row] = place;
			successors +=
				levels->offsets[k + 1] - levels->offsets[k];
			for (uint64_t i = levels->offsets[k];
				i < levels->offsets[k + 1]; i++) {
				uint32_t to = levels->successors[i];

				assert_true(place_of[to] < place);
				assert_true(step->chain || step_of[to] < s);
			}
		}
		assert_int_equal(successors, step->n_successors);
		assert_true(step->n == 1 || successors <= most);
	}
	assert_int_equal(place, levels->n);
	free(step_of);
	free(place_of);
}

static void check_levels(enum shape shape, uint32_t narrow, uint64_t most)
{
	struct apsp_lengths g = graph_make(shape, 400, 3);
	struct apsp_components components;
	struct apsp_closure_levels levels;
	const struct apsp_closure_wanted wanted = {
		shape % 2 == 0, narrow, most};

	assert_int_equal(apsp_components_build(&g, &components, NULL), 0);
	assert_int_equal(apsp_closure_levels_build(
				 &g, &components, &wanted, &levels, NULL),
		0);
	assert_int_equal(levels.n, components.n_components);
	check_steps(&levels, g.n_vertices, most);
	if (shape == PATH && narrow > 1)
		assert_true(levels.n_steps < 400);
	apsp_closure_levels_done(&levels);
	apsp_components_done(&components);
	graph_free(&g);
}

static void test_levels(void **state)
{
	(void)state;
	for (int shape = 0; shape < N_SHAPES; shape++)
		for (uint32_t narrow = 0; narrow < 12; narrow += 4)
			for (uint64_t most = 10; most < 1000; most *= 9)
				check_levels(shape, narrow, most);
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
		assert_non_null(strstr(err.message, "0.00015 GB"));
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
		device.programs = apsp_programs_new();
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
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_many_small),
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_small_launches),
		cmocka_unit_test(test_too_small),
		cmocka_unit_test(test_device_refuses),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
