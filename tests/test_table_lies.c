/*
 * Tables with contents that no solver writes, under right checksums. Reading
 * them never leaves their sections and always ends; they are found and reported
 * once.
 */
#include "storage/search/adjacency.h"
#include "tests/damaged_tables.h"

static const struct sample_kind sums = {
	APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 1000, false};
static const struct sample_kind narrow_sums = {
	APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 1000, false};

/*
 * Serve s, whose contents are wrong under right checksums, and ask for a path.
 */
static void check_lie(const struct sample *s, uint32_t from, uint32_t to)
{
	struct apsp_tables *t = serve(s);

	assert_int_equal(ask_path(t, from, to), APSP_EDAMAGED);
	check_condemned(t);
	apsp_tables_unref(t);
}

/* A pair with at least three arcs between. */
static void far_pair(const struct sample *s, uint32_t *from, uint32_t *to)
{
	for (*from = 0; *from < SAMPLE_N; (*from)++)
		for (*to = 0; *to < SAMPLE_N; (*to)++)
			if (s->hops[*from][*to] >= 3)
				return;
	fail();
}

static void test_lies_about_predecessors(void **state)
{
	struct sample *s = *state;
	uint32_t from, to;
	int *p, right, before;

	far_pair(s, &from, &to);
	p = &s->predecessor[from][to];
	s->v[from][to] += 1; /* one hop more than the path has */
	check_lie(s, from, to);
	s->v[from][to] -= 1;
	right = *p;
	before = s->predecessor[from][right];
	*p = SAMPLE_N; /* no vertex */
	check_lie(s, from, to);
	*p = 0xfffe;
	check_lie(s, from, to);
	*p = -1; /* no path, which the distance denies */
	check_lie(s, from, to);
	*p = (int)to; /* a circle of one */
	check_lie(s, from, to);
	*p = right;
	s->predecessor[from][before] = (int)to; /* a circle of three */
	check_lie(s, from, to);
}

/* More than there are pairs, fewer than none, defined of some vertices alone.
 */
static void test_lies_about_betweenness(void **state)
{
	static const double most = (SAMPLE_N - 1) * (SAMPLE_N - 2);
	const double lies[] = {-0.5, most * 1.001, INFINITY, NAN};
	struct sample *s = *state;
	struct apsp_tables *t;

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		s->betweenness[7] = lies[i];
		t = serve(s);
		assert_int_equal(ask_stats(t), APSP_EDAMAGED);
		check_condemned(t);
		apsp_tables_unref(t);
	}
	s->betweenness[7] = most;
	t = serve(s);
	assert_int_equal(ask_stats(t), 0);
	apsp_tables_unref(t);
	for (int v = 0; v < SAMPLE_N; v++)
		s->betweenness[v] = NAN;
	t = serve(s);
	assert_int_equal(ask_stats(t), 0);
	apsp_tables_unref(t);
}

static void test_lies_about_arcs(void **state)
{
	struct sample *s = *state;
	uint32_t from, to, tail;
	uint64_t offsets[2];

	far_pair(s, &from, &to);
	tail = (uint32_t)s->predecessor[from][to];
	memcpy(offsets, &s->offsets[tail], sizeof(offsets));
	s->offsets[tail] = UINT64_MAX; /* an empty row */
	check_lie(s, from, to);
	s->offsets[tail] = 0;
	s->offsets[tail + 1] = UINT64_MAX; /* heads from outside the section */
	check_lie(s, from, to);
	s->offsets[tail] = UINT64_MAX - 1;
	check_lie(s, from, to);
	memcpy(&s->offsets[tail], offsets, sizeof(offsets));
	for (uint64_t a = offsets[0]; a < offsets[1]; a++)
		s->lengths[a] +=
			1; /* lengths that do not add up to the distance */
	check_lie(s, from, to);
	for (uint64_t a = offsets[0]; a < offsets[1]; a++)
		s->lengths[a] = (double)NAN;
	check_lie(s, from, to);
	for (uint64_t a = offsets[0]; a < offsets[1]; a++)
		s->heads[a] = UINT32_MAX;
	check_lie(s, from, to);
}

/* Ranks that lead to no arc, or to an arc of another path. */
static void test_lies_about_ranks(void **state)
{
	struct sample *s = *state;
	uint32_t from, to;
	uint64_t place;

	far_pair(s, &from, &to);
	for (place = s->in_offsets[to];
		(int)s->in_tails[place] != s->predecessor[from][to]; place++)
		;
	for (int lie = 0; lie < 6; lie++) {
		struct sample *wrong = malloc(sizeof(*wrong));
		struct apsp_tables *t;

		*wrong = *s;
		switch (lie) {
		case 0:
			wrong->predecessor[from][to] = SAMPLE_N;
			break;
		case 1:
			wrong->in_offsets[to] = UINT64_MAX;
			break;
		case 2:
			wrong->in_offsets[to + 1] = 0;
			break;
		case 3:
			wrong->in_tails[place] = SAMPLE_N;
			break;
		case 4:
			wrong->in_arcs[place] = s->n_arcs;
			break;
		default:
			wrong->in_arcs[place] =
				(s->in_arcs[place] + 1) % s->n_arcs;
		}
		check_lie(wrong, from, to);
		t = serve(wrong);
		assert_int_equal(ask_table_predecessors(t, from),
			lie < 4 ? APSP_EDAMAGED : 0);
		apsp_tables_unref(t);
		free(wrong);
	}
}

