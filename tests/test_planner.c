/*
 * The solver's plans know of hubs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "compute/solve/kept_rates.h"
#include "compute/solve/planner.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N = 512,
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

/* A CPU of the tuning's, whose predecessors take as long as there are arcs of
   use. */
static void device_make(
	const char *dir, struct apsp_tuning *cpu, struct apsp_device *out)
{
	struct apsp_rates rates;
	struct apsp_err err;

	*cpu = *apsp_tuning_find("", false, NULL);
	*out = (struct apsp_device){.info = {.largest_buffer_bytes = 1U << 30},
		.host_memory = true,
		.memory_bytes = 1U << 30,
		.tuning = cpu,
		.kernel_dir = (char *)dir,
		.identity = (char *)"a CPU of a test"};
	apsp_rates_default(false, &rates);
	rates.arc_s = 1e-6;
	assert_int_equal(apsp_kept_rates_save(out, &rates, &err), 0);
}

/* Seconds of predecessors of a graph most of whose arcs have n_tails tails. */
static double predecessor_s(const char *dir, uint32_t n_tails)
{
	struct apsp_prepared_graph prepared;
	struct graph_fixture g;
	struct apsp_device device;
	struct apsp_tuning cpu;
	struct apsp_plan plan;
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
	device_make(dir, &cpu, &device);
	apsp_planner_make(&prepared, &device, &prepared.widths[0], "blocked-fw",
		0, 0, &plan);
	seconds = plan.algorithms[APSP_ALGORITHM_BLOCKED_FW]
			  .cost.seconds[APSP_STAGE_PREDECESSOR];
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
		cmocka_unit_test(test_hubs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
