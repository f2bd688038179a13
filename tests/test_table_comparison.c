/*
 * Comparisons of tables of every kind, against a loop over all pairs: changes,
 * sums, groups, keys of several vertices, vertices that are left out. Blocks of
 * pairs, histograms and lists of pairs, against definitions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <float.h>

#include "daemon/base/auto.h"
#include "storage/tables/table_comparison.h"
#include "storage/tables/table_seal.h"
#include "tests/sample_tables.h"

enum {
	N_GROUPS = 7,
};

static const struct apsp_tables_watch nobody;

/* Two kinds of tables, and whether the stored distances are compared. */
static const struct {
	struct sample_kind here, with;
	bool rounded;
} cases[] = {
	{{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000}, true},
	{{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000, false, true,
			true},
		true},
	{{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 3},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 3}, false},
	{{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 100, true},
		{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 100, true}, false},
	{{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 1000},
		{APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, SAMPLE_N, 9}, false},
	{{APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, 64, 5},
		{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1, 1}, false},
	{{APSP_DISTANCE_WIDTH, APSP_ELEMENT_U16, 1, 40},
		{APSP_DISTANCE_WIDTH, APSP_ELEMENT_U16, 1, 3}, false},
	{{APSP_DISTANCE_WIDTH, APSP_ELEMENT_I32, 1, 100000},
		{APSP_DISTANCE_WIDTH, APSP_ELEMENT_U16, 1, 100000}, false},
};

static struct apsp_tables *tables_new(const struct sample *s)
{
	struct apsp_tables *tables = NULL;
	uint64_t checksum;

	sample_write(s, path);
	assert_int_equal(apsp_table_seal(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &checksum, NULL),
		0);
	assert_int_equal(apsp_tables_open(path, SAMPLE_REVISION, SAMPLE_PROFILE,
				 &nobody, &tables, NULL),
		0);
	unlink(path);
	return tables;
}

static double distance_of(const struct sample *s, bool rounded, int i, int j)
{
	if (rounded && s->header.sections[APSP_SECTION_DISTANCE].element ==
			       APSP_ELEMENT_F32)
		return (double)(float)s->distance[i][j];
	return s->distance[i][j];
}

/* One comparison and what is expected of it. */
struct trial {
	struct sample *samples[2];
	struct apsp_tables *tables[2];
	uint32_t keys[2][SAMPLE_N]; /* the key of each vertex, on each side */
	uint32_t groups[SAMPLE_N];
	uint64_t left_out[(SAMPLE_N + 63) / 64];
	struct apsp_comparison_options options;
	struct apsp_table_comparison comparison;
};

/* The mean distance from key `a` to key `b`; NaN if these are no pairs. */
static double mean_of(
	const struct trial *t, int side, bool rounded, uint32_t a, uint32_t b)
{
	uint64_t pairs = 0, reached = 0;
	double sum = 0;

	for (int i = 0; i < SAMPLE_N; i++) {
		if (t->keys[side][i] != a)
			continue;
		for (int j = 0; j < SAMPLE_N; j++) {
			if (i == j || t->keys[side][j] != b)
				continue;
			pairs++;
			if (isinf(t->samples[side]->v[i][j]))
				continue;
			reached++;
			sum += distance_of(t->samples[side], rounded, i, j);
		}
	}
	if (pairs == 0)
		return NAN;
	return reached > 0 ? sum / (double)reached : INFINITY;
}

static int change_expected(const struct trial *t, double here, double with)
{
	if (isinf(here) && isinf(with))
		return APSP_PAIR_NOWHERE;
	if (isinf(with))
		return APSP_PAIR_GAINED;
	if (isinf(here))
		return APSP_PAIR_LOST;
	if (!t->options.rule.lengths ||
		!(fabs(here - with) > t->options.rule.tolerance *
					      fmax(fabs(here), fabs(with))))
		return APSP_PAIR_EQUAL;
	return here > with ? APSP_PAIR_LONGER : APSP_PAIR_SHORTER;
}

static bool is_left_out(const struct trial *t, uint32_t key)
{
	return t->options.left_out && (t->left_out[key / 64] >> key % 64 & 1);
}

/* Sums of numbers whose magnitudes sum to `magnitude`. */
static void check_sum(double found, double expected, double magnitude)
{
	assert_true(fabs(found - expected) <= 1e-12 * magnitude);
}

