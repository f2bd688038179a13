/*
 * Rows in the table file: path sums unchanged, V without its potentials.
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

#include "compute/statistics/row_stats.h"
#include "compute/tables/table_rows.h"
#include "compute/tables/verdict.h"
#include "daemon/base/auto.h"

enum {
	N = 3,
};

/* Calls of the first come to the second (tests/meson.build). */
int __wrap_apsp_row_stats_finish(struct apsp_row_stats *stats,
	const struct apsp_components *components, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err);
int __real_apsp_row_stats_finish(struct apsp_row_stats *stats,
	const struct apsp_components *components, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err);

static bool mixes_up; /* the statistics of two vertices */

int __wrap_apsp_row_stats_finish(struct apsp_row_stats *stats,
	const struct apsp_components *components, uint64_t n_reachable,
	const double **out_vertices, struct apsp_histogram out_histograms[2],
	struct apsp_err *err)
{
	static double mixed[APSP_N_VERTEX_STATS * N];
	double *in = mixed + APSP_STAT_DISTANCE_IN * N, kept;
	int r = __real_apsp_row_stats_finish(stats, components, n_reachable,
		out_vertices, out_histograms, err);

	if (r < 0 || !mixes_up)
		return r;
	memcpy(mixed, *out_vertices, sizeof(mixed));
	kept = in[1];
	in[1] = in[2];
	in[2] = kept;
	*out_vertices = mixed;
	return r;
}

#define NONE UINT16_MAX

/* 0 → 1 → 2, of lengths 0.5 and 0.25. */
static uint64_t offsets[N + 1] = {0, 1, 2, 2};
static uint32_t heads[] = {1, 2};
static double weights[] = {0.5, 0.25};
static struct apsp_lengths chain = {
	.n_vertices = N,
	.n_arcs = 2,
	.offsets = offsets,
	.heads = heads,
	.weights = weights,
	.lengths = weights,
};
static uint32_t vertices[N + 1] = {0, 1, 2, N}, least[N];
static const struct apsp_components components = {.n_vertices = N,
	.n_components = N,
	.of = vertices,
	.order = vertices,
	.offsets = vertices,
	.weak = least};
static uint16_t trees[N][N] = {
	{NONE, 0, 1}, {NONE, NONE, 1}, {NONE, NONE, NONE}};

/*
 * Write a whole file of rows of V, which may be changed. Returns what the rows
 * did; out gets the file's distances if that was 0.
 */
