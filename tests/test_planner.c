/*
 * Whether multi-source is counted before it is dropped: the least that its
 * count can be is never more than the count, where arcs are left out and where
 * vertices are not reached, and a graph of mostly useless arcs is counted. So
 * is one whose user asks for multi-source. And that plans know of hubs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "compute/graph/multi_source_probe.h"
#include "compute/solve/kept_rates.h"
#include "compute/solve/planner.h"
#include "daemon/base/auto.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N = 512,
	STAR_DEGREE = 20,
	TAIL_DEGREE = 32,
};

/* Write, read and end a graph. */
static void prepared_make(
	struct graph_fixture *g, struct apsp_prepared_graph *out)
{
	struct apsp_negative_cycle cycle = {0};
	struct apsp_progress silent;
	struct apsp_err err;
	char path[] = "/tmp/apsp-planner-XXXXXX";
	int file = mkstemp(path);

	assert_true(file >= 0);
	close(file);
	apsp_progress_init(&silent, NULL, NULL);
	assert_int_equal(apsp_graph_write(path, &g->graph, &err), 0);
	graph_fixture_done(g);
	memset(out, 0, sizeof(*out));
	assert_int_equal(apsp_prepared_graph_open(path, out, &err), 0);
	assert_int_equal(apsp_prepared_graph_lengths(out, &cycle, &err), 0);
	assert_int_equal(
		apsp_prepared_graph_closure(out, NULL, NULL, &silent, &err), 0);
	assert_int_equal(
		apsp_prepared_graph_scale(out, &out->widths[0], &err), 0);
	unlink(path);
}

/* Arcs of random lengths between vertices of the same of n_parts parts. */
static void random_make(uint32_t n_parts, uint32_t degree, uint64_t *seed,
	struct apsp_prepared_graph *out)
{
	struct graph_fixture g;

	graph_fixture_init(&g, N);
	for (uint32_t e = 0; e < N * degree; e++) {
		uint32_t u = random_below(seed, N);
		uint32_t v =
			random_below(seed, N / n_parts) * n_parts + u % n_parts;

		graph_fixture_add(&g, u, v, 1 + random_below(seed, 1000));
	}
	prepared_make(&g, out);
}

/* Short arcs from vertex 0 to all and back, and long ones that none needs. */
static void star_make(struct apsp_prepared_graph *out)
{
	struct graph_fixture g;

	graph_fixture_init(&g, N);
	for (uint32_t v = 1; v < N; v++) {
		graph_fixture_add(&g, 0, v, 1);
		graph_fixture_add(&g, v, 0, 1);
		for (uint32_t i = 1; i <= STAR_DEGREE && v + i < N; i++)
			graph_fixture_add(&g, v, v + i, 1000);
	}
	prepared_make(&g, out);
}

/* The least and the count, as on a CPU or a GPU. */
static void bound_get(const struct apsp_prepared_graph *prepared, bool cpu,
	double *out_least, double *out_count)
{
	APSP_AUTO(apsp_multi_source_probe_done)
	struct apsp_multi_source_probe probe = {0};
	struct apsp_err err;

	assert_int_equal(apsp_multi_source_probe_init(&prepared->lengths,
				 &prepared->integers, &prepared->order,
				 cpu ? &prepared->paths : NULL, &probe, &err),
		0);
	*out_least = apsp_multi_source_probe_least(&probe, &prepared->closure);
	assert_int_equal(
		apsp_multi_source_probe_count(&probe, out_count, &err), 0);
}

static void test_least(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (uint32_t i = 0; i < 24; i++) {
		struct apsp_prepared_graph prepared;
		uint32_t n_parts = 1U << (i % 4);
		bool cpu = i / 4 % 2 == 0;
		double least, count, m;

		random_make(n_parts, 1 + i / 2, &seed, &prepared);
		m = (double)prepared.lengths.n_arcs;
		bound_get(&prepared, cpu, &least, &count);
		assert_true(least > 0);
		assert_true(least <= count);
		/* one source's part has few arcs of the whole */
		assert_true(least < 1.5 * m / n_parts);
		/* all vertices of a part reach each other */
		if (!cpu && i >= 16)
			assert_true(least > m / n_parts / 1.5);
		apsp_prepared_graph_done(&prepared);
	}
}

/* A CPU of the tuning's, with rates by which multi-source goes over one arc for
   each source in the time that blocked-fw takes for `cells` of n³. */
static void device_make(const char *dir, double cells, struct apsp_tuning *cpu,
	struct apsp_device *out)
{
	struct apsp_rates rates;
	struct apsp_err err;

	*cpu = *apsp_tuning_find("", false);
	*out = (struct apsp_device){.info = {.largest_buffer_bytes = 1U << 30},
		.host_memory = true,
		.memory_bytes = 1U << 30,
		.tuning = cpu,
		.kernel_dir = (char *)dir,
		.identity = (char *)"a CPU of a test"};
	apsp_rates_default(false, &rates);
	/* predecessors take as long as there are arcs of use */
	rates.arc_s = 1e-6;
	for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
		rates.algorithms[APSP_ALGORITHM_BLOCKED_FW][e] =
			(struct apsp_rate){.operation_s = 1e-6};
		rates.algorithms[APSP_ALGORITHM_MULTI_SOURCE][e] =
			(struct apsp_rate){.operation_s = cells * 1e-6};
	}
	assert_int_equal(apsp_kept_rates_save(out, &rates, &err), 0);
}

