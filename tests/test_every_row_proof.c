/*
 * The proof of every row, check by check: rows with a single fault that only
 * that check can see.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "compute/graph/v_element.h"
#include "compute/tables/every_row_proof.h"
#include "compute/tables/verdict.h"

enum {
	N = 10,
	ARCS = N,
	CHORD = 1, /* the arc 0 → 2 */
	SCALE = 16,
};

#define NONE UINT16_MAX

/*
 * The chain 0 → 1 → … → 9 of lengths 1, and a chord 0 → 2 of length 3, which no
 * shortest path takes.
 */
struct tables {
	uint64_t offsets[N + 1];
	uint32_t heads[ARCS];
	double lengths[ARCS];
	uint8_t kept[ARCS];
	int64_t potentials[N];
	struct apsp_lengths graph;
	struct apsp_integers integers;
	struct apsp_bits closure;
	struct apsp_every_row_proof check;
	int32_t v[N][N];
	float sums[N][N];
	uint16_t tails[N][N];
	uint32_t marks_v[N], marks_tails[N];
	struct apsp_row_marks marks;
	bool marked; /* the device told marks */
};

static void tables_fill(struct tables *t, int64_t scale)
{
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = 0; j < N; j++) {
			bool path = j >= i;

			t->v[i][j] = path ? (int32_t)((j - i) * (scale + 1))
					  : APSP_V_INFINITY_I32;
			t->sums[i][j] = path ? (float)(j - i) : INFINITY;
			t->tails[i][j] = j > i ? (uint16_t)(j - 1) : NONE;
			if (path)
				apsp_bits_set(&t->closure, i, j);
		}
}

static void tables_init(struct tables *t, int64_t scale)
{
	uint32_t n = 0;

	memset(t, 0, sizeof(*t));
	assert_int_equal(apsp_bits_init(&t->closure, N, N, NULL), 0);
	for (uint32_t i = 0; i < N; i++) {
		t->offsets[i] = n;
		for (uint32_t j = i + 1; j < N && j <= i + (i == 0 ? 2 : 1);
			j++) {
			t->heads[n] = j;
			t->lengths[n] = j == i + 2 ? 3 : 1;
			t->kept[n++] = 1;
		}
	}
	t->offsets[N] = n;
	assert_int_equal(n, ARCS);
	t->graph = (struct apsp_lengths){.n_vertices = N,
		.n_arcs = ARCS,
		.offsets = t->offsets,
		.heads = t->heads,
		.lengths = t->lengths};
	t->integers = (struct apsp_integers){
		.kind = APSP_DISTANCE_SCALED, .scale = scale};
	t->check = (struct apsp_every_row_proof){.lengths = &t->graph,
		.integers = &t->integers,
		.closure = &t->closure,
		.kept = t->kept,
		.v = APSP_ELEMENT_I32,
		.distance = APSP_ELEMENT_I32};
	assert_int_equal(apsp_row_weights_init(&t->check.weights, N, NULL), 0);
	tables_fill(t, scale);
	for (uint32_t i = 0; i < N; i++) {
		t->marks_v[i] = apsp_row_mark(
			&t->check.weights, t->v[i], N, APSP_ELEMENT_I32);
		t->marks_tails[i] = apsp_row_mark(
			&t->check.weights, t->tails[i], N, APSP_ELEMENT_U16);
	}
	t->marks = (struct apsp_row_marks){
		.distances = t->marks_v, .predecessors = t->marks_tails};
}

static void sums_take(struct tables *t)
{
	t->integers.kind = APSP_DISTANCE_SUM;
	t->integers.unit = 0x1p-10;
	t->check.distance = APSP_ELEMENT_F32;
}

static void v_changes(struct tables *t)
{
	t->marked = true;
	t->v[3][7]++;
}

static void tail_changes(struct tables *t)
{
	t->marked = true;
	t->tails[3][7]--;
}

static void path_appears(struct tables *t)
{
	t->tails[5][2] = 1;
}

static void path_vanishes(struct tables *t)
{
	t->tails[2][5] = NONE;
}

static void path_vanishes_widest(struct tables *t)
{
	t->check.v = APSP_ELEMENT_F64;
	t->tails[2][5] = NONE;
}

static void arc_is_shorter(struct tables *t)
{
	t->v[0][2] = 3 * SCALE + 2;
}

static void arc_is_its_own_path(struct tables *t)
{
	t->tails[0][2] = 0;
}

