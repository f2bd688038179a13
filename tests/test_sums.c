/*
 * Path sums against walking every path; rows that are no tree are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/tree_fixture.h"

#define NONE UINT32_MAX

enum {
	MOST = 90, /* vertices */
};

/* In path order: the recursion adds the first arc first. */
static double walk(const struct apsp_lengths *lengths, uint32_t source,
	const uint32_t *predecessors, uint32_t v)
{
	uint32_t u = predecessors[v];

	if (v == source)
		return 0;
	if (u == NONE)
		return INFINITY;
	for (uint64_t a = lengths->offsets[u]; a < lengths->offsets[u + 1]; a++)
		if (lengths->heads[a] == v)
			return walk(lengths, source, predecessors, u) +
			       lengths->lengths[a];
	fail_msg("no arc from %u to %u", u, v);
	return NAN;
}

/* Compare the sums of all rows, a few at a time, with walks of each path. */
static void check_rows(const struct apsp_lengths *lengths,
	enum apsp_element distance, const uint32_t *predecessors,
	uint32_t at_once, bool by_head)
{
	uint32_t n = lengths->n_vertices;
	void *packed = tree_rows_pack(predecessors, n, n);
	double *out = malloc((size_t)n * n * sizeof(*out));
	size_t cell = n <= UINT16_MAX ? 2 : 4;
	struct apsp_sum_arcs arcs;
	struct apsp_sums *sums;

	tree_arcs_make(lengths, &arcs);
	assert_int_equal(apsp_sums_open(lengths, by_head ? &arcs : NULL,
				 distance, NULL, &sums, NULL),
		0);
	for (uint32_t i = 0; i < n; i += at_once)
		assert_int_equal(
			apsp_sums_rows(sums, i,
				n - i < at_once ? n - i : at_once,
				(char *)packed + (size_t)i * n * cell, NULL,
				(char *)out +
					(size_t)i * n *
						apsp_element_size(distance),
				NULL),
			0);
	for (uint32_t c = 0; c < n * n; c++) {
		double sum =
			walk(lengths, c / n, predecessors + c / n * n, c % n);

		if (distance == APSP_ELEMENT_F64)
			assert_true(out[c] == sum);
		else
			assert_true(((float *)out)[c] == (float)sum);
	}
	apsp_sums_free(sums);
	apsp_sum_arcs_done(&arcs);
	free(packed);
	free(out);
}

static void test_random(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t n = 1 + random_below(&seed, MOST);
		struct apsp_lengths lengths;
		uint32_t predecessors[MOST * MOST];

		tree_lengths_make(
			&lengths, n, random_below(&seed, 8 * n), &seed);
		for (uint32_t i = 0; i < n; i++)
			tree_grow(&lengths, i, predecessors + i * n, &seed);
		check_rows(&lengths,
			round % 2 ? APSP_ELEMENT_F32 : APSP_ELEMENT_F64,
			predecessors, 1 + random_below(&seed, n),
			round % 4 < 2);
		apsp_lengths_done(&lengths);
	}
	apsp_sums_free(NULL);
}

/* More vertices than 16 bits hold, in a chain that runs against their indices.
 */
static void test_many_vertices(void **state)
{
	static const uint32_t sizes[] = {UINT16_MAX, UINT16_MAX + 1};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		uint32_t n = sizes[s];
		uint32_t *predecessors = malloc(n * sizeof(*predecessors));
		float *out = malloc(n * sizeof(*out));
		struct graph_fixture f;
		struct apsp_lengths lengths;
		struct apsp_sum_arcs arcs;
		struct apsp_sums *sums;

		graph_fixture_init(&f, n);
		for (uint32_t v = 1; v < n; v++) {
			graph_fixture_add(&f, v, v - 1, 0.5);
			predecessors[v - 1] = v;
		}
		predecessors[n - 1] = NONE;
		f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
		assert_int_equal(
			apsp_lengths_build(&f.graph, &lengths, NULL), 0);
		tree_arcs_make(&lengths, &arcs);
		assert_int_equal(apsp_sums_open(&lengths, &arcs,
					 APSP_ELEMENT_F32, NULL, &sums, NULL),
			0);
		assert_int_equal(
			tree_sum(sums, n, n - 1, predecessors, out), 0);
		for (uint32_t v = 0; v < n; v++)
			assert_true(out[v] == (float)(n - 1 - v) / 2);
		apsp_sums_free(sums);
		apsp_sum_arcs_done(&arcs);
		apsp_lengths_done(&lengths);
		graph_fixture_done(&f);
		free(predecessors);
		free(out);
	}
}

