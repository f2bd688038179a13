/*
 * The check of a closure: it takes right bits, and refuses the transpose with
 * one bit more, one less or one elsewhere, a transpose in which one bit of each
 * word or one row of each block is wrong, and a vertex whose cycle is told
 * wrongly. The check of vertices refuses one wrong count or component.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>

#include "compute/bits.h"
#include "compute/graph/lengths.h"
#include "compute/tables/closure_proof.h"
#include "compute/tables/vertex_proof.h"
#include "daemon/job/stats_sections.h"

enum {
	N = 40,
	CYCLE = 10, /* 0 → 1 → … → 9 → 0, and on from 9 to the last vertex */
	LOOP = 20, /* has an arc to itself */
	LARGE = 200,
};

struct bits {
	struct apsp_bits closure, transposed, on_cycle;
};

static uint64_t offsets[N + 1];
static uint32_t heads[N + 1];
static uint64_t self_loop[1] = {UINT64_C(1) << LOOP};
static struct apsp_lengths lengths = {
	.n_vertices = N,
	.offsets = offsets,
	.heads = heads,
	.self_loop = self_loop,
};

static void flip(struct apsp_bits *bits, uint32_t i, uint32_t j)
{
	apsp_bits_row(bits, i)[j / 64] ^= UINT64_C(1) << (j % 64);
}

static int set_up(void **state)
{
	static struct bits bits;
	uint64_t n_arcs = 0;

	for (uint32_t v = 0; v < N; v++) {
		offsets[v] = n_arcs;
		if (v + 1 < N)
			heads[n_arcs++] = v + 1;
		if (v == CYCLE - 1)
			heads[n_arcs++] = 0;
	}
	offsets[N] = n_arcs;
	assert_int_equal(apsp_bits_init(&bits.closure, N, N, NULL), 0);
	assert_int_equal(apsp_bits_init(&bits.transposed, N, N, NULL), 0);
	assert_int_equal(apsp_bits_init(&bits.on_cycle, 1, N, NULL), 0);
	for (uint32_t u = 0; u < N; u++)
		for (uint32_t v = 0; v < N; v++)
			if (v >= u || u < CYCLE) {
				apsp_bits_set(&bits.closure, u, v);
				apsp_bits_set(&bits.transposed, v, u);
			}
	for (uint32_t v = 0; v < CYCLE; v++)
		apsp_bits_set(&bits.on_cycle, 0, v);
	apsp_bits_set(&bits.on_cycle, 0, LOOP);
	*state = &bits;
	return 0;
}

static int tear_down(void **state)
{
	struct bits *bits = *state;

	apsp_bits_done(&bits->closure);
	apsp_bits_done(&bits->transposed);
	apsp_bits_done(&bits->on_cycle);
	return 0;
}

static int check(const struct bits *bits)
{
	struct apsp_err err;

	return apsp_closure_proof_check(&lengths, &bits->closure,
		&bits->transposed, &bits->on_cycle, &err);
}

static void test_right(void **state)
{
	assert_int_equal(check(*state), 0);
}

static void test_transpose(void **state)
{
	struct bits *bits = *state;

	for (uint32_t u = 0; u < N; u++)
		for (uint32_t v = 0; v < N; v++) {
			flip(&bits->transposed, u, v);
			assert_int_equal(check(bits), APSP_EPROOF);
			flip(&bits->transposed, u, v);
		}
	/* as many as before, one in another place */
	for (uint32_t v = 0; v + 1 < N; v++) {
		flip(&bits->transposed, v, N - 1);
		flip(&bits->transposed, N - 1, v);
		assert_int_equal(
			apsp_bits_get(&bits->transposed, v, N - 1) +
				apsp_bits_get(&bits->transposed, N - 1, v),
			1);
		assert_int_equal(check(bits), APSP_EPROOF);
		flip(&bits->transposed, v, N - 1);
		flip(&bits->transposed, N - 1, v);
	}
	assert_int_equal(check(bits), 0);
}

/* Of a large closure some rows are compared, and all bits are counted. */
static void test_counted(void **state)
{
	static uint64_t no_arcs[LARGE + 1];
	const struct apsp_lengths large = {
		.n_vertices = LARGE, .offsets = no_arcs};
	struct bits bits;
	struct apsp_err err;

	(void)state;
	assert_int_equal(apsp_bits_init(&bits.closure, LARGE, LARGE, NULL), 0);
	assert_int_equal(
		apsp_bits_init(&bits.transposed, LARGE, LARGE, NULL), 0);
	assert_int_equal(apsp_bits_init(&bits.on_cycle, 1, LARGE, NULL), 0);
	for (uint32_t v = 0; v < LARGE; v++) {
		apsp_bits_set(&bits.closure, v, v);
		apsp_bits_set(&bits.transposed, v, v);
	}
	assert_int_equal(apsp_closure_proof_check(&large, &bits.closure,
				 &bits.transposed, &bits.on_cycle, &err),
		0);
	for (uint32_t v = 0; v < LARGE; v++) {
		flip(&bits.transposed, v, (v + 1) % LARGE);
		assert_int_equal(
			apsp_closure_proof_check(&large, &bits.closure,
				&bits.transposed, &bits.on_cycle, &err),
			APSP_EPROOF);
		flip(&bits.transposed, v, (v + 1) % LARGE);
	}
	tear_down((void *[]){&bits});
}

