/*
 * Path sums against walking every path; rows that are no tree are refused.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/tables/verdict.h"
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
static void check_rows(const struct apsp_sums_config *config,
	const uint32_t *predecessors, uint32_t at_once)
{
	const struct apsp_lengths *lengths = config->lengths;
	uint32_t n = lengths->n_vertices;
	size_t size = n * apsp_element_size(config->v);
	char *packed = tree_rows_pack(lengths, predecessors, n),
	     *v = malloc(n * size);
	double *out = malloc((size_t)n * n * sizeof(*out));
	size_t cell = apsp_element_size(apsp_in_arcs_element(lengths));
	struct apsp_sums *sums;

	for (uint32_t i = 0; i < n; i++) {
		void *row = tree_v(config, i, predecessors + i * n);

		memcpy(v + i * size, row, size);
		free(row);
	}
	assert_int_equal(apsp_sums_open(config, &sums, NULL), 0);
	for (uint32_t i = 0; i < n; i += at_once) {
		const struct apsp_sums_rows rows = {.first = i,
			.n_rows = n - i < at_once ? n - i : at_once,
			.predecessors = packed + (size_t)i * n * cell,
			.v = v + i * size};

		assert_int_equal(
			apsp_sums_rows(sums, &rows,
				(char *)out + (size_t)i * n *
						      apsp_element_size(
							      config->distance),
				NULL),
			0);
	}
	for (uint32_t c = 0; c < n * n; c++) {
		double sum =
			walk(lengths, c / n, predecessors + c / n * n, c % n);

		if (config->distance == APSP_ELEMENT_F64)
			assert_true(out[c] == sum);
		else
			assert_true(((float *)out)[c] == (float)sum);
	}
	apsp_sums_free(sums);
	free(packed);
	free(v);
	free(out);
}

/* Every kind of V and of distances, with a list of the arcs and without. */
static struct apsp_sums_config config_of(uint32_t kind,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_sum_arcs *arcs)
{
	return (struct apsp_sums_config){.lengths = lengths,
		.integers = &integers[kind % 2],
		.arcs = kind % 4 < 2 ? arcs : NULL,
		.v = kind % 2 ? APSP_ELEMENT_F64 : APSP_ELEMENT_I32,
		.distance = kind % 8 < 4 ? APSP_ELEMENT_F32 : APSP_ELEMENT_F64,
		.width = 1};
}

