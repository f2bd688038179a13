/*
 * Path sums by the GPU's kernel, on whatever device there is, against the
 * host's, bit by bit. Rows that are no tree, or too deep, are left to the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/device/device_buffer.h"
#include "compute/tables/sums_device.h"
#include "daemon/base/auto.h"
#include "tests/device_fixture.h"
#include "tests/passed_over.h"
#include "tests/solved.h"
#include "tests/tree_fixture.h"

#define NONE UINT32_MAX

enum {
	/* words before the rows' own in the buffer of words */
	SUMMED_AT = 3,
	ROWS_MAX = 90,
};

/* What the device reports about rows besides the sums. */
struct told {
	uint32_t summed[ROWS_MAX];
	uint32_t row_hops[ROWS_MAX];
	uint32_t hops[APSP_SUMS_DEVICE_HOPS];
	uint32_t wrong[2]; /* sums that are not V's, and that leave the range */
};

/* Rows of predecessors among the vertices of some arcs. */
struct rows {
	struct apsp_lengths lengths;
	uint32_t first;
	uint32_t n_rows;
	uint32_t *predecessors;
	enum apsp_element v;
	struct apsp_integers integers;
	int off; /* units that V has too many in column 3 of the first row */
};

static void rows_init(
	struct rows *rows, uint32_t first, uint32_t n_rows, uint32_t n)
{
	rows->v = n_rows % 2 ? APSP_ELEMENT_I32 : APSP_ELEMENT_F64;
	rows->integers = tree_integers(rows->v);
	rows->off = 0;
	rows->first = first;
	rows->n_rows = n_rows;
	rows->predecessors =
		malloc((size_t)n_rows * n * sizeof(*rows->predecessors));
	for (size_t c = 0; c < (size_t)n_rows * n; c++)
		rows->predecessors[c] = NONE;
}

static uint32_t *rows_at(const struct rows *rows, uint32_t i)
{
	return rows->predecessors + (size_t)i * rows->lengths.n_vertices;
}

static void rows_done(struct rows *rows)
{
	apsp_lengths_done(&rows->lengths);
	free(rows->predecessors);
}

/* Make a buffer with a copy of the bytes. */
static cl_mem buffer_of(
	const struct apsp_device *device, size_t size, const void *bytes)
{
	cl_mem buffer = NULL;

	assert_int_equal(
		apsp_device_buffer_make(device, size, bytes, &buffer, NULL), 0);
	return buffer;
}

/* A random third of all arcs, besides those that the rows need. */
static void arcs_upload(const struct apsp_device *device,
	const struct rows *rows, struct apsp_predecessors *out)
{
	const struct apsp_lengths *lengths = &rows->lengths;
	uint32_t n = lengths->n_vertices, n_kept = 0;
	uint32_t *offsets = calloc((size_t)n + 1, sizeof(*offsets));
	uint32_t *tails = malloc((lengths->n_arcs + 1) * sizeof(*tails));
	uint32_t *codes = malloc((lengths->n_arcs + 1) * sizeof(*codes));
	struct apsp_sum_arcs in;
	uint64_t seed = 3, arcs_sum = 0;

	tree_arcs_make(lengths, &in);
	for (uint32_t v = 0; v < n; v++) {
		for (uint64_t a = in.offsets[v]; a < in.offsets[v + 1]; a++) {
			bool kept = random_below(&seed, 3) == 0;

			for (uint32_t i = 0; i < rows->n_rows; i++)
				kept |= rows_at(rows, i)[v] == in.tails[a];
			if (!kept)
				continue;
			codes[n_kept] = tree_code(lengths, in.tails[a], v);
			tails[n_kept++] = in.tails[a];
			arcs_sum += apsp_predecessors_arc_mark(
				in.tails[a], v, in.lengths[a]);
		}
		offsets[v + 1] = n_kept;
	}
	*out = (struct apsp_predecessors){.device = device,
		.element = rows->v,
		.n_vertices = n,
		.n_arcs = n_kept,
		.arcs_sum = arcs_sum,
		.stored = apsp_in_arcs_element(lengths)};
	out->offsets = buffer_of(device, (n + 1) * sizeof(*offsets), offsets);
	out->tails = buffer_of(device, n_kept * sizeof(*tails), tails);
	out->codes = buffer_of(device, n_kept * sizeof(*codes), codes);
	apsp_sum_arcs_done(&in);
	free(offsets);
	free(tails);
	free(codes);
}

