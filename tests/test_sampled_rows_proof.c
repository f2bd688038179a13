/*
 * The proof of rows, for every kind of distance: it takes right rows, and
 * refuses each that differs in one distance or one predecessor.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <math.h>
#include <cmocka.h>

#include "compute/graph/v_element.h"
#include "compute/parallel.h"
#include "compute/tables/every_row_proof.h"
#include "compute/tables/row_marks.h"
#include "compute/tables/sampled_rows_proof.h"
#include "compute/tables/sums.h"
#include "tests/host_rows.h"
#include "tests/integers_fixture.h"

enum {
	N = 23, /* not whole groups of rows */
	ARCS = 70,
};

#define NONE UINT16_MAX

struct kind {
	const char *name;
	enum apsp_distance_kind kind;
	enum apsp_element v;
	enum apsp_element distance;
	double unit; /* of lengths; 0: all are 1 */
	bool negative;
	double longest; /* of one arc beside the others */
};

static const struct kind kinds[] = {
	{"hops", APSP_DISTANCE_HOPS, APSP_ELEMENT_U16, APSP_ELEMENT_U16, 0,
		false, 1},
	{"u16", APSP_DISTANCE_SCALED, APSP_ELEMENT_U16, APSP_ELEMENT_U16, 1,
		false, 9},
	{"i32", APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, APSP_ELEMENT_I32, 1,
		false, 0x1p20},
	/* longer than any path in 32 bits */
	{"long arc", APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, APSP_ELEMENT_I32,
		1, false, 0x1p40},
	{"f64", APSP_DISTANCE_SCALED, APSP_ELEMENT_F64, APSP_ELEMENT_F64, 1,
		false, 0x1p40},
	{"negative", APSP_DISTANCE_SCALED, APSP_ELEMENT_I32, APSP_ELEMENT_I32,
		1, true, 9},
	{"sums in f32", APSP_DISTANCE_SUM, APSP_ELEMENT_I32, APSP_ELEMENT_F32,
		0.3, false, 7.5},
	{"sums in f64", APSP_DISTANCE_SUM, APSP_ELEMENT_F64, APSP_ELEMENT_F64,
		0.3, false, 1e9},
	{"negative sums", APSP_DISTANCE_SUM, APSP_ELEMENT_I32, APSP_ELEMENT_F64,
		0.25, true, 7.5},
};

/* A graph with its right rows. */
struct rows {
	const struct kind *kind;
	struct integers_fixture m;
	unsigned int width;
	bool selects; /* rows are compared with the tight arcs alone */
	uint16_t predecessors[N * N];
	double distances[N * N]; /* of any element */
};

static void arc_add(struct rows *rows, uint32_t u, uint32_t v, double w,
	const double hidden[N])
{
	const struct kind *kind = rows->kind;

	graph_fixture_add(&rows->m.f, u, v,
		kind->unit > 0 ? (w + hidden[u] - hidden[v]) * kind->unit : 1);
}

/* Vertices that not all others reach, ties, and an arc that no path takes. */
static void graph_make(struct rows *rows)
{
	const struct kind *kind = rows->kind;
	double hidden[N];
	uint64_t seed = 7;

	graph_fixture_init(&rows->m.f, N);
	for (uint32_t v = 0; v < N; v++)
		hidden[v] = kind->negative ? random_below(&seed, 50) : 0;
	for (uint32_t a = 0; a < ARCS; a++) {
		uint32_t u = random_below(&seed, N - 1);
		uint32_t v = random_below(&seed, N - 2);

		arc_add(rows, u, v, random_below(&seed, 6), hidden);
	}
	arc_add(rows, 0, 1, kind->longest, hidden);
	arc_add(rows, 0, 2, 1, hidden);
	arc_add(rows, 2, 1, 1, hidden);
	integers_fixture_make(&rows->m, 0);
	assert_int_equal(rows->m.r, 0);
	assert_int_equal(rows->m.integers.kind, kind->kind);
	assert_int_equal(rows->m.integers.potentials != NULL, kind->negative);
}

static void *row_at(struct rows *rows, uint32_t source)
{
	return (char *)rows->distances +
	       (size_t)source * N * apsp_element_size(rows->kind->distance);
}