/* The bound of an arc that was left out is held against its own row. */
static void arc_left_out(struct tables *t)
{
	t->v[0][2] = 3 * SCALE + 1;
	t->kept[CHORD] = 0;
}

static void real_arc_is_shorter(struct tables *t)
{
	sums_take(t);
	t->lengths[CHORD] = 1.5;
}

static void real_arc_left_out(struct tables *t)
{
	sums_take(t);
	t->kept[CHORD] = 0;
	t->lengths[CHORD] = 1.5;
}

static void real_arc_is_its_own_path(struct tables *t)
{
	sums_take(t);
	t->kept[CHORD] = 0;
	t->tails[0][2] = 0;
	t->sums[0][2] = 3;
}

static void hops_overflow(struct tables *t)
{
	t->integers.scale = 8;
	tables_fill(t, 8);
}

static void potential_overflows(struct tables *t)
{
	t->potentials[9] = APSP_V_INFINITY_I32 - 1;
	t->integers.potentials = t->potentials;
}

static void nothing(struct tables *t)
{
	t->marked = true;
}

static void chord_left_out(struct tables *t)
{
	t->kept[CHORD] = 0;
}

static void sums(struct tables *t)
{
	sums_take(t);
}

static const struct {
	void (*change)(struct tables *t);
	int result;
	const char *words; /* of the refusal */
} cases[] = {
	{nothing, 0, NULL},
	{chord_left_out, 0, NULL},
	{sums, 0, NULL},
	{v_changes, APSP_EPROOF, "source 3 has changed since it was made"},
	{tail_changes, APSP_EPROOF, "source 3 has changed since it was made"},
	{path_appears, APSP_EPROOF, "source 5 does not reach"},
	{path_vanishes, APSP_VERDICT_TOO_NARROW, NULL},
	{path_vanishes_widest, APSP_EPROOF, "source 2 reaches have no"},
	{arc_is_shorter, APSP_EPROOF, "an arc from the source 0"},
	{arc_is_its_own_path, APSP_EPROOF, "an arc from the source 0"},
	{arc_left_out, APSP_EPROOF, "an arc from the source 0"},
	{real_arc_is_shorter, APSP_EPROOF, "an arc from the source 0"},
	{real_arc_left_out, APSP_EPROOF, "an arc from the source 0"},
	{real_arc_is_its_own_path, APSP_EPROOF, "an arc from the source 0"},
	{hops_overflow, APSP_EPROOF, "do not fit their scale"},
	{potential_overflows, APSP_VERDICT_TOO_NARROW, NULL},
};

static int check(struct tables *t, const struct apsp_row_strip *strip,
	struct apsp_err *err)
{
	struct apsp_parallel_part part;

	apsp_every_row_proof_begin(&t->check, strip, 1, &part);
	apsp_parallel_parts(&part, 1, 1);
	return apsp_every_row_proof_end(&t->check, err);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
		struct tables t;
		struct apsp_row_strip strip = {
			.n_rows = N, .predecessors = t.tails};
		struct apsp_err err = {0};
		int r;

		tables_init(&t, SCALE);
		cases[c].change(&t);
		strip.distances = t.check.distance == APSP_ELEMENT_F32
					  ? (void *)t.sums
					  : (void *)t.v;
		if (t.marked)
			strip.marks = &t.marks;
		r = check(&t, &strip, &err);
		if (r != cases[c].result ||
			(cases[c].words &&
				!strstr(err.message, cases[c].words)))
			fail_msg("case %zu: %d %s", c, r, err.message);
		apsp_row_weights_done(&t.check.weights);
		apsp_bits_done(&t.closure);
	}
}

/* Without potentials again: V as it was, and infinity as it is. */
static void test_potentials(void **state)
{
	struct tables t;
	struct apsp_row_strip strip = {
		.n_rows = N, .distances = t.v, .predecessors = t.tails};
	int32_t expected[N][N];

	(void)state;
	tables_init(&t, SCALE);
	memcpy(expected, t.v, sizeof(expected));
	for (uint32_t i = 0; i < N; i++)
		t.potentials[i] = (int64_t)i * 5 - 20;
	for (uint32_t i = 0; i < N; i++)
		for (uint32_t j = i; j < N; j++)
			t.v[i][j] -=
				(int32_t)(t.potentials[j] - t.potentials[i]);
	t.integers.potentials = t.potentials;
	assert_int_equal(check(&t, &strip, NULL), 0);
	assert_memory_equal(t.v, expected, sizeof(expected));
	apsp_row_weights_done(&t.check.weights);
	apsp_bits_done(&t.closure);
}

