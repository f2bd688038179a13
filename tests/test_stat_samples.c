/*
 * The second look at some vertices' statistics: it agrees with the first for
 * every kind of distance and every way to cut rows into strips, and with
 * nothing else.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/statistics/row_stats.h"
#include "compute/statistics/stat_samples.h"
#include "tests/stat_rows.h"

enum {
	N = STAT_ROWS_N,
	SAMPLES = 34,
	LANES = 16, /* columns of a vector */
};

/* Both looks at all rows, so many at a time. */
struct looks {
	unsigned int width;
	struct apsp_row_stats *stats;
	struct apsp_stat_samples samples;
	double vertices[APSP_N_VERTEX_STATS * N];
};

static void looks_make(
	struct stat_rows *x, uint32_t together, struct looks *out)
{
	static struct apsp_histogram histograms[2];
	struct apsp_parallel_part part;
	const double *vertices;
	struct apsp_err err;

	out->width = apsp_parallel_processors();
	assert_int_equal(apsp_row_stats_new(&x->lengths, &x->integers,
				 x->element, out->width, &out->stats, &err),
		0);
	assert_int_equal(apsp_stat_samples_init(N, &x->integers, x->element,
				 false, &out->samples, &err),
		0);
	for (uint32_t i = 0; i < N; i += together) {
		const struct apsp_row_strip strip = {.first = i,
			.n_rows = N - i < together ? N - i : together,
			.distances =
				x->rows +
				(size_t)i * N * apsp_element_size(x->element),
			.predecessors = x->tails + (size_t)i * N};

		for (uint32_t r = 0; r < strip.n_rows; r++)
			stat_rows_hops(x, out->stats, i + r);
		assert_int_equal(
			apsp_row_stats_rows(out->stats, &strip, NULL, &err), 0);
		apsp_stat_samples_begin(&out->samples, &strip, &part);
		apsp_parallel_parts(&part, 1, out->width);
	}
	assert_int_equal(apsp_row_stats_finish(out->stats, &x->components,
				 x->n_reachable, &vertices, histograms, &err),
		0);
	memcpy(out->vertices, vertices, sizeof(out->vertices));
}

static void looks_done(struct looks *looks)
{
	apsp_stat_samples_done(&looks->samples);
	apsp_row_stats_free(looks->stats);
}

/* In how many vertices a wrong number of this statistic is found. wrong 0: the
   least difference there is. */
static unsigned int found(struct looks *looks, int stat, double wrong)
{
	unsigned int n = 0;

	for (uint32_t v = 0; v < N; v++) {
		double *number = &looks->vertices[(size_t)stat * N + v];
		double kept = *number;
		struct apsp_err err;

		*number = isnan(kept)  ? 1
			  : wrong != 0 ? kept + wrong
				       : nextafter(kept, INFINITY);
		n += apsp_stat_samples_check(&looks->samples, looks->vertices,
			     &err) == APSP_EPROOF;
		*number = kept;
	}
	return n;
}

static void test_agreement(void **state)
{
	static const uint32_t strips[] = {N, 7, 256};
	static struct stat_rows x;
	static struct looks looks;
	struct apsp_err err = {0};

	(void)state;
	for (size_t k = 0; k < STAT_ROWS_KINDS; k++) {
		stat_rows_make(&x, &stat_rows_kinds[k]);
		for (size_t s = 0; s < 3; s++) {
			looks_make(&x, strips[s], &looks);
			if (apsp_stat_samples_check(
				    &looks.samples, looks.vertices, &err) != 0)
				fail_msg("kind %zu: %s", k, err.message);
			for (int stat = 0; s == 0 && stat < APSP_STAT_STRONG;
				stat++) {
				assert_int_equal(
					found(&looks, stat, 1), SAMPLES);
				/* what is added up by target has one order */
				if (stat == APSP_STAT_DISTANCE_IN ||
					stat == APSP_STAT_HARMONIC_IN)
					assert_int_equal(found(&looks, stat, 0),
						SAMPLES);
			}
			looks_done(&looks);
		}
	}
}