static cl_mem predecessors_upload(
	const struct apsp_device *device, const struct rows *rows)
{
	const struct apsp_lengths *lengths = &rows->lengths;
	size_t size = apsp_element_size(apsp_in_arcs_element(lengths));
	uint32_t n = lengths->n_vertices;
	void *packed =
		tree_rows_pack(lengths, rows->predecessors, rows->n_rows);
	cl_mem buffer =
		buffer_of(device, (size_t)rows->n_rows * n * size, packed);

	free(packed);
	return buffer;
}

static struct apsp_sums_config config_of(const struct rows *rows)
{
	return (struct apsp_sums_config){.lengths = &rows->lengths,
		.integers = &rows->integers,
		.v = rows->v,
		.distance = APSP_ELEMENT_F64,
		.width = 1};
}

static cl_mem v_upload(
	const struct apsp_device *device, const struct rows *rows)
{
	const struct apsp_sums_config config = config_of(rows);
	uint32_t n = rows->lengths.n_vertices;
	size_t size = n * apsp_element_size(rows->v);
	char *v = malloc(rows->n_rows * size);
	cl_mem buffer;

	for (uint32_t i = 0; i < rows->n_rows; i++) {
		void *row = tree_v(&config, rows->first + i, rows_at(rows, i));

		memcpy(v + i * size, row, size);
		free(row);
	}
	if (rows->off != 0)
		((int32_t *)v)[3] += rows->off;
	buffer = buffer_of(device, rows->n_rows * size, v);
	free(v);
	return buffer;
}

/* Returns what is at out (owned). */
static void *rows_sum(const struct apsp_device *device, const struct rows *rows,
	enum apsp_element distance, struct told *told)
{
	APSP_AUTO(apsp_sums_device_done) struct apsp_sums_device sums = {0};
	APSP_AUTO(apsp_predecessors_done) struct apsp_predecessors p = {0};
	APSP_AUTO(apsp_sum_arcs_done) struct apsp_sum_arcs arcs = {0};
	APSP_AUTO(apsp_device_buffer_done) cl_mem from = NULL;
	APSP_AUTO(apsp_device_buffer_done) cl_mem v = NULL;
	APSP_AUTO(apsp_device_buffer_done) cl_mem out = NULL;
	APSP_AUTO(apsp_device_buffer_done) cl_mem words = NULL;
	size_t bytes = (size_t)rows->n_rows * rows->lengths.n_vertices *
		       apsp_element_size(distance);
	uint32_t n_rows = rows->n_rows;
	const struct apsp_sums_at at = {.summed = SUMMED_AT,
		.marks = SUMMED_AT + n_rows,
		.row_hops = SUMMED_AT + 2 * n_rows,
		.hops = SUMMED_AT + 3 * n_rows,
		.wrong = SUMMED_AT + 3 * n_rows + APSP_SUMS_DEVICE_HOPS};
	size_t n_words = at.wrong + 2;
	uint32_t *copy = calloc(n_words, sizeof(*copy));
	void *made = malloc(bytes);
	struct apsp_err err;

	arcs_upload(device, rows, &p);
	from = predecessors_upload(device, rows);
	v = v_upload(device, rows);
	out = buffer_of(device, bytes, NULL);
	words = buffer_of(device, n_words * sizeof(*copy), copy);
	if (apsp_sum_arcs_load(&p, &rows->lengths, &arcs, &err) < 0 ||
		apsp_sums_device_open(
			&p, &arcs, &rows->integers, distance, &sums, &err) < 0)
		fail_msg("%s", err.message);
	assert_non_null(sums.kernel);
	if (apsp_sums_device_rows(&sums, from, v, rows->first, n_rows, out,
		    words, &at, &err) < 0)
		fail_msg("%s", err.message);
	clEnqueueReadBuffer(
		device->queue, out, CL_TRUE, 0, bytes, made, 0, NULL, NULL);
	clEnqueueReadBuffer(device->queue, words, CL_TRUE, 0,
		n_words * sizeof(*copy), copy, 0, NULL, NULL);
	memcpy(told->summed, copy + at.summed, n_rows * sizeof(*copy));
	memcpy(told->row_hops, copy + at.row_hops, n_rows * sizeof(*copy));
	memcpy(told->hops, copy + at.hops, sizeof(told->hops));
	memcpy(told->wrong, copy + at.wrong, sizeof(told->wrong));
	free(copy);
	return made;
}

/* Arcs of the longest path of a row; NONE: it is no tree. Counts the paths of
   each number of arcs, of a tree that is not too deep. */