/*
 * A chain of many arcs, whose integers are rounded up one by one, and an arc
 * from its first vertex to its last that is longer than the chain, with a lower
 * integer.
 */
static void test_long_path(void **state)
{
	enum { LONG = 600 };
	static uint64_t offsets[LONG + 1];
	static uint32_t heads[LONG];
	static double lengths[LONG];
	static uint8_t kept[LONG];
	static float sums[LONG];
	static uint16_t tails[LONG];
	struct apsp_bits closure = {0};
	struct apsp_lengths graph = {.n_vertices = LONG,
		.n_arcs = LONG,
		.offsets = offsets,
		.heads = heads,
		.lengths = lengths};
	struct apsp_integers integers = {
		.kind = APSP_DISTANCE_SUM, .scale = LONG, .unit = 0x1p-17};
	struct tables t = {.check = {.lengths = &graph,
				   .integers = &integers,
				   .closure = &closure,
				   .kept = kept,
				   .v = APSP_ELEMENT_F64,
				   .distance = APSP_ELEMENT_F32}};
	struct apsp_row_strip strip = {
		.n_rows = 1, .distances = sums, .predecessors = tails};
	struct apsp_err err = {0};

	(void)state;
	assert_int_equal(apsp_bits_init(&closure, LONG, LONG, NULL), 0);
	for (uint32_t j = 0; j < LONG; j++) {
		heads[j] = j == 1 ? LONG - 1 : j + (j == 0);
		lengths[j] = 1;
		kept[j] = j != 1;
		offsets[j + 1] = j + 2 < LONG ? j + 2 : LONG;
		sums[j] = (float)j;
		tails[j] = j > 0 ? (uint16_t)(j - 1) : NONE;
		apsp_bits_set(&closure, 0, j);
	}
	lengths[1] = LONG - 1 + 400 * integers.unit;
	assert_int_equal(
		apsp_row_weights_init(&t.check.weights, LONG, NULL), 0);
	assert_int_equal(check(&t, &strip, &err), APSP_EPROOF);
	assert_non_null(strstr(err.message, "an arc from the source 0"));
	lengths[1] = LONG - 1 + 700 * integers.unit;
	assert_int_equal(check(&t, &strip, &err), 0);
	apsp_row_weights_done(&t.check.weights);
	apsp_bits_done(&closure);
}

/* Flip a bit of each cell from column `first` to `end` - 1. */
static void bits_flip(
	void *row, size_t size, uint32_t bit, uint32_t first, uint32_t end)
{
	uint8_t *bytes = row;

	for (uint32_t c = first; c < end; c++)
		bytes[c * size + bit / 8] ^= (uint8_t)(1 << bit % 8);
}

/* A bit that flips in several neighbouring cells, as in the lanes of a vector,
   changes the mark of the row. */
static void test_lanes(void **state)
{
	enum { CELLS = 80, MOST = 64 };
	static const enum apsp_element elements[] = {APSP_ELEMENT_U8,
		APSP_ELEMENT_U16, APSP_ELEMENT_I32, APSP_ELEMENT_F32,
		APSP_ELEMENT_F64};
	struct apsp_row_weights weights;

	(void)state;
	assert_int_equal(apsp_row_weights_init(&weights, CELLS, NULL), 0);
	for (size_t e = 0; e < sizeof(elements) / sizeof(*elements); e++) {
		size_t size = apsp_element_size(elements[e]);
		uint32_t n_bits = (uint32_t)size * 8, same = 0, tried = 0;

		for (uint32_t bit = n_bits - 4; bit < n_bits; bit++)
			for (uint32_t lanes = 2; lanes <= MOST; lanes *= 2)
				for (uint32_t first = 0; first + lanes <= CELLS;
					first += 2) {
					uint8_t row[CELLS * sizeof(double)];
					uint32_t mark;

					for (size_t b = 0; b < sizeof(row); b++)
						row[b] = (uint8_t)(b * b % 61);
					mark = apsp_row_mark(&weights, row,
						CELLS, elements[e]);
					bits_flip(row, size, bit, first,
						first + lanes);
					same += mark == apsp_row_mark(&weights,
								row, CELLS,
								elements[e]);
					tried++;
				}
		/* by chance, few marks are the same */
		if (same * 50 > tried)
			fail_msg("element %d: %u of %u marks are the same",
				elements[e], same, tried);
	}
	apsp_row_weights_done(&weights);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_potentials),
		cmocka_unit_test(test_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