/* Make a graph of n vertices without arcs, and its closure. */
static void arcless_make(
	uint32_t n, struct apsp_lengths *lengths_out, struct bits *out)
{
	*lengths_out = (struct apsp_lengths){
		.n_vertices = n, .offsets = calloc(n + 1, sizeof(uint64_t))};
	assert_non_null(lengths_out->offsets);
	assert_int_equal(apsp_bits_init(&out->closure, n, n, NULL), 0);
	assert_int_equal(apsp_bits_init(&out->transposed, n, n, NULL), 0);
	assert_int_equal(apsp_bits_init(&out->on_cycle, 1, n, NULL), 0);
	for (uint32_t v = 0; v < n; v++) {
		apsp_bits_set(&out->closure, v, v);
		apsp_bits_set(&out->transposed, v, v);
	}
}

/* In each row v with v % 64 = place, the only bit moves to the column before or
   after it. */
static void rows_move(struct apsp_bits *bits, uint32_t place)
{
	for (uint32_t v = place; v < bits->n_rows; v += 64) {
		flip(bits, v, v);
		flip(bits, v, v > 0 ? v - 1 : v + 1);
	}
}

/* A transposition that makes the same fault in each of its blocks is refused,
   whatever the number of vertices, and wherever in a block the fault is. */
static void test_each_block(void **state)
{
	static const uint32_t sizes[] = {
		64, 65, 127, 128, 129, 192, 200, 448, 3013, 4031, 4032, 4033};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct apsp_lengths large;
		struct bits bits;
		struct apsp_err err;

		arcless_make(sizes[i], &large, &bits);
		for (uint32_t place = 0; place < 64; place++) {
			rows_move(&bits.transposed, place);
			assert_int_equal(
				apsp_closure_proof_check(&large, &bits.closure,
					&bits.transposed, &bits.on_cycle, &err),
				APSP_EPROOF);
			rows_move(&bits.transposed, place);
		}
		assert_int_equal(
			apsp_closure_proof_check(&large, &bits.closure,
				&bits.transposed, &bits.on_cycle, &err),
			0);
		free(large.offsets);
		tear_down((void *[]){&bits});
	}
}

static void test_cycles(void **state)
{
	struct bits *bits = *state;

	for (uint32_t v = 0; v < N; v++) {
		flip(&bits->on_cycle, 0, v);
		assert_int_equal(check(bits), APSP_EPROOF);
		flip(&bits->on_cycle, 0, v);
	}
	assert_int_equal(check(bits), 0);
}

/* Each count and each component that is wrong is found, whatever the vertex. */
static void test_vertices(void **state)
{
	const struct bits *bits = *state;
	struct apsp_vertex_facts facts;
	double all[APSP_N_VERTEX_STATS * N] = {0};
	struct apsp_err err;

	for (uint32_t v = 0; v < N; v++) {
		all[APSP_STAT_REACHES * N + v] = v < CYCLE ? N - 1 : N - 1 - v;
		all[APSP_STAT_REACHED_BY * N + v] = v < CYCLE ? CYCLE - 1 : v;
		all[APSP_STAT_STRONG * N + v] = v < CYCLE ? 0 : v;
	}
	assert_int_equal(apsp_vertex_facts_find(&bits->closure,
				 &bits->transposed, &facts, &err),
		0);
	assert_int_equal(
		apsp_vertex_proof_check(&lengths, &facts, all, &err), 0);
	for (uint32_t i = 0; i < APSP_N_VERTEX_STATS * N; i++) {
		enum apsp_vertex_stat stat = i / N;

		if (stat != APSP_STAT_REACHES && stat != APSP_STAT_REACHED_BY &&
			stat != APSP_STAT_STRONG && stat != APSP_STAT_WEAK)
			continue;
		all[i]++;
		assert_int_equal(
			apsp_vertex_proof_check(&lengths, &facts, all, &err),
			APSP_EPROOF);
		all[i]--;
	}
	/* no arc leads from vertex 29 to vertex 30 any more */
	heads[30] = 29;
	assert_int_equal(apsp_vertex_proof_check(&lengths, &facts, all, &err),
		APSP_EPROOF);
	for (uint32_t v = 30; v < N; v++)
		all[APSP_STAT_WEAK * N + v] = 30;
	assert_int_equal(
		apsp_vertex_proof_check(&lengths, &facts, all, &err), 0);
	heads[30] = 30;
	apsp_vertex_facts_done(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_transpose),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_each_block),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_vertices),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