static uint32_t row_depth(const struct rows *rows, uint32_t i,
	struct apsp_sums *sums, double *out, struct told *told)
{
	const struct apsp_sums_config config = config_of(rows);
	const uint32_t *from = rows_at(rows, i);
	uint32_t n = rows->lengths.n_vertices, deepest = 0;

	if (tree_sum(sums, &config, rows->first + i, from, NULL, out) < 0)
		return NONE;
	for (uint32_t v = 0; v < n; v++) {
		uint32_t depth = 0;

		for (uint32_t u = v; from[u] != NONE; u = from[u])
			depth++;
		if (depth > 0 && depth < APSP_SUMS_DEVICE_HOPS)
			told->hops[depth]++;
		told->row_hops[i] += depth;
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

static void row_check(const double *expected, const void *made, uint32_t n,
	enum apsp_element distance)
{
	for (uint32_t v = 0; v < n; v++) {
		float narrow = (float)expected[v];

		if (distance == APSP_ELEMENT_F64)
			assert_memory_equal((const double *)made + v,
				&expected[v], sizeof(expected[v]));
		else
			assert_memory_equal((const float *)made + v, &narrow,
				sizeof(narrow));
	}
}

/* Returns how many rows the device made. */
static uint32_t rows_check(
	const struct device_fixture *fixture, const struct rows *rows)
{
	static const enum apsp_element distances[] = {
		APSP_ELEMENT_F32, APSP_ELEMENT_F64};
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);
	uint32_t n = rows->lengths.n_vertices, n_summed = 0;
	struct told told;
	double *expected = malloc(n * sizeof(*expected));
	const struct apsp_sums_config config = config_of(rows);
	struct apsp_sums *sums;

	/* launches of three rows */
	tuning.staging_bytes = 3 * sizeof(double) * n;
	device.tuning = &tuning;
	assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
	for (size_t d = 0; d < 2; d++) {
		size_t size = n * apsp_element_size(distances[d]);
		char *made = rows_sum(&device, rows, distances[d], &told);
		struct told own = {0};

		n_summed = 0;
		for (uint32_t i = 0; i < rows->n_rows; i++) {
			uint32_t depth =
				row_depth(rows, i, sums, expected, &own);

			assert_int_equal(
				told.summed[i], depth <= APSP_SUMS_DEVICE_ARCS);
			n_summed += told.summed[i];
			if (!told.summed[i])
				continue;
			row_check(expected, made + i * size, n, distances[d]);
			assert_int_equal(told.row_hops[i], own.row_hops[i]);
		}
		if (n_summed == rows->n_rows) {
			assert_memory_equal(
				told.hops, own.hops, sizeof(own.hops));
			assert_int_equal(told.wrong[0], 0);
			assert_int_equal(told.wrong[1], 0);
		}
		free(made);
	}
	apsp_sums_free(sums);
	free(expected);
	return n_summed;
}

/* Without doubles, or in small groups, there is no kernel of path sums. */
static bool device_passes(const struct device_fixture *fixture)
{
	return passed_over_row_kernels(&fixture->device);
}

static void test_random(void **state)
{
	uint64_t seed = 17;

	if (device_passes(*state))
		return;
	for (uint32_t round = 0; round < 40; round++) {
		uint32_t n = 1 + random_below(&seed, ROWS_MAX);
		uint32_t first = random_below(&seed, n);
		struct rows rows;

		tree_lengths_make(
			&rows.lengths, n, random_below(&seed, 8 * n), &seed);
		if (round % 3 > 0) {
			assert_int_equal(
				apsp_in_arcs_build(&rows.lengths, NULL), 0);
			rows.lengths.in.rank = round % 3 == 1
						       ? APSP_ELEMENT_U8
						       : APSP_ELEMENT_U16;
		}
		rows_init(&rows, first, n - first, n);
		for (uint32_t i = 0; i < rows.n_rows; i++)
			tree_grow(&rows.lengths, first + i, rows_at(&rows, i),
				&seed);
		assert_int_equal(rows_check(*state, &rows), rows.n_rows);
		rows_done(&rows);
	}
}

/* More columns than items of a group, and more than 16 bits hold. */
static void test_wide(void **state)
{
	static const uint32_t sizes[] = {255, 256, 257, 1000, 65535, 70000};
	uint64_t seed = 23;

	if (device_passes(*state))
		return;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct rows rows;

		tree_lengths_make(&rows.lengths, sizes[s], 4 * sizes[s], &seed);
		rows_init(&rows, 5, 2, sizes[s]);
		for (uint32_t i = 0; i < rows.n_rows; i++)
			tree_grow(
				&rows.lengths, 5 + i, rows_at(&rows, i), &seed);
		assert_int_equal(rows_check(*state, &rows), rows.n_rows);
		rows_done(&rows);
	}
}