static void test_random(void **state)
{
	const struct apsp_integers integers[2] = {
		tree_integers(APSP_ELEMENT_I32),
		tree_integers(APSP_ELEMENT_F64)};
	uint64_t seed = 99;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t n = 1 + random_below(&seed, MOST);
		struct apsp_lengths lengths;
		struct apsp_sum_arcs arcs;
		struct apsp_sums_config config;
		uint32_t predecessors[MOST * MOST];

		tree_lengths_make(
			&lengths, n, random_below(&seed, 8 * n), &seed);
		tree_arcs_make(&lengths, &arcs);
		if (round % 3 > 0) {
			assert_int_equal(apsp_in_arcs_build(&lengths, NULL), 0);
			lengths.in.rank = round % 3 == 1 ? APSP_ELEMENT_U8
							 : APSP_ELEMENT_U16;
		}
		for (uint32_t i = 0; i < n; i++)
			tree_grow(&lengths, i, predecessors + i * n, &seed);
		config = config_of(round, &lengths, integers, &arcs);
		check_rows(&config, predecessors, 1 + random_below(&seed, n));
		apsp_sum_arcs_done(&arcs);
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
		int32_t *v = malloc(n * sizeof(*v));
		const struct apsp_integers halves = {
			.kind = APSP_DISTANCE_SUM, .scale = 1, .unit = 0.25};
		struct apsp_sums_config config;
		struct graph_fixture f;
		struct apsp_lengths lengths;
		struct apsp_sum_arcs arcs;
		struct apsp_sums *sums;

		graph_fixture_init(&f, n);
		for (uint32_t u = 1; u < n; u++) {
			graph_fixture_add(&f, u, u - 1, 0.5);
			predecessors[u - 1] = u;
		}
		/* two quarters an arc, and the one that is added */
		for (uint32_t u = 0; u < n; u++)
			v[u] = 3 * (int32_t)(n - 1 - u);
		predecessors[n - 1] = NONE;
		f.graph.profile.duplicates = APSP_DUPLICATES_MIN;
		assert_int_equal(
			apsp_lengths_build(&f.graph, &lengths, NULL), 0);
		tree_arcs_make(&lengths, &arcs);
		config = config_of(0, &lengths, &halves, &arcs);
		assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
		assert_int_equal(
			tree_sum(sums, &config, n - 1, predecessors, v, out),
			0);
		for (uint32_t u = 0; u < n; u++)
			assert_true(out[u] == (float)(n - 1 - u) / 2);
		apsp_sums_free(sums);
		apsp_sum_arcs_done(&arcs);
		apsp_lengths_done(&lengths);
		graph_fixture_done(&f);
		free(predecessors);
		free(out);
		free(v);
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
	const struct apsp_integers integers[2] = {
		tree_integers(APSP_ELEMENT_I32),
		tree_integers(APSP_ELEMENT_F64)};
	struct apsp_lengths lengths;
	struct apsp_sum_arcs arcs;
	struct apsp_sums *sums;
	double out[5];

	(void)state;
	five_make(&lengths, &arcs);
	for (uint32_t kind = 4; kind < 8; kind++) {
		const struct apsp_sums_config config =
			config_of(kind, &lengths, integers, &arcs);

		assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			assert_int_equal(
				tree_sum(sums, &config, rows[i].source,
					rows[i].predecessors, NULL, out),
				rows[i].good ? 0 : APSP_EPROOF);
		apsp_sums_free(sums);
	}
	apsp_sum_arcs_done(&arcs);
	apsp_lengths_done(&lengths);
}

/*
 * A V of one cell that the sum does not have: just outside of what rounding
 * allows a path of k arcs is refused, and the bound itself is not.
 */
static void test_wrong(void **state)
{
	static const struct {
		uint32_t vertex;
		double off; /* units that V has too many; -INFINITY: V is 5 */
		bool good;
	} cells[] = {
		/* 3 arcs of 7 quarters: V is 10, and may be 4 to 13 */
		{3, 0, true},
		{3, 3, true},
		{3, 4, false},
		{3, -6, true},
		{3, -7, false},
		/* the source itself: no arcs, no doubt */
		{0, 0, true},
		{0, 1, false},
		{0, -1, false},
		/* no path */
		{4, -INFINITY, false},
	};
	static const int64_t h[5] = {-8, -3, 0, -5, 7};
	const uint32_t tails[5] = {NONE, 0, 1, 2, NONE};
	struct apsp_integers quarters = {
		.kind = APSP_DISTANCE_SUM, .scale = 1, .unit = 0.25};
	struct apsp_lengths lengths;
	struct apsp_sum_arcs arcs;

	(void)state;
	five_make(&lengths, &arcs);
	for (size_t c = 0; c < sizeof(cells) / sizeof(*cells); c++)
		for (uint32_t kind = 0; kind < 16; kind++) {
			const struct apsp_integers integers[2] = {
				quarters, quarters};
			struct apsp_sums_config config =
				config_of(kind, &lengths, integers, &arcs);
			struct apsp_integers moved = quarters;
			struct apsp_sums *sums;
			double out[5], off = cells[c].off;
			uint32_t j = cells[c].vertex;
			void *v;

			if (kind >= 8) {
				moved.potentials = (int64_t *)h;
				config.integers = &moved;
			}
			v = tree_v(&config, 0, tails);
			if (config.v == APSP_ELEMENT_F64)
				((double *)v)[j] =
					isinf(off) ? 5 : ((double *)v)[j] + off;
			else
				((int32_t *)v)[j] =
					isinf(off) ? 5
						   : ((int32_t *)v)[j] +
							     (int32_t)off;
			assert_int_equal(
				apsp_sums_open(&config, &sums, NULL), 0);
			assert_int_equal(
				tree_sum(sums, &config, 0, tails, v, out),
				cells[c].good ? 0 : APSP_EPROOF);
			apsp_sums_free(sums);
			free(v);
		}
	apsp_sum_arcs_done(&arcs);
	apsp_lengths_done(&lengths);
}