static void rows_make(struct rows *rows)
{
	const struct integers_fixture *m = &rows->m;
	const int64_t *h = m->integers.potentials;
	struct host_rows reference;
	const struct apsp_sums_config config = {.lengths = &m->lengths,
		.integers = &m->integers,
		.v = APSP_ELEMENT_F64,
		.distance = rows->kind->distance,
		.width = 1};
	static double reals[N * N];
	const struct apsp_sums_rows all = {
		.n_rows = N, .predecessors = rows->predecessors, .v = reals};
	struct apsp_sums *sums;
	uint32_t tails[N];
	int64_t v[N];

	host_rows_open(&reference, &m->lengths, &m->integers);
	for (uint32_t i = 0; i < N; i++) {
		apsp_dijkstra_run(reference.dijkstra, i, v, NULL, tails);
		apsp_v_element_store(APSP_ELEMENT_F64, v, N, reals + i * N);
		for (uint32_t j = 0; j < N; j++) {
			rows->predecessors[i * N + j] = (uint16_t)tails[j];
			if (h && v[j] != APSP_DIJKSTRA_INFINITY)
				v[j] += h[j] - h[i];
		}
		if (rows->kind->kind != APSP_DISTANCE_SUM)
			apsp_v_element_store(
				rows->kind->distance, v, N, row_at(rows, i));
	}
	apsp_dijkstra_free(reference.dijkstra);
	if (rows->kind->kind != APSP_DISTANCE_SUM)
		return;
	assert_int_equal(apsp_sums_open(&config, &sums, NULL), 0);
	assert_int_equal(apsp_sums_rows(sums, &all, rows->distances, NULL), 0);
	apsp_sums_free(sums);
}

/* Keep each arc that is no longer than the path between its ends. */
static void arcs_keep(struct rows *rows, uint8_t *kept)
{
	const struct apsp_every_row_proof every = {.lengths = &rows->m.lengths,
		.integers = &rows->m.integers,
		.v = rows->kind->v,
		.distance = rows->kind->distance,
		.bare = true};

	for (uint32_t i = 0; i < N; i++)
		apsp_every_row_proof_keep(&every, i, row_at(rows, i),
			rows->predecessors + i * N, kept);
}

/* What the proof says of some rows, taken `together` at a time. */
static int prove(
	struct rows *rows, uint32_t first, uint32_t n_rows, uint32_t together)
{
	struct apsp_sampled_rows_proof *proof;
	struct apsp_parallel_part part;
	struct apsp_err err = {0};
	uint8_t kept[ARCS + 3];
	int r = 0;

	assert_int_equal(apsp_sampled_rows_proof_new(&rows->m.lengths,
				 &rows->m.integers, NULL, rows->kind->v,
				 rows->kind->distance, 1, rows->width,
				 apsp_sampled_rows_proof_hands(), &proof, NULL),
		0);
	if (rows->selects) {
		apsp_sampled_rows_proof_draw(proof, N);
		arcs_keep(rows, kept);
		assert_int_equal(
			apsp_sampled_rows_proof_select(proof, kept, NULL), 0);
	}
	for (uint32_t i = first; r == 0 && i < first + n_rows; i += together) {
		uint32_t left = first + n_rows - i;
		const struct apsp_row_strip strip = {.first = i,
			.n_rows = left < together ? left : together,
			.distances = row_at(rows, i),
			.predecessors = rows->predecessors + i * N};

		apsp_sampled_rows_proof_begin(proof, &strip, &part);
		apsp_parallel_parts(&part, 1, rows->width);
		r = apsp_sampled_rows_proof_end(proof, &err);
	}
	if (r == 0)
		r = apsp_sampled_rows_proof_finish(proof, &err);
	apsp_sampled_rows_proof_free(proof);
	assert_int_equal(r, err.code);
	return r;
}

/* Store another distance in a cell. False: there are no more. */
static bool cell_change(
	enum apsp_element element, void *row, uint32_t j, int change)
{
	uint16_t *u16 = (uint16_t *)row + j;
	int32_t *i32 = (int32_t *)row + j;
	float *f32 = (float *)row + j;
	double *f64 = (double *)row + j;
	const int64_t steps[] = {1, -1, 1 << 12, -(1 << 12)};

	if (change == 4) {
		double other = apsp_v_element_infinity(element);

		*u16 = element == APSP_ELEMENT_U16 ? (uint16_t)other : *u16;
		if (element == APSP_ELEMENT_I32)
			*i32 = (int32_t)other;
		if (element == APSP_ELEMENT_F32)
			*f32 = INFINITY;
		if (element == APSP_ELEMENT_F64)
			*f64 = INFINITY;
		return true;
	}
	if (change > 4)
		return false;
	if (element == APSP_ELEMENT_U16)
		*u16 = (uint16_t)(*u16 + steps[change]);
	else if (element == APSP_ELEMENT_I32)
		*i32 = (int32_t)(*i32 + steps[change]);
	else if (element == APSP_ELEMENT_F32)
		*f32 = change % 2 ? nextafterf(*f32, -INFINITY) : *f32 + 1;
	else
		*f64 = change % 2 ? nextafter(*f64, -INFINITY) : *f64 + 1;
	return true;
}

/* Every wrong distance in a cell. */
static void distances_refuse(struct rows *rows, uint32_t i, uint32_t j)
{
	char right[N * sizeof(double)], *row = row_at(rows, i);
	size_t size = N * apsp_element_size(rows->kind->distance);

	memcpy(right, row, size);
	for (int change = 0; cell_change(rows->kind->distance, row, j, change);
		change++) {
		/* infinity is no change where there is no path */
		if (memcmp(right, row, size) != 0 &&
			prove(rows, i, 1, 1) != APSP_EPROOF)
			fail_msg("%s: row %u with change %d in column %u",
				rows->kind->name, i, change, j);
		memcpy(row, right, size);
	}
}

