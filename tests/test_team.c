/*
 * Loops on threads that stay: each index once, no thread twice at a time, and
 * no more threads than processors however many loops there are.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "compute/parallel.h"
#include "compute/team.h"

enum {
	MOST = 1000,
	LOOPS = 300,
};

struct counts {
	atomic_uint calls[MOST];
	atomic_bool busy[APSP_PARALLEL_MAX];
	/* the thread that each index of the width was first seen in */
	pthread_t seen[APSP_PARALLEL_MAX];
	atomic_bool is_seen[APSP_PARALLEL_MAX];
	atomic_bool wrong;
};

static void count(void *ctx, unsigned int thread, size_t i)
{
	struct counts *counts = ctx;

	if (thread >= apsp_parallel_width() ||
		atomic_exchange(&counts->busy[thread], true)) {
		atomic_store(&counts->wrong, true);
		return;
	}
	if (!atomic_exchange(&counts->is_seen[thread], true))
		counts->seen[thread] = pthread_self();
	else if (!pthread_equal(counts->seen[thread], pthread_self()))
		atomic_store(&counts->wrong, true);
	atomic_fetch_add(&counts->calls[i], 1);
	atomic_store(&counts->busy[thread], false);
}

static void test_loops(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 17, MOST};
	struct apsp_team *team = apsp_team_new();
	struct counts counts = {0};

	(void)state;
	assert_non_null(team);
	for (int loop = 0; loop < LOOPS; loop++) {
		size_t n = sizes[loop % 6];

		memset(counts.calls, 0, sizeof(counts.calls));
		apsp_team_for(team, n, count, &counts);
		assert_false(counts.wrong);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(counts.calls[i], i < n);
	}
	apsp_team_free(team);
}

/* Every index waits until all threads have come, so all must take part. */
static void meet(void *ctx, unsigned int thread, size_t i)
{
	atomic_uint *come = ctx;

	(void)thread;
	(void)i;
	atomic_fetch_add(come, 1);
	while (atomic_load(come) < apsp_parallel_width())
		sched_yield();
}

static void test_all_help(void **state)
{
	struct apsp_team *team = apsp_team_new();

	(void)state;
	for (int loop = 0; loop < 20; loop++) {
		atomic_uint come = 0;

		apsp_team_for(team, apsp_parallel_width(), meet, &come);
		assert_int_equal(come, apsp_parallel_width());
	}
	apsp_team_free(team);
}

static void test_without(void **state)
{
	struct counts counts = {0};

	(void)state;
	/* new threads each time, so only the indices are looked at */
	apsp_team_for(NULL, 1, count, &counts);
	assert_int_equal(counts.calls[0], 1);
	apsp_team_free(NULL);
	apsp_team_free(apsp_team_new());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_all_help),
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
