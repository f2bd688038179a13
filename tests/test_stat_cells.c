/*
 * Statistics of some columns: the loops that go side by side against the ones
 * that take one number after the other, bit by bit; V parted into distance and
 * hops; counting in groups of codes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/statistics/stat_cells.h"
#include "tests/random.h"
#include "tests/table_cell.h"

enum {
	COLUMNS = APSP_STAT_COLUMNS,
	ROWS = 40,
};

/* What some rows add up to. */
struct sums {
	uint32_t count[COLUMNS];
	double sum[COLUMNS];
	double harmonic[COLUMNS];
	double most[COLUMNS];
	int32_t far[COLUMNS];
	struct apsp_stat_part parts[ROWS];
	struct apsp_histogram distances;
	struct apsp_histogram hops;
};

/* Add the rows as `form` has them; `out` has its parts' paddings cleared. */
static void rows_add(const struct apsp_stat_form *form, const char *rows,
	size_t n, double width, struct sums *out)
{
	static struct apsp_bins distances, hops;
	static struct apsp_stat_cells cells;
	const struct apsp_stat_columns columns = {
		out->count, out->sum, out->harmonic, out->most, out->far};
	size_t size = n * apsp_element_size(form->element);

	memset(out, 0, sizeof(*out));
	for (int c = 0; c < COLUMNS; c++)
		out->most[c] = -INFINITY;
	apsp_bins_init(&distances, width, false);
	apsp_bins_init(&hops, 1, false);
	for (size_t r = 0; r < ROWS; r++) {
		apsp_stat_cells_add(form, rows + r * size, n, 3 + r, &columns,
			&cells, &out->parts[r]);
		if (out->parts[r].count > 0)
			apsp_stat_cells_bin(form, &cells, &out->parts[r],
				&distances, &hops);
	}
	for (size_t c = 0; c < n; c++)
		out->most[c] = out->count[c] > 0 ? apsp_stat_columns_most(
							   form, &columns, c)
						 : 0;
	memset(out->far, 0, sizeof(out->far));
	for (size_t c = n; c < COLUMNS; c++)
		out->most[c] = 0;
	apsp_bins_store(&distances, &out->distances);
	apsp_bins_store(&hops, &out->hops);
}

static void row_fill(const struct apsp_stat_form *form, uint64_t *seed,
	uint32_t range, size_t n, char *rows)
{
	for (size_t c = 0; c < ROWS * n; c++) {
		uint32_t distance = random_below(seed, range);
		uint32_t hops = 1 + random_below(seed, (uint32_t)form->scale);
		bool none = random_below(seed, 9) == 0 || c / n == 5;
		int64_t v = form->kind == APSP_DISTANCE_SCALED
				    ? (int64_t)distance * (int)form->scale +
					      hops % (int)form->scale
				    : distance;
		double value = form->element == APSP_ELEMENT_F32
				       ? (float)distance / 13
				       : (double)v;

		table_cell_put(rows, form->element, c, none ? INFINITY : value);
	}
}

static void test_same_bits(void **state)
{
	static const struct {
		struct apsp_stat_form form;
		uint32_t range;
	} cases[] = {
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1, false}, 7},
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1, false}, 8},
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1, false}, 63},
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1, false}, 64},
		{{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 16, false}, 2000},
		{{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 301, false}, 100000},
		{{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, 3353, false}, 320000},
		{{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, false}, 1000},
		{{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, false}, 16000000},
	};
	static _Alignas(double) char rows[ROWS * COLUMNS * sizeof(float)];
	static struct sums fast, slow;
	uint64_t seed = 7;

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++)
		for (size_t n = COLUMNS - 7; n <= COLUMNS; n += 7) {
			struct apsp_stat_form form = cases[k].form;
			double width =
				form.kind == APSP_DISTANCE_SUM ? 0.03125 : 1;

			row_fill(&form, &seed, cases[k].range, n, rows);
			rows_add(&form, rows, n, width, &fast);
			/* numbers that may be negative go one by one */
			form.below = true;
			rows_add(&form, rows, n, width, &slow);
			assert_memory_equal(&fast, &slow, sizeof(fast));
			assert_int_equal(fast.parts[5].count, 0);
			assert_true(fast.parts[0].count > n / 2);
			/* no pair has 0 hops */
			assert_int_equal(fast.hops.counts[0], 0);
		}
}

/* Values of V next to multiples of its scale: the first ones, and up to the
   largest. 49 · (1 / 49), in doubles, is below 1. */
static void test_parts(void **state)
{
	static const int32_t scales[] = {
		2, 3, 7, 49, 103, 107, 301, 512, 3353, 65535};
	static struct apsp_stat_cells cells;
	static struct sums sums;
	const struct apsp_stat_columns columns = {
		sums.count, sums.sum, sums.harmonic, sums.most, sums.far};
	struct apsp_stat_part part;
	int32_t row[COLUMNS];

	(void)state;
	for (size_t s = 0; s < 2 * sizeof(scales) / sizeof(*scales); s++) {
		const int32_t scale = scales[s / 2];
		const struct apsp_stat_form form = {
			APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, scale, false};
		int32_t last = APSP_V_INFINITY_I32 - 1;
		int32_t step = s % 2 ? 1 : last / scale / (COLUMNS / 3 + 1);

		for (int c = 0; c < COLUMNS; c++) {
			int64_t v =
				(int64_t)(c / 3 + 1) * step * scale + c % 3 - 1;

			row[c] = v < last && c > 0 ? (int32_t)v : last;
		}
		apsp_stat_cells_add(
			&form, row, COLUMNS, COLUMNS, &columns, &cells, &part);
		for (int c = 0; c < COLUMNS; c++) {
			assert_int_equal(cells.far[c], row[c] / scale);
			assert_int_equal(cells.hops[c], row[c] % scale);
		}
	}
}

/* All largest codes, around those of groups and where bins have widened. */
static void test_groups(void **state)
{
	static struct apsp_bins bins;
	static struct apsp_histogram h;
	uint64_t expected[APSP_HISTOGRAM_BINS] = {0};
	uint16_t codes[COLUMNS];
	uint64_t seed = 3;

	(void)state;
	apsp_bins_init(&bins, 1, false);
	for (uint32_t most = 1; most <= APSP_HISTOGRAM_BINS;
		most += most < 70 ? 1 : 659) {
		for (int c = 0; c < COLUMNS; c++) {
			codes[c] = (uint16_t)random_below(&seed, most + 1);
			if (codes[c] > 0)
				expected[codes[c] - 1]++;
		}
		apsp_bins_count(&bins, codes, most);
	}
	apsp_bins_store(&bins, &h);
	assert_memory_equal(h.counts, expected, sizeof(expected));
	apsp_bins_count(&bins, (uint16_t[COLUMNS]){1, 1, 2}, 2);
	apsp_bins_fit(&bins, 0, APSP_HISTOGRAM_BINS);
	apsp_bins_store(&bins, &h);
	assert_true(h.width == 2);
	assert_int_equal(h.counts[0], expected[0] + expected[1] + 3);
	assert_int_equal(h.counts[1], expected[2] + expected[3]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bits),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
