/*
 * The way of rows into the table file: real distances are path sums, and wrong
 * predecessors are found out by them.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/result.h"
#include "daemon/base/auto.h"

enum {
	N = 3,
};

#define NONE UINT16_MAX

/* 0 → 1 → 2, of lengths 0.5 and 0.25. */
static uint64_t offsets[N + 1] = {0, 1, 2, 2};
static uint32_t heads[] = {1, 2};
static double weights[] = {0.5, 0.25};
static const struct apsp_lengths chain = {
	.n_vertices = N,
	.n_arcs = 2,
	.offsets = offsets,
	.heads = heads,
	.weights = weights,
	.lengths = weights,
};
static const struct apsp_integers reals = {
	.kind = APSP_DISTANCE_SUM,
	.scale = 1,
};

/*
 * Write a whole file of these predecessors and, where summed says so, sums; its
 * distances where that works.
 */
static int tables_write(uint16_t predecessors[N][N], float sums[N][N],
	const uint32_t *summed, float out[N][N])
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits closure = {0};
	APSP_AUTO(apsp_bits_done) struct apsp_bits on_cycle = {0};
	APSP_AUTO(apsp_close) int fd = -1;
	const char *tmp = getenv("TMPDIR");
	struct apsp_result *result = NULL;
	struct apsp_err err = {0};
	char path[256];
	const struct apsp_result_config config = {
		.path = path,
		.algorithm = "blocked-fw",
		.lengths = &chain,
		.integers = &reals,
		.element = APSP_ELEMENT_I32,
		.precision = APSP_PRECISION_FLOAT32,
	};
	int r;

	snprintf(path, sizeof(path), "%s/apsp-result-XXXXXX",
		tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(apsp_bits_init(&closure, N, N, NULL), 0);
	assert_int_equal(apsp_bits_init(&on_cycle, 1, N, NULL), 0);
	assert_int_equal(apsp_result_open(&config, &result, &err), 0);
	r = apsp_result_rows(result, 0, N, sums, predecessors, summed, &err);
	if (r == 0)
		r = apsp_result_finish(result, &closure, &on_cycle, &err);
	if (r == 0)
		assert_int_equal(
			pread(fd, out, N * N * sizeof(float), APSP_TABLE_BLOCK),
			N * N * sizeof(float));
	apsp_result_free(result);
	unlink(path);
	return r;
}

static const float expected[N][N] = {
	{0, 0.5F, 0.75F},
	{INFINITY, 0, 0.25F},
	{INFINITY, INFINITY, 0},
};
static uint16_t trees[N][N] = {
	{NONE, 0, 1}, {NONE, NONE, 1}, {NONE, NONE, NONE}};

static void test_sums(void **state)
{
	float sums[N][N] = {{0}}, distances[N][N];

	(void)state;
	assert_int_equal(tables_write(trees, sums, NULL, distances), 0);
	assert_memory_equal(distances, expected, sizeof(expected));
}

/* Rows that are there are kept, and one of them is looked at. */
static void test_summed(void **state)
{
	static const uint32_t summed[N] = {0, 1, 1};
	float sums[N][N], distances[N][N];

	(void)state;
	memcpy(sums, expected, sizeof(sums));
	sums[0][2] = 1;
	assert_int_equal(tables_write(trees, sums, summed, distances), 0);
	assert_memory_equal(distances, expected, sizeof(expected));
	sums[1][2] = nextafterf(sums[1][2], 1);
	assert_int_equal(
		tables_write(trees, sums, summed, distances), APSP_EPROOF);
}

static void test_no_tree(void **state)
{
	uint16_t no_arc[N][N] = {
		{NONE, 0, 0}, {NONE, NONE, 1}, {NONE, NONE, NONE}};
	uint16_t from_nowhere[N][N] = {
		{NONE, NONE, 1}, {NONE, NONE, 1}, {NONE, NONE, NONE}};
	float sums[N][N] = {{0}}, distances[N][N];

	(void)state;
	assert_int_equal(
		tables_write(no_arc, sums, NULL, distances), APSP_EPROOF);
	assert_int_equal(
		tables_write(from_nowhere, sums, NULL, distances), APSP_EPROOF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_summed),
		cmocka_unit_test(test_no_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