/* Sums over all vertices do not tell that two vertices were mixed up. */
static void test_mixed_up(void **state)
{
	static struct stat_rows x;
	static struct looks looks;
	static const struct stat_rows_kind hops = {
		APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, false};
	double *in;
	struct apsp_err err;

	(void)state;
	stat_rows_make(&x, &hops);
	looks_make(&x, 50, &looks);
	in = looks.vertices + APSP_STAT_DISTANCE_IN * N;
	/* a task's columns went into those of the first */
	for (int c = 0; c < 256; c++) {
		in[c] += in[256 + c];
		in[256 + c] = 0;
	}
	assert_int_equal(
		apsp_stat_samples_check(&looks.samples, looks.vertices, &err),
		APSP_EPROOF);
	assert_non_null(strstr(err.message, "of paths to vertex 0"));
	looks_done(&looks);
}

/* The number of samples, and that they lie all over the vertices. */
static void test_places(void **state)
{
	static const uint32_t sizes[] = {
		1, 2, 15, 16, 17, 255, 300, 4095, 4096, 4097, 32768, 139255};
	static const struct apsp_integers integers = {
		.kind = APSP_DISTANCE_HOPS, .scale = 1};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		struct apsp_stat_samples samples;
		uint32_t n = sizes[s];

		assert_int_equal(
			apsp_stat_samples_init(n, &integers, APSP_ELEMENT_U16,
				false, &samples, NULL),
			0);
		assert_in_range(samples.step, 1, 256);
		assert_true(samples.n >= 32 || samples.n == n);
		assert_true(samples.n * samples.step >= n);
		assert_true((samples.n - 1) * samples.step < n);
		apsp_stat_samples_done(&samples);
	}
}

/* Put `value` into the columns c with c % LANES = place. */
static void lane_fill(uint16_t *row, uint32_t n, uint32_t place, uint16_t value)
{
	for (uint32_t c = place; c < n; c += LANES)
		row[c] = value;
}

/* Return the number of paths to samples in a row of the table. */
static double row_count(
	uint32_t n, const struct apsp_integers *integers, uint16_t *row)
{
	const struct apsp_row_strip strip = {
		.first = 0, .n_rows = 1, .distances = row};
	struct apsp_stat_samples samples;
	struct apsp_parallel_part part;
	double count = 0;

	assert_int_equal(apsp_stat_samples_init(n, integers, APSP_ELEMENT_U16,
				 false, &samples, NULL),
		0);
	apsp_stat_samples_begin(&samples, &strip, &part);
	for (size_t i = 0; i < part.n; i++)
		part.body(part.ctx, 0, i);
	for (uint32_t s = 0; s < samples.n; s++)
		count += samples.in[s].count;
	apsp_stat_samples_done(&samples);
	return count;
}

/* Each place of a vector of columns has a sample, whatever the number of
   vertices. */
static void test_lanes(void **state)
{
	static const uint32_t sizes[] = {64, 100, 223, 300, 479, 511, 512, 600,
		1184, 1185, 2240, 2246, 2368, 3013, 4736, 4999, 7014, 7024,
		8191, 8192, 12529};
	static const struct apsp_integers integers = {
		.kind = APSP_DISTANCE_HOPS, .scale = 1};

	(void)state;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint32_t n = sizes[s];
		uint16_t *row = malloc(n * sizeof(*row));

		assert_non_null(row);
		for (uint32_t c = 0; c < n; c++)
			row[c] = APSP_V_INFINITY_U16;
		for (uint32_t place = 0; place < LANES; place++) {
			lane_fill(row, n, place, 1);
			assert_true(row_count(n, &integers, row) > 0);
			lane_fill(row, n, place, APSP_V_INFINITY_U16);
		}
		free(row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_mixed_up),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