/* Every other predecessor in a cell. */
static void predecessors_refuse(struct rows *rows, uint32_t i, uint32_t j)
{
	uint16_t *at = &rows->predecessors[i * N + j], right = *at;

	for (uint32_t k = 0; k <= N; k++) {
		*at = k < N ? (uint16_t)k : NONE;
		if (*at != right && prove(rows, i, 1, 1) != APSP_EPROOF)
			fail_msg("%s: row %u with predecessor %u of %u, not %u",
				rows->kind->name, i, *at, j, right);
	}
	*at = right;
}

/* Run a check on the right rows of each kind. */
static void each_kind(void (*check)(struct rows *rows))
{
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct rows rows = {
			.kind = &kinds[k], .width = apsp_parallel_processors()};

		graph_make(&rows);
		rows_make(&rows);
		check(&rows);
		integers_fixture_done(&rows.m);
	}
}

static void kind_check(struct rows *rows)
{
	for (uint32_t together = 1; together <= N; together += 2)
		if (prove(rows, 0, N, together) != 0)
			fail_msg("%s: right rows, %u at a time",
				rows->kind->name, together);
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++) {
			distances_refuse(rows, i, j);
			predecessors_refuse(rows, i, j);
		}
}

static void test_kinds(void **state)
{
	(void)state;
	each_kind(kind_check);
}

/* Rows are compared only with arcs that are no longer than the path between
   their ends; the proof still refuses each wrong cell. */
static void selection_check(struct rows *rows)
{
	const struct apsp_lengths *lengths = &rows->m.lengths;
	uint8_t kept[ARCS + 3];

	arcs_keep(rows, kept);
	if (rows->kind->longest > 2)
		assert_int_equal(kept[apsp_lengths_find(lengths, 0, 1)], 0);
	assert_int_equal(kept[apsp_lengths_find(lengths, 2, 1)], 1);
	rows->selects = true;
	kind_check(rows);
}

static void test_selection(void **state)
{
	(void)state;
	each_kind(selection_check);
}

/* Whatever lane and group a wrong row is in, it is found. */
static void lanes_check(struct rows *rows)
{
	for (uint32_t i = 0; i < N; i++) {
		uint16_t *at = &rows->predecessors[i * N + (i + 1) % N];

		*at ^= 1;
		if (prove(rows, 0, N, 5) != APSP_EPROOF ||
			prove(rows, 0, N, N) != APSP_EPROOF)
			fail_msg("%s: row %u", rows->kind->name, i);
		*at ^= 1;
	}
}

static void test_lanes(void **state)
{
	(void)state;
	each_kind(lanes_check);
}

/* Whether a row that the device made, alone or in such a strip, is walked. */
static bool is_walked(const struct integers_fixture *m, uint32_t seed,
	uint32_t first, uint32_t n_rows)
{
	static const struct apsp_row_marks marks;
	const struct apsp_row_strip strip = {
		.first = first, .n_rows = n_rows, .marks = &marks};
	struct apsp_sampled_rows_proof *proof;
	struct apsp_parallel_part part;

	assert_int_equal(
		apsp_sampled_rows_proof_new(&m->lengths, &m->integers, NULL,
			APSP_ELEMENT_U16, APSP_ELEMENT_U16, seed, 1,
			apsp_sampled_rows_proof_hands(), &proof, NULL),
		0);
	apsp_sampled_rows_proof_begin(proof, &strip, &part);
	apsp_sampled_rows_proof_free(proof);
	return part.n > 0;
}

/* The seed decides which rows are walked: seven, and one of each strip. */
static void test_seeds(void **state)
{
	enum { VERTICES = 700 };
	struct integers_fixture m;
	uint32_t walked[3] = {0}, same = 0;

	(void)state;
	graph_fixture_init(&m.f, VERTICES);
	graph_fixture_add(&m.f, 0, 1, 1);
	integers_fixture_make(&m, 0);
	for (uint32_t i = 0; i < VERTICES; i++) {
		bool first = is_walked(&m, 5, i, 1);

		assert_int_equal(first, is_walked(&m, 5, i, 1));
		walked[0] += first;
		walked[1] += is_walked(&m, 6, i, 1);
		walked[2] += is_walked(&m, 1u << 31, i, 1);
		same += first && is_walked(&m, 6, i, 1);
	}
	for (int k = 0; k < 3; k++)
		assert_int_equal(walked[k], 7);
	assert_true(same < 7);
	for (uint32_t i = 0; i + 20 <= VERTICES; i += 20)
		assert_true(is_walked(&m, 5, i, 20));
	integers_fixture_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_selection),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_seeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
