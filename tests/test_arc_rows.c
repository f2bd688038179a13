/*
 * Rows that were sorted against the arcs that they were sorted from: any order
 * is right, and one arc less, more, elsewhere or of another weight is not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "compute/graph/arc_rows.h"
#include "tests/graph_fixture.h"
#include "tests/random.h"

enum {
	N = 700, /* more rows than a thread takes at a time */
	EACH = 3,
	M = N * EACH,
};

/* EACH arcs from each vertex, in rows and, in another order, in the graph. */
struct sample {
	struct graph_fixture f;
	uint64_t offsets[N + 1];
	uint32_t heads[M];
	double weights[M];
};

static void sample_make(struct sample *s)
{
	uint64_t seed = 5;

	graph_fixture_init(&s->f, N);
	for (uint32_t v = 0; v <= N; v++)
		s->offsets[v] = (uint64_t)v * EACH;
	for (uint32_t a = 0; a < M; a++) {
		s->heads[a] = random_below(&seed, N);
		s->weights[a] = (double)random_below(&seed, 5) - 1;
	}
	/* 11 has no divisor in common with M */
	for (uint32_t i = 0, a = 0; i < M; i++, a = (a + 11) % M)
		graph_fixture_add(&s->f, a / EACH, s->heads[a], s->weights[a]);
}

static int judge(struct sample *s)
{
	const struct apsp_arc_rows rows = {s->offsets, s->heads, s->weights};
	struct apsp_err err;

	return apsp_arc_rows_check(&s->f.graph, &rows, &err);
}

static void test_same(void **state)
{
	static struct sample s;

	(void)state;
	sample_make(&s);
	assert_int_equal(judge(&s), 0);
	graph_fixture_done(&s.f);
}

/* Arcs swap a head or a weight, which leaves the sums of these as they are. */
static void test_swapped(void **state)
{
	static struct sample s;
	uint32_t head, other = 9;

	(void)state;
	sample_make(&s);
	while (s.heads[other] == s.heads[0])
		other += EACH;
	head = s.heads[0];
	s.heads[0] = s.heads[other];
	s.heads[other] = head;
	assert_int_equal(judge(&s), APSP_EPROOF);
	s.heads[other] = s.heads[0];
	s.heads[0] = head;
	assert_int_equal(judge(&s), 0);
	s.weights[4] += 1;
	s.weights[M - 1] -= 1;
	assert_int_equal(judge(&s), APSP_EPROOF);
	graph_fixture_done(&s.f);
}

/* An arc is lost, comes twice, or lies in the next row. */
static void test_moved(void **state)
{
	static struct sample s;

	(void)state;
	sample_make(&s);
	s.offsets[N]--;
	assert_int_equal(judge(&s), APSP_EPROOF);
	s.offsets[N]++;
	s.heads[7] = s.heads[6];
	s.weights[7] = s.weights[6] + (s.weights[7] == s.weights[6]);
	assert_int_equal(judge(&s), APSP_EPROOF);
	graph_fixture_done(&s.f);
	sample_make(&s);
	s.offsets[N / 2]++;
	assert_int_equal(judge(&s), APSP_EPROOF);
	graph_fixture_done(&s.f);
}

/* What invalid=drop drops is in no row. */
static void test_dropped(void **state)
{
	static struct sample s;
	uint64_t n = 0;

	(void)state;
	sample_make(&s);
	s.f.graph.profile.transform = APSP_TRANSFORM_INV;
	s.f.graph.profile.invalid = APSP_INVALID_DROP;
	assert_int_equal(judge(&s), APSP_EPROOF);
	for (uint32_t v = 0; v < N; v++) {
		uint64_t a = s.offsets[v];

		s.offsets[v] = n;
		for (uint64_t end = (uint64_t)(v + 1) * EACH; a < end; a++) {
			s.heads[n] = s.heads[a];
			s.weights[n] = s.weights[a];
			n += s.weights[a] > 0;
		}
	}
	s.offsets[N] = n;
	assert_in_range(n, 1, M - 1);
	assert_int_equal(judge(&s), 0);
	graph_fixture_done(&s.f);
}

/* An arc from or to a vertex that the graph does not have, in any place. */
static void test_damaged(void **state)
{
	static const uint32_t wrong[] = {N, UINT32_MAX};
	static const uint32_t places[] = {0, 1, M / 2, M - 1};
	static struct sample s;

	(void)state;
	sample_make(&s);
	for (size_t i = 0; i < 2; i++)
		for (size_t p = 0; p < 4; p++)
			for (int head = 0; head < 2; head++) {
				struct apsp_arc *arc = &s.f.arcs[places[p]];
				struct apsp_arc_rows rows;
				struct apsp_err err;
				uint32_t *end = head ? &arc->to : &arc->from;
				uint32_t right = *end;
				char text[32];

				*end = wrong[i];
				assert_int_equal(apsp_arc_rows_sort(&s.f.graph,
							 &rows, &err),
					APSP_EDATA);
				snprintf(text, sizeof(text), "arc %u goes",
					places[p]);
				assert_non_null(strstr(err.message, text));
				*end = right;
			}
	graph_fixture_done(&s.f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_swapped),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_dropped),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
