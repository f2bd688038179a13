/*
 * Where multi-source is given up in the midst of a solve, the next algorithm
 * makes the same tables as one that is asked for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/distance/contest.h"
#include "compute/solve/kept_rates.h"
#include "tests/device_fixture.h"
#include "tests/oracle.h"
#include "tests/solved.h"

enum {
	N = 300,
};

static unsigned int n_given_up;

/* Calls of apsp_contest_check() come here (tests/meson.build). */
int __wrap_apsp_contest_check(
	struct apsp_contest *contest, double n_sources, struct apsp_err *err);

int __wrap_apsp_contest_check(
	struct apsp_contest *contest, double n_sources, struct apsp_err *err)
{
	assert_true(n_sources > 0);
	if (!contest)
		return 0;
	n_given_up++;
	contest->lost = true;
	contest->lost_s = 0.25;
	return apsp_fail(err, APSP_ECANCELLED, "too slow");
}

/* By these rates multi-source is in a contest. */
static void rates_keep(const struct apsp_device *device)
{
	struct apsp_rates rates;
	struct apsp_err err;

	apsp_rates_default(device->tuning->gpu, &rates);
	for (int e = 0; e < APSP_RATE_ELEMENTS; e++) {
		rates.rows[APSP_ALGORITHM_BLOCKED_FW][e].operation_s = 1e-6;
		rates.rows[APSP_ALGORITHM_STREAMED_FW][e].operation_s = 1e-6;
	}
	assert_int_equal(apsp_kept_rates_save(device, &rates, &err), 0);
}

static void test_tables(void **state)
{
	static const enum weights kinds[] = {SMALL, REAL};
	const struct device_fixture *fixture = *state;
	char path[300];

	rates_keep(&fixture->device);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct solved expected = {0}, found = {0};
		struct graph_fixture g;
		struct oracle o;
		struct apsp_err err = {0};
		uint64_t seed = 1;

		oracle_graph(&o, &g, N, kinds[k], SPARSE, &seed);
		snprintf(path, sizeof(path), "%s/graph", fixture->dir);
		g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
		n_given_up = 0;
		if (apsp_graph_write(path, &g.graph, &err) < 0 ||
			solved_run(fixture->dir, &fixture->device, "blocked-fw",
				&expected, &err) < 0 ||
			solved_run(fixture->dir, &fixture->device, "", &found,
				&err) < 0)
			fail_msg("%s", err.message);
		/* once for each width that is tried */
		assert_in_range(n_given_up, 1, APSP_WIDTHS_MAX);
		assert_true(solved_same(&expected, &found));
		solved_done(&expected);
		solved_done(&found);
		oracle_done(&o);
		graph_fixture_done(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup_keeping, device_fixture_teardown);
}
