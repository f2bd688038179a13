/*
 * When multi-source is given up: not before a tenth of the other algorithm's
 * time, then where what is left takes longer than all of the other, with
 * sources weighed by what they reach.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/distance/race.h"
#include "daemon/base/clock.h"

enum {
	N = 100,
};

/* The first n_alone vertices reach only themselves, the others each other. */
static struct apsp_race race_make(struct apsp_bits *closure, uint32_t n_alone)
{
	struct apsp_err err;

	assert_int_equal(apsp_bits_init(closure, N, N, &err), 0);
	for (uint32_t u = 0; u < N; u++)
		for (uint32_t v = 0; v < N; v++)
			if (u == v || (u >= n_alone && v >= n_alone))
				apsp_bits_set(closure, u, v);
	return (struct apsp_race){.limit_s = 100,
		.closure = closure,
		.n_reachable = apsp_bits_count(closure)};
}

/* Whether the race goes on once n sources took so long. */
static bool goes_on(const struct apsp_race *race, double n, double spent_s)
{
	struct apsp_race own = *race;
	struct apsp_err err;
	int r;

	own.since_s = apsp_clock_s() - spent_s;
	r = apsp_race_check(&own, n, &err);
	assert_int_equal(r, own.lost ? APSP_ECANCELLED : 0);
	if (own.lost)
		assert_true(own.lost_s >= spent_s && own.lost_s < spent_s + 5);
	return !own.lost;
}

static void test_pace(void **state)
{
	struct apsp_bits closure;
	struct apsp_race race = race_make(&closure, 0);

	(void)state;
	assert_int_equal(apsp_race_check(NULL, 0, NULL), 0);
	assert_true(goes_on(&race, 0.5, 5));
	assert_false(goes_on(&race, 0.5, 25));
	assert_false(goes_on(&race, 15, 25));
	assert_true(goes_on(&race, 25, 25));
	assert_false(goes_on(&race, 45, 100));
	assert_true(goes_on(&race, 55, 100));
	assert_true(goes_on(&race, 95, 500));
	apsp_bits_done(&closure);
}

/* Vertices that reach nothing are done at once. */
static void test_components(void **state)
{
	uint32_t order[N];
	struct apsp_positions positions = {.n_vertices = N, .vertices = order};
	struct apsp_bits closure;
	struct apsp_race race = race_make(&closure, N / 2);

	(void)state;
	/* half of the sources have a fiftieth of the work */
	assert_false(goes_on(&race, N / 2, 30));
	for (uint32_t at = 0; at < N; at++)
		order[at] = N - 1 - at;
	race.order = &positions;
	assert_true(goes_on(&race, N / 2 - 10, 90));
	assert_false(goes_on(&race, N / 10, 90));
	apsp_bits_done(&closure);
}

/* Only the time in which rows are made counts. */
static void test_pause(void **state)
{
	struct apsp_bits closure;
	struct apsp_race race = race_make(&closure, 0);
	struct apsp_err err;

	(void)state;
	race.since_s = apsp_clock_s() - 5;
	apsp_race_pause(&race);
	assert_true(race.spent_s >= 5 && race.spent_s < 8);
	apsp_race_go(&race);
	assert_int_equal(apsp_race_check(&race, 1, &err), 0);
	apsp_race_go(NULL);
	apsp_race_pause(NULL);
	apsp_bits_done(&closure);
}

/* Time that the processors spend on other programs does not count. */
static void test_busy_host(void **state)
{
	struct apsp_bits closure;
	struct apsp_race race = race_make(&closure, 0);
	struct apsp_err err;

	(void)state;
	race.limit_s = 0.2;
	race.width = 1;
	apsp_race_go(&race);
	usleep(200000);
	assert_int_equal(apsp_race_check(&race, 1, &err), 0);
	race.width = 0;
	apsp_race_go(&race);
	usleep(200000);
	assert_int_equal(apsp_race_check(&race, 1, &err), APSP_ECANCELLED);
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
