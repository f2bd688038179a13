/*
 * Loops on threads that stay: each index once, no number of a thread twice at a
 * time, and no more threads than processors however many loops there are.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compute/parallel.h"

enum {
	MOST = 1000,
	LOOPS = 300,
};

struct counts {
	atomic_uint calls[MOST];
	atomic_bool busy[APSP_PARALLEL_MAX];
	pthread_mutex_t mutex;
	pthread_t seen[2 * APSP_PARALLEL_MAX]; /* in any loop */
	unsigned int n_seen;
	atomic_bool wrong;
	unsigned int width; /* indices of threads */
};

/* Calls of the one come to the other (tests/meson.build). */
int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *out);
int __real_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *out);

static size_t mask_bytes; /* of Linux' own mask: it refuses smaller ones */

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *out)
{
	return size < mask_bytes ? -1
				 : __real_sched_getaffinity(pid, size, out);
}

static void self_note(struct counts *counts)
{
	unsigned int t = 0;

	pthread_mutex_lock(&counts->mutex);
	while (t < counts->n_seen &&
		!pthread_equal(counts->seen[t], pthread_self()))
		t++;
	if (t == counts->n_seen && t < 2 * APSP_PARALLEL_MAX)
		counts->seen[counts->n_seen++] = pthread_self();
	pthread_mutex_unlock(&counts->mutex);
}

static void count(void *ctx, unsigned int thread, size_t i)
{
	struct counts *counts = ctx;

	if (thread >= counts->width ||
		atomic_exchange(&counts->busy[thread], true)) {
		atomic_store(&counts->wrong, true);
		return;
	}
	self_note(counts);
	atomic_fetch_add(&counts->calls[i], 1);
	atomic_store(&counts->busy[thread], false);
}

static void test_loops(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 3, 17, MOST};
	unsigned int width = apsp_parallel_processors();
	struct counts counts = {
		.mutex = PTHREAD_MUTEX_INITIALIZER, .width = width};

	(void)state;
	for (int loop = 0; loop < LOOPS; loop++) {
		size_t n = sizes[loop % 6];

		memset(counts.calls, 0, sizeof(counts.calls));
		apsp_parallel_for(n, width, count, &counts);
		assert_false(counts.wrong);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(counts.calls[i], i < n);
	}
	assert_in_range(counts.n_seen, 1, apsp_parallel_processors());
}

/* Every index waits until all threads have come, so all must take part. */
static void meet(void *ctx, unsigned int thread, size_t i)
{
	atomic_uint *come = ctx;

	(void)thread;
	(void)i;
	atomic_fetch_add(come, 1);
	while (atomic_load(come) < apsp_parallel_processors())
		sched_yield();
}

static void test_all_help(void **state)
{
	unsigned int width = apsp_parallel_processors();

	(void)state;
	for (int loop = 0; loop < 20; loop++) {
		atomic_uint come = 0;

		apsp_parallel_for(width, width, meet, &come);
		assert_int_equal(come, apsp_parallel_processors());
	}
}

/*
 * The process may run on fewer processors than before. A loop as wide as before
 * still works, with the numbers of threads that it had.
 */