/* Five vertices and the arcs 0 → 1 → 2 → 3 → 1, 3 → 0. */
static void five_make(struct apsp_lengths *lengths, struct apsp_sum_arcs *arcs)
{
	struct graph_fixture f;

	graph_fixture_init(&f, 5);
	graph_fixture_add(&f, 0, 1, 0.5);
	graph_fixture_add(&f, 1, 2, 0.25);
	graph_fixture_add(&f, 2, 3, 1);
	graph_fixture_add(&f, 3, 1, 1);
	graph_fixture_add(&f, 3, 0, 1);
	assert_int_equal(apsp_lengths_build(&f.graph, lengths, NULL), 0);
	tree_arcs_make(lengths, arcs);
	graph_fixture_done(&f);
}

static void test_no_tree(void **state)
{
	static const struct {
		uint32_t source;
		uint32_t predecessors[5];
		bool good;
	} rows[] = {
		{0, {NONE, 0, 1, 2, NONE}, true},
		{0, {NONE, NONE, NONE, NONE, NONE}, true},
		{0, {NONE, 0, 1, 1, NONE}, false}, /* no arc 1 → 3 */
		{0, {NONE, 3, 1, 2, NONE}, false}, /* a cycle */
		{0, {3, 0, 1, 2, NONE}, false},	   /* to the source itself */
		{0, {NONE, NONE, 1, NONE, NONE},
			false}, /* from a vertex without a path */
		{0, {NONE, 0, 1, 9, NONE}, false}, /* no such vertex */
		{1, {3, NONE, 1, 2, NONE}, true},
	};
	struct apsp_lengths lengths;
	struct apsp_sum_arcs arcs;
	struct apsp_sums *sums;
	double out[5];

	(void)state;
	five_make(&lengths, &arcs);
	for (int by_head = 0; by_head < 2; by_head++) {
		assert_int_equal(
			apsp_sums_open(&lengths, by_head ? &arcs : NULL,
				APSP_ELEMENT_F64, NULL, &sums, NULL),
			0);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			assert_int_equal(tree_sum(sums, 5, rows[i].source,
						 rows[i].predecessors, out),
				rows[i].good ? 0 : APSP_EPROOF);
		apsp_sums_free(sums);
	}
	apsp_sum_arcs_done(&arcs);
	apsp_lengths_done(&lengths);
}

/* Rows summed by the device are kept, and one of them is checked. */
static void test_summed(void **state)
{
	static const uint16_t none = UINT16_MAX;
	static const uint32_t summed[3] = {0, 1, 1};
	const uint16_t rows[3][5] = {{none, 0, 1, 2, none},
		{3, none, 1, 2, none}, {3, 3, none, 2, none}};
	static const float expected[3][5] = {{0, 0.5F, 0.75F, 1.75F, INFINITY},
		{2.25F, 0, 0.25F, 1.25F, INFINITY}, {2, 2, 0, 1, INFINITY}};
	struct apsp_lengths lengths;
	struct apsp_sum_arcs arcs;
	struct apsp_sums *sums;
	float out[3][5];
	struct apsp_err err;

	(void)state;
	five_make(&lengths, &arcs);
	assert_int_equal(apsp_sums_open(&lengths, &arcs, APSP_ELEMENT_F32, NULL,
				 &sums, NULL),
		0);
	memcpy(out, expected, sizeof(out));
	out[0][1] = 7;
	out[2][1] = 7; /* this row is not the one checked */
	assert_int_equal(
		apsp_sums_rows(sums, 0, 3, rows, summed, out, &err), 0);
	assert_true(out[2][1] == 7);
	out[2][1] = 2;
	assert_memory_equal(out, expected, sizeof(out));
	out[1][3] = nextafterf(out[1][3], 2);
	assert_int_equal(apsp_sums_rows(sums, 0, 3, rows, summed, out, &err),
		APSP_EPROOF);
	assert_non_null(strstr(err.message, "from the source 1 are not"));
	apsp_sums_free(sums);
	apsp_sum_arcs_done(&arcs);
	apsp_lengths_done(&lengths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_many_vertices),
		cmocka_unit_test(test_no_tree),
		cmocka_unit_test(test_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
