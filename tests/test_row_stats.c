/*
 * Statistics of rows against their definitions, for every kind of distance and
 * every way to cut the rows into strips; bins that widen.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "compute/statistics/histogram.h"
#include "compute/statistics/row_stats.h"
#include "compute/source_block.h"
#include "compute/statistics/stat_cells.h"
#include "daemon/base/auto.h"
#include "tests/table_cell.h"

enum {
	N = 300, /* more than the columns of a task, and not whole tasks */
	SCALE = 301,
	BLOCK = 64, /* sources whose distances to a target are added together */
	RING = 40,  /* vertices that reach each other; others end in it */
};

/* Calls of the ones come to the others (tests/meson.build). */
void __real_apsp_stat_cells_add(const struct apsp_stat_form *form,
	const void *row, size_t n, size_t self,
	const struct apsp_stat_columns *to, struct apsp_stat_cells *cells,
	struct apsp_stat_part *out);
void __wrap_apsp_stat_cells_add(const struct apsp_stat_form *form,
	const void *row, size_t n, size_t self,
	const struct apsp_stat_columns *to, struct apsp_stat_cells *cells,
	struct apsp_stat_part *out);
void __real_apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out);
void __wrap_apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out);

/* What is wrong in one number; ROW: of a source, else of a target. */
static enum fault {
	FAULT_NONE,
	FAULT_COUNT,
	FAULT_ROW_COUNT,
	FAULT_SUM,
	FAULT_ROW_SUM,
	FAULT_HARMONIC,
	FAULT_ROW_HARMONIC,
	FAULT_ROW_MOST,
	FAULT_HISTOGRAM,
	FAULT_BIN, /* a pair in the bin after its own */
	N_FAULTS,
	/* with hops only: a path in another bin of hops, or of other hops */
	FAULT_HOPS_BIN = N_FAULTS,
	FAULT_HOPS,
	FAULT_SPLIT, /* a cell has too small a distance, and so more hops */
	N_HOPS_FAULTS,
} fault;
static bool at_fault; /* and it was not made yet */
static bool is_hops;  /* the next bins that are stored are those of hops */

void __wrap_apsp_stat_cells_add(const struct apsp_stat_form *form,
	const void *row, size_t n, size_t self,
	const struct apsp_stat_columns *to, struct apsp_stat_cells *cells,
	struct apsp_stat_part *out)
{
	__real_apsp_stat_cells_add(form, row, n, self, to, cells, out);
	if (at_fault && fault == FAULT_HOPS) {
		at_fault = false;
		cells->hops[3]++;
	}
	if (at_fault && fault == FAULT_SPLIT) {
		at_fault = false;
		cells->hops[3] += SCALE;
		cells->n_hops += SCALE;
		cells->most_hops = cells->hops[3];
	}
	if (!at_fault || fault >= FAULT_HISTOGRAM)
		return;
	at_fault = false;
	to->count[3] += fault == FAULT_COUNT;
	out->count += fault == FAULT_ROW_COUNT;
	to->sum[3] += fault == FAULT_SUM;
	out->sum += fault == FAULT_ROW_SUM;
	to->harmonic[3] += fault == FAULT_HARMONIC;
	out->harmonic += fault == FAULT_ROW_HARMONIC;
	out->most += fault == FAULT_ROW_MOST ? 1000 : 0;
}

void __wrap_apsp_bins_store(struct apsp_bins *bins, struct apsp_histogram *out)
{
	bool hit =
		at_fault &&
		(fault == FAULT_HOPS_BIN ? is_hops : fault >= FAULT_HISTOGRAM);

	__real_apsp_bins_store(bins, out);
	is_hops = !is_hops;
	if (!hit)
		return;
	out->counts[2]++;
	if (fault != FAULT_HISTOGRAM)
		out->counts[1]--;
}

static uint64_t count_of(const struct apsp_histogram *h, double from, double to)
{
	uint64_t sum = 0;

	for (int b = 0; b < APSP_HISTOGRAM_BINS; b++) {
		double low = ((double)h->first + b) * h->width;

		if (low >= from && low + h->width <= to)
			sum += h->counts[b];
	}
	return sum;
}