/* Sums that leave the normal range of their element, and those that do not. */
static void test_range(void **state)
{
	static const struct {
		double length[2];
		enum apsp_element distance;
		int r;
	} chains[] = {
		{{1e-60, 2e-60}, APSP_ELEMENT_F32, APSP_VERDICT_SUMS_NARROW},
		{{1e-60, 2e-60}, APSP_ELEMENT_F64, 0},
		{{0x1p-126, 0}, APSP_ELEMENT_F32, 0},
		{{0x1.fffffffp-127, 0}, APSP_ELEMENT_F32,
			APSP_VERDICT_SUMS_NARROW},
		/* a difference of lengths that float32 has */
		{{1, -0x1.fffffffffffffp-1}, APSP_ELEMENT_F32, 0},
		{{0x1p-100, -0x1.ffffffffffp-101}, APSP_ELEMENT_F32,
			APSP_VERDICT_SUMS_NARROW},
		{{0x1.fffffep127, 0}, APSP_ELEMENT_F32, 0},
		{{0x1.ffffffp127, 0}, APSP_ELEMENT_F32,
			APSP_VERDICT_SUMS_NARROW},
		{{3e38, 3e38}, APSP_ELEMENT_F32, APSP_VERDICT_SUMS_NARROW},
		{{3e38, 3e38}, APSP_ELEMENT_F64, 0},
		{{0x1p1023, 0x1p1023}, APSP_ELEMENT_F64, APSP_EOVERFLOW},
		/* the last bit of float64 below its normal range */
		{{0x1p-1022, -0x1.8p-1023}, APSP_ELEMENT_F64, 0},
	};
	const uint32_t tails[3] = {NONE, 0, 1};

	(void)state;
	for (size_t c = 0; c < sizeof(chains) / sizeof(*chains); c++) {
		uint64_t offsets[] = {0, 1, 2, 2};
		uint32_t heads[] = {1, 2};
		double length[2] = {chains[c].length[0], chains[c].length[1]};
		const struct apsp_lengths lengths = {.n_vertices = 3,
			.n_arcs = 2,
			.offsets = offsets,
			.heads = heads,
			.lengths = length};
		int exponent = ilogb(length[0]) - 20;
		const struct apsp_integers integers = {
			.kind = APSP_DISTANCE_SUM,
			.scale = 1,
			.unit = ldexp(1, exponent > -1074 ? exponent : -1074)};
		const struct apsp_sums_config config = {.lengths = &lengths,
			.integers = &integers,
			.v = APSP_ELEMENT_F64,
			.distance = chains[c].distance,
			.width = 1};
		struct apsp_sums *sums;
		double out[3];

		assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
		assert_int_equal(tree_sum(sums, &config, 0, tails, NULL, out),
			chains[c].r);
		if (chains[c].r == 0 && chains[c].distance == APSP_ELEMENT_F64)
			assert_true(out[2] == length[0] + length[1]);
		apsp_sums_free(sums);
	}
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
	struct apsp_lengths lengths = {0};
	struct apsp_sum_arcs arcs = {0};
	const struct apsp_integers quarters = {
		.kind = APSP_DISTANCE_SUM, .scale = 1, .unit = 0.25};
	/* the device proves its own rows */
	static const int32_t v[3][5] = {{0, 3, 5, 10, APSP_V_INFINITY_I32}};
	struct apsp_row_weights weights;
	uint32_t marks[3] = {1, 2, 3};
	struct apsp_sums_config config;
	const struct apsp_sums_rows strip = {.n_rows = 3,
		.predecessors = rows,
		.summed = summed,
		.v = v,
		.marks = marks};
	struct apsp_sums *sums;
	float out[3][5];
	struct apsp_err err;

	(void)state;
	five_make(&lengths, &arcs);
	config = config_of(0, &lengths, &quarters, &arcs);
	assert_int_equal(apsp_row_weights_init(&weights, 5, &err), 0);
	config.weights = &weights;
	assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
	memcpy(out, expected, sizeof(out));
	out[0][1] = 7;
	out[1][3] = 7; /* this row is not the one checked */
	assert_int_equal(apsp_sums_rows(sums, &strip, out, &err), 0);
	assert_true(out[1][3] == 7);
	/* the host marks the row that it has summed */
	assert_int_equal(marks[0],
		apsp_row_mark(&weights, expected[0], 5, APSP_ELEMENT_F32));
	assert_int_equal(marks[1], 2);
	assert_int_equal(marks[2], 3);
	out[1][3] = 1.25F;
	assert_memory_equal(out, expected, sizeof(out));
	out[2][3] = nextafterf(out[2][3], 2);
	assert_int_equal(apsp_sums_rows(sums, &strip, out, &err), APSP_EPROOF);
	assert_non_null(strstr(err.message, "from the source 2 are not"));
	apsp_row_weights_done(&weights);
	apsp_sums_free(sums);
	apsp_sum_arcs_done(&arcs);
	apsp_lengths_done(&lengths);
}

