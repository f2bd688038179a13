/*
 * Widths read from tables of widest paths, in cells, rows, sets and groups,
 * against the program that made the tables; and tables whose widths no solver
 * writes.
 */
#include "tests/damaged_tables.h"

#include "api/statistics/histograms.h"
#include "storage/tables/group_distances.h"
#include "storage/tables/pair_width.h"
#include "storage/tables/row_reader.h"
#include "tests/reach_search.h"

static const struct sample_kind kinds[] = {
	{APSP_DISTANCE_WIDTH, APSP_ELEMENT_U16, 1, 40, false},
	{APSP_DISTANCE_WIDTH, APSP_ELEMENT_U16, 1, 3, false},
	{APSP_DISTANCE_WIDTH, APSP_ELEMENT_I32, 1, 100000, false},
};

/* The width that the tables hold. */
static double width_of(const struct sample *s, uint32_t i, uint32_t j)
{
	if (i == j)
		return INFINITY;
	return isinf(s->v[i][j]) ? 0 : s->distance[i][j];
}

static void check_rows(struct apsp_tables *t, const struct sample *s,
	const uint32_t *targets, size_t n)
{
	APSP_AUTO(apsp_row_reader_end) struct apsp_row_reader *reader = NULL;
	struct apsp_row row;

	assert_int_equal(
		apsp_row_reader_new(t, APSP_ROW_WIDTH | APSP_ROW_REACHABLE,
			targets, n, &reader, NULL),
		0);
	for (uint32_t i = 0; i < SAMPLE_N; i++) {
		assert_int_equal(
			apsp_row_reader_read(reader, i, &row, NULL), 0);
		assert_null(row.distance);
		for (uint32_t k = 0; k < n; k++) {
			uint32_t j = targets ? targets[k] : k;

			assert_true(row.width[k] == width_of(s, i, j));
			assert_int_equal(row.reachable[k], row.width[k] > 0);
		}
	}
}

/* The vertices whose width is at least a threshold. */
static void check_set(struct apsp_tables *t, const struct sample *s, uint32_t v,
	enum apsp_direction direction, double min_width)
{
	const struct apsp_reach_query query = {.direction = direction,
		.has_min_width = true,
		.min_width = min_width};
	struct apsp_reach_search search;
	size_t n = 0;

	assert_int_equal(reach_search(t, v, &query, &search), 0);
	for (uint32_t u = 0; u < SAMPLE_N; u++) {
		bool out = direction == APSP_DIRECTION_OUT;
		double width = out ? width_of(s, v, u) : width_of(s, u, v);

		if (width > 0 && width >= min_width) {
			assert_true(n < search.set.count);
			assert_int_equal(search.set.vertices[n++], u);
		}
	}
	assert_int_equal(search.set.count, n);
	apsp_reach_search_done(&search);
}

/* Groups of vertices with equal remainders; some vertices are in no group. */
static uint32_t *remainders(uint32_t n)
{
	uint32_t *groups = malloc(SAMPLE_N * sizeof(*groups));

	assert_non_null(groups);
	for (uint32_t v = 0; v < SAMPLE_N; v++)
		groups[v] = v % 11 == 5 ? APSP_NO_GROUP : v % n;
	return groups;
}

static void check_groups(struct apsp_tables *t, const struct sample *s)
{
	uint32_t *sources = remainders(3), *targets = remainders(4);
	struct apsp_group_distances groups;

	assert_int_equal(apsp_group_distances_begin(
				 t, sources, 3, targets, 4, &groups, NULL),
		0);
	while (apsp_group_distances_step(&groups, NULL) > 0)
		continue;
	for (uint32_t pair = 0; pair < 12; pair++) {
		const struct apsp_group_pair *found = &groups.pairs[pair];
		double best = 0, sum = 0;
		uint64_t n = 0;

		for (uint32_t i = 0; i < SAMPLE_N; i++)
			for (uint32_t j = 0; j < SAMPLE_N; j++) {
				double width = width_of(s, i, j);

				if (sources[i] != pair / 4 || i == j ||
					targets[j] != pair % 4 || width == 0)
					continue;
				n++;
				sum += width;
				best = fmax(best, width);
			}
		assert_int_equal(found->n_reachable, n);
		assert_true(found->best == best);
		assert_true(found->sum == sum);
		assert_true(width_of(s, found->from, found->to) == best);
	}
	apsp_group_distances_done(&groups);
}