static void test_bins(void **state)
{
	static struct apsp_bins one, two;
	static struct apsp_histogram h, again;
	double values[1000], most = 0;
	uint64_t below = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		values[i] = ldexp(1 + i, i % 40 - 10);
		most = fmax(most, values[i]);
		below += values[i] < ldexp(1, 30);
	}
	apsp_bins_init(&one, 0.001953125, false);
	apsp_bins_init(&two, 0.001953125, false);
	for (int i = 0; i < 1000; i++) {
		apsp_bins_fit(&one, 0, values[i]);
		apsp_bins_add(&one, &values[i], 1);
		apsp_bins_fit(i % 3 ? &one : &two, 0, values[999 - i]);
		apsp_bins_add(i % 3 ? &one : &two, &values[999 - i], 1);
	}
	apsp_bins_merge(&one, &two);
	apsp_bins_store(&one, &h);
	assert_true(most < h.width * APSP_HISTOGRAM_BINS);
	assert_true(most >= h.width / 2 * APSP_HISTOGRAM_BINS);
	assert_int_equal(count_of(&h, 0, h.width * APSP_HISTOGRAM_BINS), 2000);
	/* each half of a bin is whole in the bins of half the width */
	if (h.width <= ldexp(1, 30))
		assert_int_equal(count_of(&h, 0, ldexp(1, 30)), 2 * below);
	/* the same numbers at once, INFINITY left out */
	apsp_bins_init(&two, 0.001953125, false);
	apsp_bins_fit(&two, 0, most);
	apsp_bins_add(&two, values, 1000);
	apsp_bins_add(&two, values, 1000);
	apsp_bins_add(&two, (double[]){INFINITY, INFINITY}, 2);
	apsp_bins_store(&two, &again);
	assert_memory_equal(&h, &again, sizeof(h));
	/* wider bins into narrower ones: one has but a few small values */
	apsp_bins_init(&one, 0.001953125, false);
	apsp_bins_fit(&one, 0, 0.5);
	apsp_bins_add(&one, (double[]){0.5, 0.25}, 2);
	apsp_bins_init(&two, 0.001953125, false);
	apsp_bins_fit(&two, 0, most);
	apsp_bins_add(&two, values, 1000);
	apsp_bins_merge(&one, &two);
	apsp_bins_store(&one, &h);
	apsp_bins_init(&two, 0.001953125, false);
	apsp_bins_fit(&two, 0, most);
	apsp_bins_add(&two, values, 1000);
	apsp_bins_add(&two, (double[]){0.5, 0.25}, 2);
	apsp_bins_store(&two, &again);
	assert_memory_equal(&h, &again, sizeof(h));
}

static void test_bins_below(void **state)
{
	static struct apsp_bins bins;
	static struct apsp_histogram h;
	const double values[] = {-3, -1, 0, 4, -5000, -1.5};

	(void)state;
	apsp_bins_init(&bins, 1, true);
	for (size_t i = 0; i < 6; i++) {
		apsp_bins_fit(&bins, values[i], values[i]);
		apsp_bins_add(&bins, &values[i], 1);
	}
	apsp_bins_store(&bins, &h);
	assert_true(h.width == 8);
	assert_int_equal(count_of(&h, -8, 0), 3);
	assert_int_equal(count_of(&h, 0, 8), 2);
	assert_int_equal(count_of(&h, -5000 - 8, -5000 + 8), 1);
}

#define UNIT 0x1p-200

/* Bins of other widths are joined either way, and joining them again adds
   nothing. */