/* Without predecessors, distances that no arc gives. */
static void test_lies_without_predecessors(void **state)
{
	static const struct sample_kind kind = {APSP_DISTANCE_SCALED,
		APSP_ELEMENT_I32, SAMPLE_N, 1000, false, false, true};
	uint32_t from, to;

	(void)state;
	for (int lie = 0; lie < 4; lie++) {
		APSP_AUTO(apsp_free) struct sample *s = NULL;
		struct apsp_tables *t;

		s = sample_new(&kind, 1);
		far_pair(s, &from, &to);
		if (lie == 0)
			s->v[from][to] += 1;
		if (lie == 1)
			s->v[from][s->predecessor[from][to]] = INFINITY;
		for (uint64_t a = s->in_offsets[to];
			a < s->in_offsets[to + 1] && lie > 1; a++)
			*(lie == 2 ? &s->in_tails[a] : &s->in_arcs[a]) =
				UINT32_MAX;
		check_lie(s, from, to);
		t = serve(s);
		assert_int_equal(
			ask_table_predecessors(t, from), APSP_EDAMAGED);
		apsp_tables_unref(t);
	}
}

static void test_lies_about_distances(void **state)
{
	static const struct {
		struct sample_kind kind;
		double v;
	} lies[] = {
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, 1, 1}, 0x8000},
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1, 1}, -1},
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_I32, 1, 1}, 0x40000000},
		{{APSP_DISTANCE_HOPS, APSP_ELEMENT_F64, 1, 1}, 1e17},
		{{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, 200, 9}, 2.5},
		{{APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, 200, 9}, (double)NAN},
		{{APSP_DISTANCE_SUM, APSP_ELEMENT_F32, 1, 9}, (double)NAN},
		{{APSP_DISTANCE_SUM, APSP_ELEMENT_F64, 1, 9},
			-(double)INFINITY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		APSP_AUTO(apsp_free) struct sample *s = NULL;
		struct apsp_tables *t;

		s = sample_new(&lies[i].kind, 1);
		assert_false(isinf(s->v[5][6]));
		s->v[5][6] = lies[i].v;
		t = serve(s);
		assert_int_equal(ask_cell(t, 5, 6), APSP_EDAMAGED);
		check_condemned(t);
		apsp_tables_unref(t);
		t = serve(s);
		assert_int_equal(ask_row(t, 4), 0);
		assert_int_equal(ask_row(t, 5), APSP_EDAMAGED);
		check_condemned(t);
		apsp_tables_unref(t);
	}
}

static void test_lies_about_sums(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	uint32_t from, to;

	(void)state;
	s = sample_new(&sums, 1);
	far_pair(s, &from, &to);
	s->v[from][to] = nextafter(s->v[from][to], INFINITY);
	check_lie(s, from, to);
}

/* A sum that float32 rounds to 0, as solvers stored once. */
static void test_lies_about_small_sums(void **state)
{
	APSP_AUTO(apsp_free) struct sample *s = NULL;
	uint32_t from, to;

	(void)state;
	s = sample_new(&narrow_sums, 1);
	far_pair(s, &from, &to);
	for (uint32_t a = 0; a < s->n_arcs; a++)
		s->lengths[a] *= 1e-60;
	s->v[from][to] = 0;
	check_lie(s, from, to);
}

static void test_lies_about_bits(void **state)
{
	struct sample *s = *state;
	struct apsp_tables *t;

	s->closure[SAMPLE_N / 2][2] |= UINT64_C(1) << 63;
	t = serve(s);
	assert_int_equal(ask_set(t, APSP_DIRECTION_IN), 0);
	assert_int_equal(ask_set(t, APSP_DIRECTION_OUT), APSP_EDAMAGED);
	check_condemned(t);
	apsp_tables_unref(t);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Load in steps of so many elements; as apsp_adjacency_step(). */
static int load_by(struct apsp_tables *tables, uint64_t piece)
{
	struct apsp_adjacency_build build = {.piece = piece};
	struct apsp_err err;
	int r;

	do
		r = apsp_adjacency_step(&build, tables, &err);
	while (r > 0);
	apsp_adjacency_done(&build.made);
	return r;
}

/* Rows that do not ascend are found, also from one step to the next. */
static void rows_out_of_order(void **state)
{
	static const uint64_t pieces[] = {1, 7, 1 << 16};
	struct sample *s = *state;

	for (size_t p = 0; p < 3; p++) {
		struct apsp_tables *tables = serve(s);

		assert_int_equal(load_by(tables, pieces[p]), 0);
		apsp_tables_unref(tables);
		for (uint32_t v = 1; v < SAMPLE_N; v += 13) {
			const uint64_t right = s->offsets[v];

			if (s->offsets[v - 1] == 0)
				continue;
			s->offsets[v] = s->offsets[v - 1] - 1;
			tables = serve(s);
			assert_int_equal(
				load_by(tables, pieces[p]), APSP_EDAMAGED);
			assert_int_equal(atomic_load(&n_reports), 1);
			apsp_tables_unref(tables);
			s->offsets[v] = right;
		}
	}
}

/* Sums of weights are exact only if each weight is finite. */
static void infinite_weight(void **state)
{
	struct sample *s = *state;
	struct apsp_tables *tables;

	s->weights[s->n_arcs - 1] = INFINITY;
	tables = serve(s);
	assert_int_equal(load_by(tables, 0), APSP_EDAMAGED);
	apsp_tables_unref(tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			rows_out_of_order, set_up, tear_down),
		CASE(infinite_weight),
		CASE(test_lies_about_predecessors),
		CASE(test_lies_about_arcs),
		CASE(test_lies_about_betweenness),
		cmocka_unit_test_setup_teardown(
			test_lies_about_ranks, set_up_ranked, tear_down),
		CASE(test_lies_without_predecessors),
		CASE(test_lies_about_distances),
		CASE(test_lies_about_sums),
		CASE(test_lies_about_small_sums),
		CASE(test_lies_about_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
