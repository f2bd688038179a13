/*
 * The host's proof of rows of widths by their predecessors: right rows pass;
 * rows that are wrong in many ways, drawn by a seed, do not. In some of them
 * the vertices of a cycle hold up each other's widths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/graph/in_arcs.h"
#include "compute/graph/lengths.h"
#include "compute/tables/tail_tree.h"
#include "tests/table_cell.h"
#include "tests/widest_oracle.h"

enum {
	N = 301, /* more than the columns that are decoded at a time */
	N_FAULTS = 400,
};

#define NONE UINT32_MAX

/* A graph and one right row of it. */
struct tree {
	struct graph_fixture g;
	struct widest_oracle o;
	struct apsp_lengths lengths;
	struct apsp_tail_tree tree;
	uint32_t source;
	uint32_t values[N]; /* ranks; NONE: no path */
	uint32_t codes[N];  /* ranks of the last arcs; NONE: none */
	enum apsp_element element;
	uint64_t state;
};

static uint32_t rank_of(const struct tree *t, double weight)
{
	return (uint32_t)apsp_table_rank_of(
		t->lengths.ladder, t->lengths.n_ranks, weight);
}

/* Settle the vertices in the order of their widths. */
static void row_make(struct tree *t)
{
	const double *width = t->o.width + (size_t)t->source * N;
	bool settled[N] = {false}, changed = true;

	for (uint32_t j = 0; j < N; j++) {
		t->values[j] = isinf(width[j]) ? 0
			       : width[j] > 0  ? rank_of(t, width[j])
					       : NONE;
		t->codes[j] = NONE;
	}
	settled[t->source] = true;
	while (changed) {
		changed = false;
		for (uint32_t j = 0; j < N; j++)
			for (uint64_t a = t->lengths.in.offsets[j];
				a < t->lengths.in.offsets[j + 1]; a++) {
				uint32_t k = t->lengths.in.tails[a];
				uint32_t rank =
					(uint32_t)t->lengths
						.lengths[t->lengths.in.arcs[a]];

				if (settled[j] || !settled[k])
					continue;
				rank = rank > t->values[k] ? rank
							   : t->values[k];
				if (rank != t->values[j])
					continue;
				t->codes[j] =
					(uint32_t)(a -
						   t->lengths.in.offsets[j]);
				settled[j] = changed = true;
			}
	}
}

static void tree_init(struct tree *t, enum widest_weights kind,
	enum widest_density density, enum apsp_element element, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	t->state = seed;
	t->element = element;
	widest_graph(&t->o, &t->g, N, kind, density, &t->state);
	widest_run(&t->o);
	assert_int_equal(apsp_lengths_build(&t->g.graph, &t->lengths, NULL), 0);
	assert_int_equal(
		apsp_in_arcs_build(&t->lengths, APSP_ELEMENT_NONE, NULL), 0);
	apsp_in_arcs_settle_ranks(&t->lengths);
	assert_int_equal(
		apsp_tail_tree_init(&t->lengths, 2, &t->tree, NULL), 0);
	t->source = random_below(&t->state, N);
	row_make(t);
}

static void tree_done(struct tree *t)
{
	apsp_tail_tree_done(&t->tree);
	apsp_lengths_done(&t->lengths);
	widest_oracle_done(&t->o);
	graph_fixture_done(&t->g);
}

/* Whether the row is proved, in the table's elements. */
static bool proves(
	const struct tree *t, const uint32_t *values, const uint32_t *codes)
{
	enum apsp_element stored = apsp_in_arcs_element(&t->lengths);
	char cells[N * 4], tails[N * 4];

	for (uint32_t j = 0; j < N; j++) {
		size_t size = apsp_element_size(stored);

		table_cell_put(cells, t->element, j,
			values[j] == NONE ? INFINITY : values[j]);
		memcpy(tails + j * size, &codes[j], size);
	}
	return apsp_tail_tree_proves(
		&t->tree, 1, t->source, t->element, cells, tails);
}