/* A ring, cut so that each source begins a chain of some length. */
static void ring_make(struct rows *rows, uint32_t n)
{
	struct graph_fixture f;

	graph_fixture_init(&f, n);
	for (uint32_t v = 0; v < n; v++)
		graph_fixture_add(&f, v, (v + 1) % n, 1.0 / (v + 1));
	f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	assert_int_equal(apsp_lengths_build(&f.graph, &rows->lengths, NULL), 0);
	graph_fixture_done(&f);
}

static void test_deep(void **state)
{
	const uint32_t n = APSP_SUMS_DEVICE_ARCS + 40;
	struct rows rows;

	if (device_passes(*state))
		return;
	ring_make(&rows, n);
	rows_init(&rows, 0, 4, n);
	/* one arc less than the most, the most, one more, all */
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t depth = i == 3 ? n - 1 : APSP_SUMS_DEVICE_ARCS - 1 + i;

		for (uint32_t step = 1; step <= depth; step++)
			rows_at(&rows, i)[(i + step) % n] = (i + step - 1) % n;
	}
	assert_int_equal(rows_check(*state, &rows), 2);
	rows_done(&rows);
}

/* Each row is a chain with one predecessor put wrong; the last is a chain. */
static void test_no_tree(void **state)
{
	static const struct {
		uint32_t vertex;
		uint32_t predecessor;
	} wrong[] = {
		{3, 1},	   /* no such arc */
		{0, 9},	   /* to the source, and a cycle */
		{5, 5},	   /* no arc, a cycle */
		{5, NONE}, /* the vertices after it have no path */
		{5, 10},   /* no such vertex */
	};
	enum {
		N_WRONG = sizeof(wrong) / sizeof(*wrong),
	};
	struct rows rows;

	if (device_passes(*state))
		return;
	ring_make(&rows, 10);
	rows_init(&rows, 0, N_WRONG + 1, 10);
	for (uint32_t i = 0; i <= N_WRONG; i++) {
		for (uint32_t step = 1; step < 10; step++)
			rows_at(&rows, i)[(i + step) % 10] =
				(i + step - 1) % 10;
		if (i < N_WRONG)
			rows_at(&rows, i)[(i + wrong[i].vertex) % 10] =
				wrong[i].predecessor < 10
					? (i + wrong[i].predecessor) % 10
					: wrong[i].predecessor;
	}
	assert_int_equal(rows_check(*state, &rows), 1);
	rows_done(&rows);
}

/* A chain whose sums V refutes, or that leave the range of the element; with
   potentials and without. */
static void test_wrong(void **state)
{
	static const struct {
		double length;
		double unit;
		enum apsp_element distance;
		uint32_t wrong[2];
		int off;
	} chains[] = {
		{0.75, 0.25, APSP_ELEMENT_F32, {0, 0}, 0},
		/* three arcs: V may have 3 units too many, or 6 too few */
		{0.75, 0.25, APSP_ELEMENT_F32, {0, 0}, 3},
		{0.75, 0.25, APSP_ELEMENT_F32, {1, 0}, 4},
		{0.75, 0.25, APSP_ELEMENT_F64, {0, 0}, -6},
		{0.75, 0.25, APSP_ELEMENT_F64, {1, 0}, -7},
		{1e-60, 0x1p-220, APSP_ELEMENT_F64, {0, 0}, 0},
		{1e-60, 0x1p-220, APSP_ELEMENT_F32, {0, 9}, 0},
		/* 1, 2, … 9 times */
		{0x1p-129, 0x1p-149, APSP_ELEMENT_F32, {0, 7}, 0},
		{0x1p125, 0x1p105, APSP_ELEMENT_F32, {0, 2}, 0},
		/* infinity is the host's to refuse */
		{0x1p1021, 0x1p1001, APSP_ELEMENT_F64, {0, 0}, 0},
	};
	const struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);

	if (device_passes(fixture))
		return;
	device.tuning = &tuning;
	for (size_t c = 0; c < 2 * sizeof(chains) / sizeof(*chains); c++) {
		size_t chain = c / 2;
		struct told told;
		static int64_t h[10] = {-4, 0, -7, 3, 9, -1, 0, 0, 5, -2};
		struct rows rows;

		ring_make(&rows, 10);
		for (uint64_t e = 0; e < rows.lengths.n_arcs; e++)
			rows.lengths.lengths[e] = chains[chain].length;
		rows_init(&rows, 0, 1, 10);
		rows.off = chains[chain].off;
		rows.integers.unit = chains[chain].unit;
		rows.integers.potentials = c % 2 ? h : NULL;
		for (uint32_t step = 1; step < 10; step++)
			rows_at(&rows, 0)[step] = step - 1;
		free(rows_sum(&device, &rows, chains[chain].distance, &told));
		assert_int_equal(
			told.summed[0], chains[chain].length < 0x1p1021);
		assert_memory_equal(
			told.wrong, chains[chain].wrong, sizeof(told.wrong));
		rows_done(&rows);
	}
}