static void test_bins_joined(void **state)
{
	static struct apsp_bins all, parts[2];
	static struct apsp_histogram h, expected;
	const double far[] = {-5000 * UNIT, -0x1p70, -0x1p1000};
	double near[] = {-3, -2, -1, -0.5, 0, 0.5, 4}, values[8];

	(void)state;
	for (int i = 0; i < 7; i++)
		values[i] = near[i] *= UNIT;
	for (int i = 0; i < 6; i++) {
		struct apsp_bins *wide = &parts[i % 2];
		struct apsp_bins *narrow = &parts[1 - i % 2];

		values[7] = far[i / 2];
		apsp_bins_init(&all, UNIT / 4, true);
		apsp_bins_fit(&all, values[7], 4 * UNIT);
		apsp_bins_add(&all, values, 8);
		apsp_bins_store(&all, &expected);
		apsp_bins_init(narrow, UNIT / 4, true);
		apsp_bins_add(narrow, near, 7);
		apsp_bins_init(wide, UNIT / 4, true);
		apsp_bins_fit(wide, values[7], values[7]);
		apsp_bins_add(wide, &values[7], 1);
		apsp_bins_merge(&parts[0], &parts[1]);
		apsp_bins_merge(&parts[0], &parts[1]);
		apsp_bins_store(&parts[0], &h);
		assert_memory_equal(&h, &expected, sizeof(h));
	}
}

/*
 * A ring 0 → 1 → … → 0 of RING vertices; every other vertex v has an arc to
 * v % RING. Lengths are 1 + tail % 3.
 */
struct example {
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	uint64_t offsets[N + 1];
	uint32_t heads[N];
	double values[N];
	double distances[N][N]; /* INFINITY: no path */
	uint32_t hops[N][N];
	uint16_t tails[N][N];
	enum apsp_element element;
	_Alignas(double) char rows[N * N * sizeof(double)];
};

static void example_init(struct example *x, enum apsp_distance_kind kind,
	enum apsp_element element)
{
	memset(x, 0, sizeof(*x));
	x->element = element;
	x->integers = (struct apsp_integers){
		.kind = kind, .scale = SCALE, .unit = 0.5};
	for (uint32_t v = 0; v < N; v++) {
		x->offsets[v + 1] = v + 1;
		x->heads[v] = v < RING ? (v + 1) % RING : v % RING;
		x->values[v] = kind == APSP_DISTANCE_HOPS ? 1 : 1 + v % 3;
	}
	x->lengths = (struct apsp_lengths){.n_vertices = N,
		.n_arcs = N,
		.offsets = x->offsets,
		.heads = x->heads,
		.lengths = x->values};
	for (uint32_t i = 0; i < N; i++) {
		double sum = 0;
		uint32_t at = i, n = 0;

		for (uint32_t j = 0; j < N; j++) {
			x->distances[i][j] = INFINITY;
			x->tails[i][j] = UINT16_MAX;
		}
		for (; isinf(x->distances[i][at]); n++) {
			uint32_t head = x->heads[at];

			x->distances[i][at] = sum;
			x->hops[i][at] = n;
			sum += x->values[at];
			if (isinf(x->distances[i][head]))
				x->tails[i][head] = (uint16_t)at;
			at = head;
		}
	}
}

static void rows_make(struct example *x)
{
	bool scaled = x->integers.kind == APSP_DISTANCE_SCALED;

	for (uint32_t c = 0; c < N * N; c++) {
		double d = x->distances[c / N][c % N];
		double v = scaled ? d * SCALE + x->hops[c / N][c % N] : d;

		table_cell_put(x->rows, x->element, c, v);
	}
}

/* The sum of 1 / distance to v: source blocks are added up, then their sums. */
static double harmonic_in(const struct example *x, uint32_t v)
{
	double sum = 0;

	for (uint32_t first = 0; first < N; first += BLOCK) {
		double block = 0;

		for (uint32_t u = first; u < first + BLOCK && u < N; u++)
			if (u != v && !isinf(x->distances[u][v]))
				block += 1 / x->distances[u][v];
		sum += block;
	}
	return sum;
}