/* Compare the results with a loop over all pairs of keys. */
static void check(const struct trial *t, bool rounded)
{
	const struct apsp_changes *c = t->comparison.found;
	uint64_t n[APSP_N_PAIR_CHANGES] = {0};
	uint64_t left_out[APSP_N_PAIR_CHANGES] = {0};
	static struct apsp_group_change groups[N_GROUPS][N_GROUPS];
	double here_sum = 0, with_sum = 0, difference = 0, magnitude = 0;
	uint64_t binned = 0;

	memset(groups, 0, sizeof(groups));
	for (uint32_t a = 0; a < t->options.n_keys; a++)
		for (uint32_t b = 0; b < t->options.n_keys; b++) {
			double here = mean_of(t, 0, rounded, a, b);
			double with = mean_of(t, 1, rounded, a, b);
			int change = change_expected(t, here, with);

			if (isnan(here) || isnan(with))
				continue;
			if (is_left_out(t, a) || is_left_out(t, b)) {
				left_out[change]++;
				continue;
			}
			n[change]++;
			if (change >= APSP_PAIR_EQUAL) {
				here_sum += here;
				with_sum += with;
				magnitude += fabs(here) + fabs(with);
			}
			if (change > APSP_PAIR_EQUAL)
				difference += here - with;
			if (t->groups[a] == APSP_NO_KEY ||
				t->groups[b] == APSP_NO_KEY)
				continue;
			groups[t->groups[a]][t->groups[b]].n[change]++;
		}
	assert_memory_equal(c->n, n, sizeof(n));
	assert_memory_equal(c->left_out, left_out, sizeof(left_out));
	check_sum(c->sum_here, here_sum, magnitude);
	check_sum(c->sum_with, with_sum, magnitude);
	check_sum(c->difference, difference, magnitude);
	for (int k = 0; k < APSP_HISTOGRAM_BINS; k++)
		binned += c->bins.histogram.counts[k];
	assert_int_equal(binned, n[APSP_PAIR_LONGER] + n[APSP_PAIR_SHORTER]);
	for (int a = 0; t->options.group_of && a < N_GROUPS; a++)
		for (int b = 0; b < N_GROUPS; b++)
			assert_memory_equal(c->groups[a * N_GROUPS + b].n,
				groups[a][b].n, sizeof(groups[a][b].n));
}

/* A listed value is that of the sample, INFINITY without a path. */
static void check_value(
	const struct trial *t, int side, uint32_t i, uint32_t j, double found)
{
	double value = t->samples[side]->distance[i][j];

	assert_true(
		found == (isinf(t->samples[side]->v[i][j]) ? INFINITY : value));
}

/* The listed pairs have exact sums, if the keys are vertices. */
static void check_top(const struct trial *t)
{
	double sign = t->options.rule.widths ? 1 : -1;

	for (int change = 0; change < APSP_N_PAIR_CHANGES; change++) {
		const struct apsp_top_pairs *top =
			&t->comparison.found->top[change];

		for (uint32_t k = 0; k < top->n; k++) {
			const struct apsp_top_pair *p = &top->pairs[k];
			const uint32_t *i = t->comparison.parts[0].here.members;
			const uint32_t *j = t->comparison.parts[0].with.members;

			check_value(t, 0, i[p->from], i[p->to], p->here);
			check_value(t, 1, j[p->from], j[p->to], p->with);
			assert_true(k == 0 || p->score <= p[-1].score);
			if (change == APSP_PAIR_LOST)
				assert_true(p->score == sign * p->with);
			else if (change == APSP_PAIR_GAINED)
				assert_true(p->score == sign * p->here);
			else
				assert_true(
					p->score == fabs(p->here - p->with));
		}
	}
}

static void compare(struct trial *t)
{
	int r;

	assert_int_equal(apsp_table_comparison_begin(t->tables[0], t->tables[1],
				 &t->options, &t->comparison, NULL),
		0);
	for (int i = APSP_COMPARISON_PARTS - 1; i >= 0; i--) {
		while ((r = apsp_comparison_part_step(
				&t->comparison.parts[i], NULL)) > 0)
			;
		assert_int_equal(r, 0);
	}
	while ((r = apsp_table_comparison_finish(&t->comparison, NULL)) > 0)
		;
	assert_int_equal(r, 0);
}

/* Key k is vertex k here, and vertex (k * step) % SAMPLE_N in `with`. */
static void keys_single(struct trial *t, uint32_t step)
{
	for (uint32_t k = 0; k < SAMPLE_N; k++) {
		t->keys[0][k] = k;
		t->keys[1][k * step % SAMPLE_N] = k;
	}
	t->options.n_keys = SAMPLE_N;
}