static void assert_left(struct apsp_predecessors *p)
{
	const struct apsp_integers integers = tree_integers(APSP_ELEMENT_I32);
	struct apsp_sums_device sums;

	assert_int_equal(apsp_sums_device_open(p, NULL, &integers,
				 APSP_ELEMENT_F32, &sums, NULL),
		0);
	assert_null(sums.kernel);
}

/* CPUs leave sums to the host; so do devices without what the kernel needs. */
static void test_left(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_tuning cpu = *apsp_tuning_find("", false, NULL);
	struct apsp_tuning gpu = *apsp_tuning_find("", true, NULL);
	struct apsp_device device = fixture->device;
	struct apsp_predecessors p = {.device = &device,
		.element = APSP_ELEMENT_I32,
		.n_vertices = 10,
		.stored = APSP_ELEMENT_U16};

	device.tuning = &cpu;
	assert_left(&p);
	device.tuning = &gpu;
	device.info.has_double = false;
	assert_left(&p);
	device.info.has_double = true;
	p.n_vertices = UINT32_MAX; /* for local memory */
	assert_left(&p);
}

/* Some rows are too deep for the device; lengths are real, some 0, some equal.
 */
static void graph_write(const struct device_fixture *fixture, uint32_t n,
	double shift, enum apsp_precision precision)
{
	struct graph_fixture g;
	uint64_t seed = 31;
	struct apsp_err err;
	char path[300];

	graph_fixture_init(&g, n);
	/* a chain of short arcs that ends halfway, and far ones of any length
	 */
	for (uint32_t v = 0; v + 1 < n / 2 + 200; v++)
		graph_fixture_add(&g, v, v + 1,
			v % 7 == 0 ? 0 : 0.001 * random_unit(&seed));
	for (uint32_t v = n / 2; v < n; v++)
		for (int i = 0; i < 4; i++)
			graph_fixture_add(&g, v,
				n / 2 + random_below(&seed, n / 2),
				i == 0 ? 0.5 : random_unit(&seed) + shift);
	g.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	g.graph.profile.precision = precision;
	snprintf(path, sizeof(path), "%s/graph", fixture->dir);
	assert_int_equal(apsp_graph_write(path, &g.graph, &err), 0);
	graph_fixture_done(&g);
}

/* Whole solves: the tables are those of the host. */
static void test_solve(void **state)
{
	struct device_fixture *fixture = *state;
	struct apsp_device device = fixture->device;
	struct apsp_tuning tuning = *apsp_tuning_find("", true, NULL);

	device.tuning = &tuning;
	/* chunks of 128 rows, of few launches */
	tuning.staging_bytes = UINT64_C(1) << 18;
	for (int i = 0; i < 4; i++) {
		struct solved expected = {0}, solved = {0};
		struct apsp_err err;
		int r;

		graph_write(fixture, 700, i < 2 ? 0 : 1e4,
			i % 2 ? APSP_PRECISION_FLOAT64
			      : APSP_PRECISION_FLOAT32);
		if (solved_run(fixture->dir, NULL, "reference", &expected,
			    &err) < 0)
			fail_msg("%s", err.message);
		assert_int_equal(
			expected.header->distance_kind, APSP_DISTANCE_SUM);
		r = solved_run(
			fixture->dir, &device, "multi-source", &solved, &err);
		if (!passed_over_solve(&device, &expected, r, &err)) {
			if (r < 0)
				fail_msg("%s", err.message);
			assert_true(solved_same(&expected, &solved));
		}
		solved_done(&expected);
		solved_done(&solved);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_no_tree),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_solve),
	};

	return cmocka_run_group_tests(
		tests, device_fixture_setup, device_fixture_teardown);
}