/*
 * blocked-fw takes as long as going over N² / CELLS arcs: less than all arcs,
 * and more than the count without the useless ones.
 */
static void test_mostly_useless(void **state)
{
	const double cells = 50;
	struct apsp_prepared_graph prepared;
	struct apsp_device device;
	struct apsp_tuning cpu;
	struct apsp_plan plan;
	struct apsp_err err;
	double least, count;
	char dir[] = "/tmp/apsp-planner-XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	star_make(&prepared);
	bound_get(&prepared, true, &least, &count);
	assert_true((double)prepared.lengths.n_arcs > 1.5 * N * N / cells);
	assert_true(count * 1.5 < N * N / cells);
	assert_int_equal((int)least, 2 * (N - 1));
	device_make(dir, cells, &cpu, &device);
	assert_int_equal(apsp_planner_make(&prepared, &device,
				 &prepared.widths[0], "", &plan, &err),
		0);
	assert_int_equal(plan.choice, APSP_ALGORITHM_MULTI_SOURCE);
	apsp_prepared_graph_done(&prepared);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

/* The estimate of multi-source, as the plan says for `asked`. */
static struct apsp_estimate estimate_get(
	const struct apsp_prepared_graph *prepared, const char *dir,
	double cells, const char *asked, int choice)
{
	struct apsp_device device;
	struct apsp_tuning cpu;
	struct apsp_plan plan;
	struct apsp_err err;

	device_make(dir, cells, &cpu, &device);
	assert_int_equal(apsp_planner_make(prepared, &device,
				 &prepared->widths[0], asked, &plan, &err),
		0);
	assert_int_equal(plan.choice, choice);
	return plan.algorithms[APSP_ALGORITHM_MULTI_SOURCE];
}

/*
 * Jobs teach estimates by what their plan said, so that one whose algorithm was
 * asked for says the same as one where it was chosen.
 */
static void test_asked(void **state)
{
	const int multi_source = APSP_ALGORITHM_MULTI_SOURCE;
	const double few = 50, many = 5000;
	struct apsp_prepared_graph prepared;
	struct apsp_estimate chosen, asked, slow;
	char dir[] = "/tmp/apsp-planner-XXXXXX", command[64];
	double *asked_s = asked.cost.seconds, *slow_s = slow.cost.seconds;

	(void)state;
	assert_non_null(mkdtemp(dir));
	star_make(&prepared);
	chosen = estimate_get(&prepared, dir, few, "", multi_source);
	asked = estimate_get(&prepared, dir, few, "multi-source", multi_source);
	for (int s = 0; s < APSP_N_JOB_STAGES; s++)
		assert_true(asked_s[s] == chosen.cost.seconds[s]);
	/* where it would not be chosen, too */
	estimate_get(&prepared, dir, many, "", APSP_ALGORITHM_BLOCKED_FW);
	slow = estimate_get(&prepared, dir, many, "multi-source", multi_source);
	assert_true(
		slow_s[APSP_JOB_STAGE_READ] == asked_s[APSP_JOB_STAGE_READ]);
	assert_float_equal(slow_s[APSP_JOB_STAGE_DISTANCE],
		asked_s[APSP_JOB_STAGE_DISTANCE] * many / few, 1e-6);
	apsp_prepared_graph_done(&prepared);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

/* Seconds of predecessors of a graph most of whose arcs have n_tails tails. */
static double predecessor_s(const char *dir, uint32_t n_tails)
{
	struct apsp_prepared_graph prepared;
	struct graph_fixture g;
	struct apsp_device device;
	struct apsp_tuning cpu;
	struct apsp_plan plan;
	struct apsp_err err;
	uint64_t seed = 1;
	double seconds;

	graph_fixture_init(&g, N);
	for (uint32_t e = 0; e < N * TAIL_DEGREE; e++)
		graph_fixture_add(&g, e % n_tails, e / n_tails % N,
			1 + random_below(&seed, 1000));
	/* and a ring, so that all reach all */
	for (uint32_t v = 0; v < N; v++)
		graph_fixture_add(&g, v, (v + 1) % N, 1000);
	prepared_make(&g, &prepared);
	device_make(dir, 1, &cpu, &device);
	assert_int_equal(
		apsp_planner_make(&prepared, &device, &prepared.widths[0],
			"blocked-fw", &plan, &err),
		0);
	seconds = plan.algorithms[APSP_ALGORITHM_BLOCKED_FW]
			  .cost.seconds[APSP_JOB_STAGE_PREDECESSOR];
	apsp_prepared_graph_done(&prepared);
	return seconds;
}

/* As many arcs, once from every vertex, once from few. */
static void test_hubs(void **state)
{
	char dir[] = "/tmp/apsp-planner-XXXXXX", command[64];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_true(
		predecessor_s(dir, TAIL_DEGREE) < 0.5 * predecessor_s(dir, N));
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_mostly_useless),
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_hubs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