static uint32_t vertex_draw(struct tree *t)
{
	uint32_t j = random_below(&t->state, N);

	return j == t->source ? (j + 1) % N : j;
}

/*
 * Follow predecessors' arcs forward from a random vertex until a vertex comes
 * again, and let the vertices of this cycle be each other's tails, as wide as
 * the cycle's narrowest arc. False: they are so wide already.
 */
static bool cycle_make(struct tree *t, uint32_t *values, uint32_t *codes)
{
	const struct apsp_lengths *l = &t->lengths;
	uint32_t at[N] = {0}, path[N + 1], arcs[N + 1], length, worst = 0;
	uint32_t v = vertex_draw(t);

	/* backwards, from head to tail */
	for (length = 0; at[v] == 0; length++) {
		uint64_t first = l->in.offsets[v], n = l->in.offsets[v + 1];

		if (first == n || v == t->source)
			return false;
		at[v] = length + 1;
		path[length] = v;
		arcs[length] = random_below(&t->state, (uint32_t)(n - first));
		v = l->in.tails[first + arcs[length]];
	}
	for (uint32_t k = at[v] - 1; k < length; k++) {
		uint64_t arc = l->in.arcs[l->in.offsets[path[k]] + arcs[k]];
		uint32_t rank = (uint32_t)l->lengths[arc];

		worst = rank > worst ? rank : worst;
	}
	for (uint32_t k = at[v] - 1; k < length; k++) {
		values[path[k]] = worst;
		codes[path[k]] = arcs[k];
	}
	return true;
}

/* Make a row wrong in one of several ways; false: it did not become wrong. */
static bool corrupt(
	struct tree *t, unsigned int way, uint32_t *values, uint32_t *codes)
{
	uint32_t j = vertex_draw(t), other = vertex_draw(t);
	uint64_t n = t->lengths.in.offsets[j + 1] - t->lengths.in.offsets[j];

	switch (way % 7) {
	case 0:
		values[j] = values[j] == NONE ? 1 : values[j] - 1;
		return true;
	case 1:
		values[j] = values[j] == NONE ? 1 : NONE;
		return true;
	case 2: /* a rank that no arc has */
		codes[j] = (uint32_t)n;
		return true;
	case 3:
		codes[j] = codes[j] == NONE ? 0 : NONE;
		return true;
	case 4:
		values[t->source] = 1;
		return true;
	case 5:
		codes[t->source] = codes[other] == NONE ? 0 : codes[other];
		return true;
	default:
		for (int tries = 0; tries < 1000; tries++)
			if (cycle_make(t, values, codes))
				return true;
		return false;
	}
}

static void test_rows(void **state)
{
	static const enum apsp_element elements[] = {
		APSP_ELEMENT_U16, APSP_ELEMENT_I32};

	(void)state;
	for (int e = 0; e < 2; e++)
		for (int kind = 0; kind < N_WIDEST_WEIGHTS; kind++)
			for (int density = 0; density < N_WIDEST_DENSITIES;
				density++) {
				struct tree t;

				/* its ranks do not fit u16 */
				if (density == WIDEST_FULL && e == 0)
					continue;
				tree_init(&t, kind, density, elements[e],
					1 + 10 * (size_t)kind +
						(size_t)density);
				assert_true(proves(&t, t.values, t.codes));
				tree_done(&t);
			}
}

static void test_faults(void **state)
{
	struct tree t;
	unsigned int n_wrong = 0;

	(void)state;
	tree_init(&t, WIDEST_FEW, WIDEST_SPARSE, APSP_ELEMENT_U16, 77);
	for (unsigned int way = 0; way < N_FAULTS; way++) {
		uint32_t values[N], codes[N];

		memcpy(values, t.values, sizeof(values));
		memcpy(codes, t.codes, sizeof(codes));
		if (!corrupt(&t, way, values, codes))
			continue;
		n_wrong++;
		if (proves(&t, values, codes))
			fail_msg("way %u: the row is proved", way);
	}
	assert_int_equal(n_wrong, N_FAULTS);
	tree_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