static void test_widths(void **state)
{
	static const uint32_t few[] = {7, 149, 0, 7};
	uint32_t many[SAMPLE_N / 2];

	(void)state;
	for (uint32_t k = 0; k < SAMPLE_N / 2; k++)
		many[k] = SAMPLE_N - 1 - k;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct sample *s = sample_new(&kinds[k], 31 + k);
		struct apsp_tables *t = serve(s);
		struct apsp_width_facts facts = {.single = false};
		double width;

		for (uint32_t i = 0; i < SAMPLE_N; i++)
			for (uint32_t j = 0; j < SAMPLE_N; j++) {
				assert_int_equal(apsp_pair_width_read(
							 t, i, j, &width, NULL),
					0);
				assert_true(width == width_of(s, i, j));
			}
		check_rows(t, s, NULL, SAMPLE_N);
		check_rows(t, s, few, 4);
		check_rows(t, s, many, SAMPLE_N / 2);
		for (uint32_t v = 0; v < SAMPLE_N; v += 7) {
			double edge = s->widths[s->n_widths / 2];

			check_set(t, s, v, APSP_DIRECTION_OUT, edge);
			check_set(t, s, v, APSP_DIRECTION_IN, edge);
			check_set(t, s, v, APSP_DIRECTION_OUT, 0);
			check_set(t, s, v, APSP_DIRECTION_OUT, 1e9);
		}
		check_groups(t, s);
		assert_int_equal(apsp_pair_width_facts(t, &facts, NULL), 0);
		assert_true(facts.single);
		apsp_tables_unref(t);
		free(s);
	}
}

/* Ranks are never taken for distances, and the tables stay good. */
static void test_no_distances(void **state)
{
	struct sample *s = sample_new(&kinds[0], 31);
	struct apsp_tables *t = serve(s);

	(void)state;
	assert_int_equal(ask_cell(t, 3, 4), APSP_EBUG);
	assert_int_equal(ask_row(t, 3), APSP_EBUG);
	assert_int_equal(ask_path(t, 3, 4), APSP_EBUG);
	assert_false(apsp_tables_damaged(t));
	apsp_tables_unref(t);
	free(s);
}

/* A vertex that i reaches, and that is not i. */
static uint32_t reached_from(const struct sample *s, uint32_t i)
{
	for (uint32_t j = 0; j < SAMPLE_N; j++)
		if (i != j && !isinf(s->v[i][j]))
			return j;
	fail();
	return 0;
}

/* The damage was noted, and reported once. */
static void check_reported(struct apsp_tables *t)
{
	assert_true(apsp_tables_damaged(t));
	assert_int_equal(atomic_load(&n_reports), 1);
}

/* Serve s: its cell (i, j) and its row i are damaged. */
static void check_lie(const struct sample *s, uint32_t i, uint32_t j)
{
	double row[SAMPLE_N], width;
	uint64_t raw[SAMPLE_N];
	struct apsp_tables *t = serve(s);

	assert_int_equal(
		apsp_pair_width_read(t, i, j, &width, NULL), APSP_EDAMAGED);
	check_reported(t);
	apsp_tables_unref(t);
	t = serve(s);
	assert_int_equal(
		apsp_pair_width_row(t, i, raw, row, NULL), APSP_EDAMAGED);
	check_reported(t);
	apsp_tables_unref(t);
}

static void test_lies(void **state)
{
	static const double no_widths[] = {0, -1, INFINITY, NAN};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct sample *s = sample_new(&kinds[k], 31 + k);
		uint32_t i = 3, j = reached_from(s, i);
		double right = s->v[i][j], *width;
		struct apsp_width_facts facts = {.single = true};
		struct apsp_tables *t;

		s->v[i][j] = 0; /* the rank of a vertex and itself */
		check_lie(s, i, j);
		s->v[i][j] = s->n_widths + 1;
		check_lie(s, i, j);
		s->v[i][j] = 32768; /* past the infinity of 16 bits */
		if (s->n_widths < 32768)
			check_lie(s, i, j);
		s->v[i][j] = right;
		width = &s->widths[(size_t)right - 1];
		for (size_t l = 0; l < sizeof(no_widths) / sizeof(double);
			l++) {
			*width = no_widths[l];
			check_lie(s, i, j);
		}
		*width = 0.1; /* float32 does not hold it */
		t = serve(s);
		assert_int_equal(apsp_pair_width_facts(t, &facts, NULL), 0);
		assert_false(facts.single);
		apsp_tables_unref(t);
		free(s);
	}
}

/* The tables that are damaged when jansson allocates memory. */
static struct apsp_tables *damaged_later;

static void *damage_and_allocate(size_t size)
{
	apsp_tables_condemn(damaged_later, "a test damages them", NULL);
	return malloc(size);
}

/* If damage is found while statistics are written, there is no answer, and none
   that is freed already. */
static void test_damage_under_statistics(void **state)
{
	APSP_AUTO(apsp_table_stats_done) struct apsp_table_stats stats = {0};
	struct sample *s = sample_new(&kinds[0], 31);
	json_t *out = NULL;

	(void)state;
	damaged_later = serve(s);
	assert_int_equal(apsp_table_stats_load(damaged_later, &stats, NULL), 0);
	json_set_alloc_funcs(damage_and_allocate, free);
	assert_int_equal(
		apsp_width_stats_json(damaged_later, &stats, 10, &out, NULL),
		APSP_EDAMAGED);
	json_set_alloc_funcs(malloc, free);
	assert_null(out);
	apsp_tables_unref(damaged_later);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_widths, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_no_distances, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(
			test_lies, sample_set_up, sample_tear_down),
		cmocka_unit_test_setup_teardown(test_damage_under_statistics,
			sample_set_up, sample_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