static void test_every_kind(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		struct trial t = {.options = {.top = 20}};

		t.samples[0] = sample_new(&cases[k].here, 2 * k + 1);
		t.samples[1] = sample_new(&cases[k].with, 2 * k + 2);
		for (int side = 0; side < 2; side++)
			t.tables[side] = tables_new(t.samples[side]);
		t.options.key_of_here = t.keys[0];
		t.options.key_of_with = t.keys[1];
		t.options.group_of = t.groups;
		t.options.n_groups = N_GROUPS;
		for (uint32_t v = 0; v < SAMPLE_N; v++)
			t.groups[v] = v % 9 < N_GROUPS ? v % 9 : APSP_NO_KEY;
		for (int round = 0; round < 5; round++) {
			t.options.rule.lengths = round != 3;
			t.options.rule.widths =
				cases[k].here.kind == APSP_DISTANCE_WIDTH;
			t.options.rule.tolerance = round == 2 ? 0.1 : 0;
			t.options.left_out = round == 4 ? t.left_out : NULL;
			t.left_out[0] = 0x41;
			t.left_out[2] = 1;
			keys_single(&t, round == 1 ? 7 : 1);
			compare(&t);
			check(&t, cases[k].rounded || round == 3);
			check_top(&t);
			apsp_table_comparison_done(&t.comparison);
		}
		for (int side = 0; side < 2; side++) {
			apsp_tables_unref(t.tables[side]);
			free(t.samples[side]);
		}
	}
}

/* Keys of several vertices, of one vertex, and vertices without a key. */
static void test_keys(void **state)
{
	const struct sample_kind *kind = &cases[0].here;
	struct trial t = {.options = {.top = 5, .rule = {.lengths = true}}};

	(void)state;
	for (int side = 0; side < 2; side++) {
		t.samples[side] = sample_new(kind, (uint64_t)side + 31);
		t.tables[side] = tables_new(t.samples[side]);
		for (uint32_t v = 0; v < SAMPLE_N; v++) {
			uint32_t key = v * (side ? 3 : 1) % 23;

			t.keys[side][v] = key < 20 ? key : APSP_NO_KEY;
		}
	}
	/* one side has one vertex of key 20, the other has several */
	for (uint32_t v = 0; v < 3; v++)
		t.keys[0][20 + v] = 20;
	t.keys[1][SAMPLE_N - 1] = 20;
	t.options.n_keys = 21;
	t.options.key_of_here = t.keys[0];
	t.options.key_of_with = t.keys[1];
	compare(&t);
	check(&t, true);
	assert_int_equal(
		apsp_pair_change_pairs(t.comparison.found->n), 21 * 21 - 1);
	apsp_table_comparison_done(&t.comparison);
	for (int side = 0; side < 2; side++) {
		apsp_tables_unref(t.tables[side]);
		free(t.samples[side]);
	}
}

/* A block has the changes of its pairs, and sums in lanes. */
static void test_blocks(void **state)
{
	static const double values[] = {
		INFINITY, 0, 1, 1.05, 2, -1, -1.05, DBL_MAX, -DBL_MAX};
	const struct apsp_pair_rule rule = {true, 0.1};
	static struct apsp_pair_block block;
	double here[APSP_PAIR_BLOCK], with[APSP_PAIR_BLOCK];
	uint64_t seed = 3;

	(void)state;
	for (uint32_t n = 1; n <= APSP_PAIR_BLOCK; n += 15) {
		struct apsp_block_sums sums = {0}, expected = {0};
		uint32_t skipped = random_below(&seed, n), changed = 0;
		uint32_t number[APSP_N_PAIR_CHANGES] = {0};

		for (uint32_t i = 0; i < n; i++) {
			here[i] = values[random_below(&seed, 7)];
			with[i] = values[random_below(&seed, 7)];
		}
		here[0] = values[7 + n % 2];
		with[0] = values[8 - n % 2];
		apsp_pair_block_load(&block, here, with, n);
		apsp_pair_block_skip(&block, skipped);
		apsp_pair_block_compare(&block, &rule, &sums);
		for (uint32_t i = 0; i < APSP_PAIR_BLOCK; i++) {
			bool is_pair = i < n && i != skipped;
			enum apsp_pair_change change = APSP_PAIR_NOWHERE;

			if (is_pair)
				change = apsp_pair_change_of(
					&rule, here[i], with[i]);
			assert_int_equal(
				apsp_pair_block_change(&block, i), change);
			number[change] += is_pair;
			if (change >= APSP_PAIR_EQUAL) {
				expected.here[i % 8] += here[i];
				expected.with[i % 8] += with[i];
			}
			if (change >= APSP_PAIR_LONGER)
				expected.differences[i % 8] +=
					here[i] - with[i];
			if (change != APSP_PAIR_NOWHERE &&
				change != APSP_PAIR_EQUAL)
				assert_int_equal(block.changed[changed++], i);
		}
		assert_memory_equal(block.n, number, sizeof(number));
		assert_int_equal(block.n_changed, changed);
		assert_memory_equal(&sums, &expected, sizeof(sums));
	}
}

