/*
 * When multi-source is given up: not before a tenth of the rival's time, then
 * where the rest would take longer than the rival's whole run, with
 * sources weighed by what they reach.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/distance/contest.h"
#include "daemon/base/clock.h"

enum {
	N = 100,
};

/* The first n_alone vertices reach only themselves, the others each other. */
static struct apsp_contest contest_make(
	struct apsp_bits *closure, uint32_t n_alone)
{
	struct apsp_err err;

	assert_int_equal(apsp_bits_init(closure, N, N, &err), 0);
	for (uint32_t u = 0; u < N; u++)
		for (uint32_t v = 0; v < N; v++)
			if (u == v || (u >= n_alone && v >= n_alone))
				apsp_bits_set(closure, u, v);
	return (struct apsp_contest){.give_up_s = 100,
		.closure = closure,
		.n_reachable = apsp_bits_count(closure)};
}

/* Whether the contest goes on once n sources took so long. */
static bool goes_on(
	const struct apsp_contest *contest, double n, double spent_s)
{
	struct apsp_contest own = *contest;
	struct apsp_err err;
	int r;

	own.since_s = apsp_clock_s() - spent_s;
	r = apsp_contest_check(&own, n, &err);
	assert_int_equal(r, own.lost ? APSP_ECANCELLED : 0);
	if (own.lost)
		assert_true(own.lost_s >= spent_s && own.lost_s < spent_s + 5);
	return !own.lost;
}

static void test_pace(void **state)
{
	struct apsp_bits closure;
	struct apsp_contest contest = contest_make(&closure, 0);

	(void)state;
	assert_int_equal(apsp_contest_check(NULL, 0, NULL), 0);
	assert_true(goes_on(&contest, 0.5, 5));
	assert_false(goes_on(&contest, 0.5, 25));
	assert_false(goes_on(&contest, 15, 25));
	assert_true(goes_on(&contest, 25, 25));
	assert_false(goes_on(&contest, 45, 100));
	assert_true(goes_on(&contest, 55, 100));
	assert_true(goes_on(&contest, 95, 500));
	apsp_bits_done(&closure);
}

/* Vertices that reach nothing are done at once. */
static void test_components(void **state)
{
	uint32_t order[N];
	struct apsp_positions positions = {.n_vertices = N, .vertices = order};
	struct apsp_bits closure;
	struct apsp_contest contest = contest_make(&closure, N / 2);

	(void)state;
	/* half of the sources have a fiftieth of the work */
	assert_false(goes_on(&contest, N / 2, 30));
	for (uint32_t at = 0; at < N; at++)
		order[at] = N - 1 - at;
	contest.order = &positions;
	assert_true(goes_on(&contest, N / 2 - 10, 90));
	assert_false(goes_on(&contest, N / 10, 90));
	apsp_bits_done(&closure);
}

/* Only the time in which rows are made counts. */
static void test_pause(void **state)
{
	struct apsp_bits closure;
	struct apsp_contest contest = contest_make(&closure, 0);
	struct apsp_err err;

	(void)state;
	contest.since_s = apsp_clock_s() - 5;
	apsp_contest_pause(&contest);
	assert_true(contest.spent_s >= 5 && contest.spent_s < 8);
	apsp_contest_go(&contest);
	assert_int_equal(apsp_contest_check(&contest, 1, &err), 0);
	apsp_contest_go(NULL);
	apsp_contest_pause(NULL);
	apsp_bits_done(&closure);
}

/* Time that the processors spend on other programs does not count. */
static void test_busy_host(void **state)
{
	struct apsp_bits closure;
	struct apsp_contest contest = contest_make(&closure, 0);
	struct apsp_err err;

	(void)state;
	contest.give_up_s = 0.2;
	contest.n_processors = 1;
	apsp_contest_go(&contest);
	usleep(200000);
	assert_int_equal(apsp_contest_check(&contest, 1, &err), 0);
	contest.n_processors = 0;
	apsp_contest_go(&contest);
	usleep(200000);
	assert_int_equal(
		apsp_contest_check(&contest, 1, &err), APSP_ECANCELLED);
	apsp_bits_done(&closure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_busy_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