/* The vertices' numbers by their definitions. */
static void check(const struct example *x, const double *got)
{
	for (uint32_t v = 0; v < N; v++) {
		double sum[2] = {0}, harmonic[2] = {0}, most[2] = {-1, -1};
		uint32_t count[2] = {0};

		for (uint32_t u = 0; u < N; u++)
			for (int in = 0; in < 2 && u != v; in++) {
				double d = in ? x->distances[u][v]
					      : x->distances[v][u];

				if (isinf(d))
					continue;
				count[in]++;
				sum[in] += d;
				harmonic[in] += 1 / d;
				most[in] = fmax(most[in], d);
			}
		for (int in = 0; in < 2; in++) {
			const double *at = got + v + (size_t)in * N;

			assert_true(at[APSP_STAT_REACHES * N] == count[in]);
			assert_true(at[APSP_STAT_DISTANCE_OUT * N] == sum[in]);
			assert_true(
				fabs(at[APSP_STAT_HARMONIC_OUT * N] -
					harmonic[in]) <= 1e-12 * harmonic[in]);
			if (count[in] == 0)
				assert_true(
					isnan(at[APSP_STAT_FARTHEST_OUT * N]));
			else
				assert_true(at[APSP_STAT_FARTHEST_OUT * N] ==
					    most[in]);
		}
		assert_true(got[APSP_STAT_HARMONIC_IN * N + v] ==
			    harmonic_in(x, v));
		assert_true(
			got[APSP_STAT_STRONG * N + v] == (v < RING ? 0 : v));
		assert_true(got[APSP_STAT_WEAK * N + v] == 0);
	}
}

/* Count the hops of rows of path sums, as sums.c does. */
static void hops_give(const struct example *x, struct apsp_row_stats *stats,
	const struct apsp_row_strip *strip)
{
	for (uint32_t r = 0; r < strip->n_rows; r++) {
		uint32_t i = strip->first + r, hops[N];

		for (uint32_t j = 0; j < N; j++)
			hops[j] = isinf(x->distances[i][j]) ? APSP_NO_HOPS
							    : x->hops[i][j];
		if (x->integers.kind == APSP_DISTANCE_SUM)
			apsp_row_stats_hops(stats, 0, hops);
	}
}

static void components_find(
	const struct example *x, struct apsp_components *out)
{
	assert_int_equal(apsp_components_build(&x->lengths, out, NULL), 0);
	assert_int_equal(
		apsp_components_weak(&x->lengths, false, &out->weak, NULL), 0);
}

/* Make the statistics; expected is the result if n_reachable pairs have a path.
 */
static void finish(struct example *x, uint32_t together, uint64_t n_reachable,
	int expected, double *out, struct apsp_histogram histograms[2])
{
	APSP_AUTO(apsp_components_done) struct apsp_components components = {0};
	struct apsp_row_stats *stats = NULL;
	const double *vertices;
	struct apsp_err err;

	components_find(x, &components);
	assert_int_equal(
		apsp_row_stats_new(&x->lengths, &x->integers, x->element,
			apsp_parallel_processors(), &stats, &err),
		0);
	for (uint32_t i = 0; i < N; i += together) {
		const struct apsp_row_strip strip = {.first = i,
			.n_rows = N - i < together ? N - i : together,
			.distances =
				x->rows +
				(size_t)i * N * apsp_element_size(x->element),
			.predecessors = x->tails[i]};

		hops_give(x, stats, &strip);
		assert_int_equal(
			apsp_row_stats_rows(stats, &strip, NULL, &err), 0);
	}
	assert_int_equal(apsp_row_stats_finish(stats, &components, n_reachable,
				 &vertices, histograms, &err),
		expected);
	if (expected == 0)
		memcpy(out, vertices, APSP_N_VERTEX_STATS * N * sizeof(*out));
	apsp_row_stats_free(stats);
}

static void run(struct example *x, uint32_t together, double *out,
	struct apsp_histogram histograms[2])
{
	finish(x, together, (uint64_t)N * RING, APSP_EPROOF, out, histograms);
	finish(x, together, (uint64_t)N * RING + N - RING, 0, out, histograms);
}