/* A histogram of some values, to which that of the others is joined, is the
   histogram of all. */
static void bins_check_join(const double *values, size_t n, bool whole,
	const struct apsp_histogram *all)
{
	for (size_t cut = 0; cut <= n; cut += n < 9 ? 1 : n / 9) {
		struct apsp_difference_bins sides[2];

		for (int side = 0; side < 2; side++)
			apsp_difference_bins_init(&sides[side], whole);
		for (size_t i = 0; i < n; i++)
			apsp_difference_bins_add(&sides[i >= cut], values[i]);
		apsp_difference_bins_join(&sides[0], &sides[1]);
		assert_memory_equal(&sides[0].histogram, all, sizeof(*all));
	}
}

static void bins_check(const double *values, size_t n, bool whole)
{
	struct apsp_difference_bins bins, turned;
	const struct apsp_histogram *h = &bins.histogram;

	apsp_difference_bins_init(&bins, whole);
	apsp_difference_bins_init(&turned, whole);
	for (size_t i = 0; i < n; i++) {
		apsp_difference_bins_add(&bins, values[i]);
		apsp_difference_bins_add(&turned, values[n - 1 - i]);
	}
	assert_memory_equal(h, &turned.histogram, sizeof(*h));
	bins_check_join(values, n, whole, h);
	for (int64_t k = 0; k < APSP_HISTOGRAM_BINS; k++) {
		double begin = (double)(k + h->first) * h->width;
		double end = (double)(k + 1 + h->first) * h->width;
		uint64_t count = 0;

		for (size_t i = 0; i < n; i++)
			count += values[i] >= begin && values[i] < end;
		assert_int_equal(h->counts[k], count);
	}
	assert_true(!whole || h->width >= 1);
}

static void test_bins(void **state)
{
	static const double odd[] = {1e-300, -1e-300, 5, -5, 1e300, -1e300};
	double values[500];
	uint64_t seed = 9;

	(void)state;
	for (int round = 0; round < 4; round++) {
		for (int i = 0; i < 500; i++)
			values[i] = ldexp(random_unit(&seed) - 0.5,
				(int)random_below(&seed, 30) - 15);
		bins_check(values, 500, false);
		for (int i = 0; i < 500; i++)
			values[i] = 1 + random_below(&seed, 5000) -
				    (i % 2 ? 6000.0 : 0);
		bins_check(values, 500, true);
	}
	values[0] = -3;
	bins_check(values, 1, true);
	bins_check(values, 1, false);
	bins_check(odd, 4, false);
	bins_check(odd, 6, false);
}

/* The best pairs, whose order does not depend on chance. */
static void test_top(void **state)
{
	struct apsp_top_pairs top, rest;
	uint64_t seed = 17;
	double scores[300];

	(void)state;
	for (uint32_t limit = 1; limit < 40; limit += 6) {
		assert_int_equal(apsp_top_pairs_begin(&top, limit, NULL), 0);
		assert_int_equal(apsp_top_pairs_begin(&rest, limit, NULL), 0);
		for (uint32_t i = 0; i < 300; i++) {
			struct apsp_top_pair pair = {
				.from = i / 20, .to = i % 20};

			pair.score = scores[i] = random_below(&seed, 30);
			apsp_top_pairs_add(i < 8 * limit ? &top : &rest, &pair);
		}
		apsp_top_pairs_join(&top, &rest);
		apsp_top_pairs_sort(&top);
		assert_int_equal(top.n, limit);
		for (uint32_t k = 0; k < limit; k++) {
			uint32_t best = 0;

			for (uint32_t i = 0; i < 300; i++)
				if (scores[i] > scores[best])
					best = i;
			assert_true(top.pairs[k].score == scores[best]);
			assert_int_equal(top.pairs[k].from, best / 20);
			assert_int_equal(top.pairs[k].to, best % 20);
			scores[best] = -1;
		}
		apsp_top_pairs_done(&top);
		apsp_top_pairs_done(&rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_every_kind, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_keys, sample_set_up, sample_tear_down),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_bins),
		cmocka_unit_test(test_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