static void test_narrowed(void **state)
{
	unsigned int width = apsp_parallel_processors();
	struct counts counts = {
		.mutex = PTHREAD_MUTEX_INITIALIZER, .width = width};
	cpu_set_t before, one;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(apsp_parallel_processors(), 1);
	apsp_parallel_for(MOST, width, count, &counts);
	assert_false(counts.wrong);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

/* Linux may be built for more processors than a cpu_set_t has. */
static void test_wide_host(void **state)
{
	unsigned int width = apsp_parallel_processors();

	(void)state;
	if (width == 1)
		skip();
	mask_bytes = 8192 / 8;
	assert_int_equal(apsp_parallel_processors(), width);
	mask_bytes = 0;
}

static void meet_alone(void *ctx, unsigned int thread, size_t i)
{
	struct counts *counts = ctx;

	if (thread >= APSP_PARALLEL_MAX ||
		atomic_exchange(&counts->busy[thread], true))
		atomic_store(&counts->wrong, true);
	atomic_fetch_add(&counts->calls[i], 1);
	/* all wait here, however few processors there are */
	while (!counts->wrong &&
		atomic_load(&counts->calls[0]) +
				atomic_load(&counts->calls[1]) +
				atomic_load(&counts->calls[2]) <
			3)
		sched_yield();
}

/* Threads at work have numbers of their own, on more than two, too. */
static void test_numbers(void **state)
{
	(void)state;
	for (int loop = 0; loop < 20; loop++) {
		struct counts counts = {.mutex = PTHREAD_MUTEX_INITIALIZER};

		apsp_parallel_for(3, 3, meet_alone, &counts);
		assert_false(counts.wrong);
	}
}

static void inner_count(void *ctx, unsigned int thread, size_t i)
{
	atomic_uint *calls = ctx;

	atomic_fetch_add(&calls[i], 1);
	assert_int_equal(thread, 0);
}

static void outer_count(void *ctx, unsigned int thread, size_t i)
{
	(void)thread;
	(void)i;
	apsp_parallel_for(3, APSP_PARALLEL_MAX, inner_count, ctx);
}

/* A loop in a loop is done by the thread that meets it. */
static void test_nested(void **state)
{
	atomic_uint calls[3] = {0};

	(void)state;
	apsp_parallel_for(5, APSP_PARALLEL_MAX, outer_count, calls);
	for (int i = 0; i < 3; i++)
		assert_int_equal(calls[i], 5);
}

/* Both run loops at the same time, and one of them without the pool. */
static void *loops_run(void *arg)
{
	struct counts *counts = arg;

	for (int loop = 0; loop < LOOPS; loop++)
		apsp_parallel_for(
			MOST, apsp_parallel_processors(), count, counts);
	return NULL;
}

static void test_two_callers(void **state)
{
	struct counts counts[2] = {{.mutex = PTHREAD_MUTEX_INITIALIZER,
					   .width = apsp_parallel_processors()},
		{.mutex = PTHREAD_MUTEX_INITIALIZER,
			.width = apsp_parallel_processors()}};
	pthread_t other;

	(void)state;
	assert_int_equal(
		pthread_create(&other, NULL, loops_run, &counts[1]), 0);
	loops_run(&counts[0]);
	pthread_join(other, NULL);
	for (int c = 0; c < 2; c++) {
		assert_false(counts[c].wrong);
		for (size_t i = 0; i < MOST; i++)
			assert_int_equal(counts[c].calls[i], LOOPS);
	}
}

/* No more threads than asked for, although the pool has more. */
static void narrow_count(void *ctx, unsigned int thread, size_t i)
{
	(void)i;
	if (thread >= 2)
		atomic_store((atomic_bool *)ctx, true);
}

static void test_narrow(void **state)
{
	atomic_bool wide = false;

	(void)state;
	for (int loop = 0; loop < LOOPS; loop++) {
		apsp_parallel_for(APSP_PARALLEL_MAX, APSP_PARALLEL_MAX,
			narrow_count, &(atomic_bool){false});
		apsp_parallel_for(APSP_PARALLEL_MAX, 2, narrow_count, &wide);
	}
	assert_false(wide);
}

static void group_write(const char *dir, const char *text)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu.max", dir);
	unlink(path);
	if (!text)
		return;
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* What a control group's cpu.max says of its processors. */
static void test_quota(void **state)
{
	static const struct {
		const char *text; /* NULL: there is no such file */
		unsigned int quota;
	} cases[] = {
		{NULL, APSP_PARALLEL_MAX},
		{"", APSP_PARALLEL_MAX},
		{"max 100000\n", APSP_PARALLEL_MAX},
		{"100000 100000\n", 1},
		{"100001 100000\n", 2},
		{"50000 100000\n", 1},
		{"350000 100000\n", 4},
		{"6400001 100000\n", APSP_PARALLEL_MAX},
		{"0 100000\n", APSP_PARALLEL_MAX},
		{"100000 0\n", APSP_PARALLEL_MAX},
	};
	char root[] = "/tmp/apsp-quota-XXXXXX", inner[48];

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(inner, sizeof(inner), "%s/a", root);
	assert_int_equal(mkdir(inner, 0700), 0);
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		group_write(root, NULL);
		group_write(inner, cases[c].text);
		assert_int_equal(
			apsp_parallel_quota(root, "/a"), cases[c].quota);
		assert_int_equal(
			apsp_parallel_quota(root, "/a/b"), cases[c].quota);
		assert_int_equal(
			apsp_parallel_quota(root, "/"), APSP_PARALLEL_MAX);
		/* an outer group's limit is the inner one's, too */
		group_write(root, "200000 100000");
		assert_int_equal(apsp_parallel_quota(root, "/a"),
			cases[c].quota < 2 ? cases[c].quota : 2);
		assert_int_equal(apsp_parallel_quota(root, "/"), 2);
	}
	group_write(root, NULL);
	group_write(inner, NULL);
	rmdir(inner);
	rmdir(root);
}

/* Loops side by side: each index of each once, and none of others. */
static void test_parts(void **state)
{
	static const size_t sizes[][4] = {
		{0, 0, 0, 0}, {3, 0, 17, 1}, {0, 2, 0, 5}, {MOST, 1, 0, 64}};
	unsigned int width = apsp_parallel_processors();
	struct counts counts[4];
	struct apsp_parallel_part parts[4];

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		memset(counts, 0, sizeof(counts));
		for (size_t p = 0; p < 4; p++) {
			pthread_mutex_init(&counts[p].mutex, NULL);
			counts[p].width = width;
			parts[p] = (struct apsp_parallel_part){
				sizes[s][p], count, &counts[p]};
		}
		apsp_parallel_parts(parts, 4, width);
		for (size_t p = 0; p < 4; p++) {
			assert_false(counts[p].wrong);
			for (size_t i = 0; i < MOST; i++)
				assert_int_equal(
					counts[p].calls[i], i < sizes[s][p]);
			pthread_mutex_destroy(&counts[p].mutex);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_all_help),
		cmocka_unit_test(test_narrowed),
		cmocka_unit_test(test_wide_host),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_two_callers),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