static void test_rows(void **state)
{
	static const struct {
		enum apsp_distance_kind kind;
		enum apsp_element element;
	} kinds[] = {
		{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F32},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F64},
	};
	static const uint32_t strips[] = {1, 7, BLOCK, 150};
	static struct example x;
	static double got[2][APSP_N_VERTEX_STATS * N];
	static struct apsp_histogram histograms[2][2];

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		uint64_t hops[RING + 1] = {0};

		example_init(&x, kinds[k].kind, kinds[k].element);
		if (kinds[k].kind == APSP_DISTANCE_SCALED)
			x.integers.scale = SCALE;
		rows_make(&x);
		run(&x, N, got[0], histograms[0]);
		check(&x, got[0]);
		/* strips that end within source blocks, at their ends, and
		   after several of them */
		for (size_t s = 0; s < sizeof(strips) / sizeof(*strips); s++) {
			run(&x, strips[s], got[1], histograms[1]);
			assert_memory_equal(got[0], got[1], sizeof(got[0]));
			assert_memory_equal(histograms[0], histograms[1],
				sizeof(histograms[0]));
		}
		for (uint32_t c = 0; c < N * N; c++)
			if (c / N != c % N && !isinf(x.distances[c / N][c % N]))
				hops[x.hops[c / N][c % N]]++;
		assert_true(histograms[0][1].width == 1);
		for (int h = 0; h <= RING; h++)
			assert_int_equal(histograms[0][1].counts[h], hops[h]);
		/* 2: two arcs of 1, or one of 2 */
		assert_int_equal(
			count_of(&histograms[0][0], 0, 1e9), N * RING - RING);
	}
}

/* The sizes of source blocks, and where they end. */
static void test_source_blocks(void **state)
{
	static const struct {
		uint32_t n, rows;
	} sizes[] = {
		{1, 64},
		{63, 64},
		{64, 64},
		{65, 64},
		{16384, 64},
		{16385, 128},
		{32768, 128},
		{32769, 256},
		{139255, 1024},
		{1 << 22, 16384},
	};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint32_t n = sizes[s].n, rows = sizes[s].rows, n_blocks = 0;

		assert_int_equal(apsp_source_block_rows(n), rows);
		for (uint32_t v = 0; v < n; v = apsp_source_block_end(n, v)) {
			uint32_t end = apsp_source_block_end(n, v);

			assert_int_equal(end, n - v < rows ? n : v + rows);
			assert_int_equal(
				apsp_source_block_end(n, end - 1), end);
			n_blocks++;
		}
		assert_in_range(n_blocks, 1, 256);
	}
}

/* The statistics of the rows are refused if they have a fault. */
static void fault_try(struct example *x)
{
	APSP_AUTO(apsp_components_done) struct apsp_components components = {0};
	struct apsp_row_stats *stats = NULL;
	const struct apsp_row_strip strip = {
		.n_rows = N, .distances = x->rows, .predecessors = x->tails};
	static struct apsp_histogram histograms[2];
	const double *vertices;
	struct apsp_err err;
	int r;

	components_find(x, &components);
	at_fault = fault != FAULT_NONE;
	is_hops = false;
	assert_int_equal(apsp_row_stats_new(&x->lengths, &x->integers,
				 x->element, 1, &stats, &err),
		0);
	assert_int_equal(apsp_row_stats_rows(stats, &strip, NULL, &err), 0);
	r = apsp_row_stats_finish(stats, &components,
		(uint64_t)N * RING + N - RING, &vertices, histograms, &err);
	assert_int_equal(r, fault == FAULT_NONE ? 0 : APSP_EPROOF);
	at_fault = false;
	apsp_row_stats_free(stats);
}

/* One number that is wrong does not agree with the others. */
static void test_totals(void **state)
{
	static const enum apsp_element elements[] = {
		APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F64};
	static struct example x;

	(void)state;
	example_init(&x, APSP_DISTANCE_HOPS, APSP_ELEMENT_U16);
	rows_make(&x);
	for (fault = FAULT_NONE; fault < N_FAULTS; fault++)
		fault_try(&x);
	for (size_t e = 0; e < sizeof(elements) / sizeof(*elements); e++) {
		example_init(&x, APSP_DISTANCE_SCALED, elements[e]);
		rows_make(&x);
		fault = FAULT_NONE;
		fault_try(&x);
		for (fault = FAULT_HOPS_BIN; fault < N_HOPS_FAULTS; fault++)
			if (fault != FAULT_HOPS ||
				elements[e] != APSP_ELEMENT_F64)
				fault_try(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_bins_below),
		cmocka_unit_test(test_bins_joined),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_source_blocks),
		cmocka_unit_test(test_totals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