static int tables_write_as(const struct apsp_integers *integers,
	enum apsp_element element, enum apsp_element expected, void *rows,
	void *out)
{
	APSP_AUTO(apsp_bits_done) struct apsp_bits closure = {0};
	APSP_AUTO(apsp_bits_done) struct apsp_bits on_cycle = {0};
	APSP_AUTO(apsp_close) int fd = -1;
	const char *tmp = getenv("TMPDIR");
	struct apsp_table_rows *result = NULL;
	struct apsp_err err = {0};
	char path[256];
	const struct apsp_table_rows_config config = {
		.path = path,
		.algorithm = "blocked-fw",
		.lengths = &chain,
		.integers = integers,
		.components = &components,
		.closure = &closure,
		.on_cycle = &on_cycle,
		.element = element,
		.distance = expected,
		.processors = 1,
	};
	const struct apsp_row_strip strip = {
		.n_rows = N, .distances = rows, .predecessors = trees};
	size_t size = N * N * apsp_element_size(expected);
	struct apsp_progress silent;
	int r;

	chain.checksum = apsp_lengths_checksum(&chain);
	snprintf(path, sizeof(path), "%s/apsp-result-XXXXXX",
		tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(apsp_bits_init(&closure, N, N, NULL), 0);
	assert_int_equal(apsp_bits_init(&on_cycle, 1, N, NULL), 0);
	for (uint64_t i = 0; i < N; i++)
		for (uint64_t j = i; j < N; j++)
			apsp_bits_set(&closure, i, j);
	assert_int_equal(apsp_table_rows_open(&config, &result, &err), 0);
	assert_int_equal(apsp_table_rows_sums(result).distance, expected);
	assert_true(
		(apsp_table_rows_sums(result).integers->kind ==
			APSP_DISTANCE_SUM) == (expected == APSP_ELEMENT_F32));
	assert_int_equal(apsp_table_rows_write_graph(result, &err), 0);
	/* 0 → 1 → 2: as sums.c counts them; no others are asked for */
	for (uint32_t i = 0; expected == APSP_ELEMENT_F32 && i < N; i++) {
		uint32_t hops[N];

		for (uint32_t j = 0; j < N; j++)
			hops[j] = j < i ? APSP_NO_HOPS : j - i;
		apsp_row_stats_hops(
			apsp_table_rows_sums(result).stats, 0, hops);
	}
	r = apsp_table_rows_append(result, &strip, &err);
	if (r == 0) {
		apsp_progress_init(&silent, NULL, NULL);
		r = apsp_table_rows_finish(result, &silent, NULL, &err);
		assert_int_equal(
			pread(fd, out, size, APSP_TABLE_BLOCK), (ssize_t)size);
	}
	apsp_table_rows_free(result);
	unlink(path);
	return r;
}

static int tables_write(const struct apsp_integers *integers,
	enum apsp_element expected, void *rows, void *out)
{
	return tables_write_as(integers, APSP_ELEMENT_I32, expected, rows, out);
}

static void test_sums(void **state)
{
	static const struct apsp_integers reals = {
		.kind = APSP_DISTANCE_SUM, .scale = 1, .unit = 0x1p-19};
	static const float expected[N][N] = {
		{0, 0.5F, 0.75F},
		{INFINITY, 0, 0.25F},
		{INFINITY, INFINITY, 0},
	};
	float rows[N][N], distances[N][N];

	(void)state;
	memcpy(rows, expected, sizeof(rows));
	assert_int_equal(
		tables_write(&reals, APSP_ELEMENT_F32, rows, distances), 0);
	assert_memory_equal(distances, expected, sizeof(expected));
	mixes_up = true;
	assert_int_equal(
		tables_write(&reals, APSP_ELEMENT_F32, rows, distances),
		APSP_EPROOF);
	mixes_up = false;
}

static void test_potentials(void **state)
{
	static int64_t h[N] = {5, -2, -1};
	static const struct apsp_integers negative = {
		.kind = APSP_DISTANCE_SCALED, .scale = 3, .potentials = h};
	enum {
		FAR = APSP_V_INFINITY_I32,
	};
	static const int32_t seen[N][N] = {
		{0, 8, 8}, {FAR, 0, 0}, {FAR, FAR, 0}};
	/* minus the source's potential, plus the vertex's */
	static const int32_t expected[N][N] = {
		{0, 1, 2}, {FAR, 0, 1}, {FAR, FAR, 0}};
	int32_t rows[N][N], distances[N][N];

	(void)state;
	memcpy(rows, seen, sizeof(rows));
	assert_int_equal(
		tables_write(&negative, APSP_ELEMENT_I32, rows, distances), 0);
	assert_memory_equal(distances, expected, sizeof(expected));
	/* fits only before the potential is undone */
	memcpy(rows, seen, sizeof(rows));
	rows[1][2] = FAR - 1;
	assert_int_equal(
		tables_write(&negative, APSP_ELEMENT_I32, rows, distances),
		APSP_VERDICT_TOO_NARROW);
}

/* Past 2^53 doubles skip integers: such a row is never written rounded. */
static void test_potentials_past_53(void **state)
{
	enum {
		LAST = 2, /* potentials[LAST] − potentials[0] is 2^52 − 4 */
	};
	static int64_t h[N] = {3 - (INT64_C(1) << 52), 0, -1};
	static const struct apsp_integers negative = {
		.kind = APSP_DISTANCE_SCALED, .scale = 4, .potentials = h};
	/* undone, the distance of two arcs: 2^53 − 2 */
	static const double fits = 0x1p52 + 2;
	double rows[N][N], distances[N][N];

	(void)state;
	weights[0] = 0x1p50 - 1;
	weights[1] = 0x1p50;
	/* past with its potentials, then without them */
	for (int past = 0; past < 3; past++) {
		for (int c = 0; c < N * N; c++)
			rows[c / N][c % N] = c % (N + 1) ? INFINITY : 0;
		rows[0][LAST] = fits + (past == 1 ? 2 : 0);
		if (past == 2)
			rows[LAST][0] = 0x1p53;
		rows[0][1] = 0;
		rows[1][LAST] = 0x1p52 + 2;
		assert_int_equal(tables_write_as(&negative, APSP_ELEMENT_F64,
					 APSP_ELEMENT_F64, rows, distances),
			past > 0 ? APSP_VERDICT_TOO_NARROW
				 : APSP_VERDICT_PROVED);
		if (past == 0) {
			assert_true(distances[0][LAST] == 0x1p53 - 2);
			assert_true(isinf(distances[1][0]));
		}
	}
	weights[0] = 0.5;
	weights[1] = 0.25;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_potentials),
		cmocka_unit_test(test_potentials_past_53),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