/* Rows that the device has summed, and whose statistics the host makes. */
static void test_all_hops(void **state)
{
	static const uint16_t none = UINT16_MAX;
	static const uint32_t summed[3] = {1, 1, 1};
	uint16_t rows[3][5] = {{none, 0, 1, 2, none}, {3, none, 1, 2, none},
		{3, 3, none, 2, none}};
	static const uint32_t hops[3][5] = {{0, 1, 2, 3, APSP_NO_HOPS},
		{3, 0, 1, 2, APSP_NO_HOPS}, {2, 2, 0, 1, APSP_NO_HOPS}};
	float out[3][5] = {{0, 0.5F, 0.75F, 1.75F, INFINITY},
		{2.25F, 0, 0.25F, 1.25F, INFINITY}, {2, 2, 0, 1, INFINITY}};
	const struct apsp_integers quarters = {
		.kind = APSP_DISTANCE_SUM, .scale = 1, .unit = 0.25};
	struct apsp_lengths lengths = {0};
	struct apsp_sum_arcs arcs = {0};
	struct apsp_row_stats *walked = NULL, *counted = NULL;
	const struct apsp_sums_rows strip = {.n_rows = 3,
		.predecessors = rows,
		.summed = summed,
		.all_hops = true};
	struct apsp_sums_config config;
	struct apsp_sums *sums;
	struct apsp_err err;

	(void)state;
	five_make(&lengths, &arcs);
	assert_int_equal(apsp_row_stats_new(&lengths, &quarters,
				 APSP_ELEMENT_F32, 1, &walked, NULL),
		0);
	assert_int_equal(apsp_row_stats_new(&lengths, &quarters,
				 APSP_ELEMENT_F32, 1, &counted, NULL),
		0);
	config = config_of(0, &lengths, &quarters, &arcs);
	config.stats = walked;
	assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
	assert_int_equal(apsp_sums_rows(sums, &strip, out, &err), 0);
	for (int i = 0; i < 3; i++)
		apsp_row_stats_hops(counted, 0, hops[i]);
	assert_true(apsp_row_stats_same(walked, counted));
	rows[0][2] = 5; /* no vertex */
	assert_int_equal(apsp_sums_rows(sums, &strip, out, &err), APSP_EPROOF);
	rows[0][2] = 2; /* a circle */
	assert_int_equal(apsp_sums_rows(sums, &strip, out, &err), APSP_EPROOF);
	apsp_sums_free(sums);
	apsp_row_stats_free(walked);
	apsp_row_stats_free(counted);
	apsp_sum_arcs_done(&arcs);
	apsp_lengths_done(&lengths);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_many_vertices),
		cmocka_unit_test(test_no_tree),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_summed),
		cmocka_unit_test(test_all_hops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
