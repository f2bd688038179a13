/*
 * Every algorithm and closure, by the kernels of CPUs and of GPUs, in every
 * element, on graphs of a few vertices and without self-tests: small enough for
 * a device that interprets kernels and watches their memory (Oclgrind;
 * devices.sh). APSP_TEST_VERTICES=N adds graphs of N vertices: 129 is the first
 * of several tiles. The tables are the reference's bits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/plan/algorithm.h"
#include "compute/plan/closure_cost.h"
#include "compute/solve/self_test.h"
#include "daemon/job/graph_file.h"
#include "tests/device_fixture.h"
#include "tests/oracle.h"
#include "tests/passed_over.h"
#include "tests/solved.h"

/* Calls of apsp_self_test_run() come here (tests/meson.build): its graph of two
   tiles a side takes an interpreter many minutes. */
int __wrap_apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err);

int __wrap_apsp_self_test_run(const struct apsp_device *device,
	const struct apsp_self_test *test, struct apsp_err *err)
{
	(void)device;
	(void)test;
	(void)err;
	return 0;
}

static void check(const struct device_fixture *fixture, const char *name,
	const struct solved *expected)
{
	struct solved found = {0};
	struct apsp_err err;
	int r = solved_run(fixture->dir, &fixture->device, name, &found, &err);

	if (passed_over_solve(&fixture->device, expected, r, &err))
		return;
	if (r < 0)
		fail_msg("%s: %s", name, err.message);
	if (!solved_same(expected, &found))
		fail_msg("%s: tables differ from the reference's", name);
	solved_done(&found);
}

/* The one that APSP_TEST_ALGORITHM names, or all that take the lengths. */
static void check_all(
	const struct device_fixture *fixture, const struct solved *expected)
{
	const char *only = getenv("APSP_TEST_ALGORITHM");

	for (size_t a = 0; apsp_algorithm_names[a]; a++) {
		const char *name = apsp_algorithm_names[a];
		int id = apsp_algorithm_find(name);

		if (only && strcmp(only, name) != 0)
			continue;
		if (id >= 0 && apsp_algorithms[id].start == APSP_START_HOST)
			continue;
		if (solved_takes(expected, name))
			check(fixture, name, expected);
	}
}

static void case_run(
	const struct device_fixture *fixture, uint32_t n, enum weights kind)
{
	struct solved expected = {0};
	struct graph_fixture g;
	struct oracle o;
	struct apsp_err err;
	uint64_t seed = 1 + n + 100 * (uint64_t)kind;
	char path[300];

	oracle_graph(&o, &g, n, kind, SPARSE, &seed);
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	if (apsp_graph_write(path, &g.graph, &err) < 0 ||
		solved_run(fixture->dir, NULL, "reference", &expected, &err) <
			0)
		fail_msg("%u vertices: %s", n, err.message);
	check_all(fixture, &expected);
	solved_done(&expected);
	oracle_done(&o);
	graph_fixture_done(&g);
}

/* Hops, 16 bits, 32, 64, and lengths whose distances are path sums. */
static void cases_run(const struct device_fixture *fixture, uint32_t n)
{
	static const enum weights kinds[] = {
		UNIT, SMALL, PAST_16, PAST_32, REAL};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		case_run(fixture, n, kinds[k]);
}

/* Both kinds of kernels; no words of bits stay on the host. */
static void kernels_run(const struct device_fixture *fixture, bool gpu)
{
	const char *more = getenv("APSP_TEST_VERTICES");
	struct device_fixture own = *fixture;
	struct apsp_tuning tuning = *apsp_tuning_find("", gpu, NULL);

	own.device.tuning = &tuning;
	tuning.bits.host_words = 0;
	cases_run(&own, 9);
	if (more)
		cases_run(&own, (uint32_t)atoi(more));
}

static void test_cpu(void **state)
{
	const struct device_fixture *fixture = *state;

	/* a GPU takes minutes with a vector an item; an interpreter does not,
	   though it calls itself one */
	if (!fixture->device.tuning->gpu || getenv("APSP_TEST_CPU_KERNELS"))
		kernels_run(fixture, false);
	else
		puts("passed over: a CPU");
}

static void test_gpu(void **state)
{
	kernels_run(*state, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_gpu),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
