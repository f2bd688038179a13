/*
 * The host's proof of rows of widths by the paths by way of a root and by
 * predecessors: right rows pass; rows that are wrong in many ways, drawn by a
 * seed, do not. In some of them the vertices of a cycle hold up each other's
 * widths. Wrong paths from and to the root do not pass, either.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/graph/lengths.h"
#include "compute/graph/root_paths.h"
#include "compute/graph/root_widths.h"
#include "compute/graph/v_element.h"
#include "compute/tables/tail_tree.h"
#include "tests/table_cell.h"
#include "tests/widest_oracle.h"
#include "tests/table_widths.h"

enum {
	N = 301, /* more than the columns that are decoded at a time */
	N_FAULTS = 400,
	NARROW = 6, /* the way of faults by narrow_make() */
};

#define NONE UINT32_MAX

/* A graph and one right row of it. */
struct tree {
	struct graph_fixture g;
	struct widest_oracle o;
	struct apsp_lengths lengths;
	struct apsp_root_paths paths;
	struct apsp_root_widths root;
	struct apsp_tail_tree tree;
	uint32_t source;
	uint32_t values[N]; /* ranks; NONE: no path */
	uint32_t codes[N];  /* ranks of the last arcs; NONE: none */
	enum apsp_element element;
	uint64_t state;
};

static uint32_t rank_of(const struct tree *t, double weight)
{
	return (uint32_t)table_rank_of(
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

/* V of the path by way of the root from the source to j. */
static uint32_t bound_at(const struct tree *t, uint32_t j)
{
	uint32_t to = apsp_root_widths_at(t->element, t->root.to, t->source);
	uint32_t from = apsp_root_widths_at(t->element, t->root.from, j);
	uint32_t bound = to > from ? to : from;
	uint32_t infinity = (uint32_t)(t->element == APSP_ELEMENT_U16
					       ? APSP_V_INFINITY_U16
					       : APSP_V_INFINITY_I32);

	return bound == infinity ? NONE : bound;
}

static void root_init(struct tree *t)
{
	const struct apsp_integers integers = {
		.kind = APSP_DISTANCE_WIDTH, .scale = 1, .unit = 1};

	assert_int_equal(apsp_root_paths_find(
				 &t->lengths, &integers, NULL, &t->paths, NULL),
		0);
	assert_int_equal(apsp_root_widths_make(&t->lengths, &t->lengths,
				 &t->paths, t->element, &t->root, NULL),
		0);
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
	assert_int_equal(apsp_in_arcs_build(&t->lengths, NULL), 0);
	root_init(t);
	apsp_in_arcs_settle(&t->lengths, APSP_DISTANCE_WIDTH);
	assert_int_equal(
		apsp_tail_tree_init(&t->lengths, &t->root, 2, &t->tree, NULL),
		0);
	t->source = random_below(&t->state, N);
	row_make(t);
}

static void tree_done(struct tree *t)
{
	apsp_tail_tree_done(&t->tree);
	apsp_root_widths_done(&t->root);
	apsp_root_paths_done(&t->paths);
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
	return apsp_tail_tree_proves(&t->tree, 1, t->source, cells, tails);
}

static uint32_t vertex_draw(struct tree *t)
{
	uint32_t j = random_below(&t->state, N);

	return j == t->source ? (j + 1) % N : j;
}

/* Draw a vertex whose V is less than the bound by way of the root. */
static uint32_t other_draw(struct tree *t)
{
	uint32_t j = vertex_draw(t);

	while (t->values[j] == bound_at(t, j) || j == t->source)
		j = vertex_draw(t);
	return j;
}

/*
 * Follow arcs backwards from a random vertex until a vertex comes again, and
 * let the vertices of this cycle be each other's tails, as wide as the cycle's
 * narrowest arc. False: none of them is wider than before.
 */
static bool cycle_make(struct tree *t, uint32_t *values, uint32_t *codes)
{
	const struct apsp_lengths *l = &t->lengths;
	uint32_t at[N] = {0}, path[N + 1], arcs[N + 1], length, worst = 0;
	uint32_t v = vertex_draw(t);
	bool wider = false;

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
	for (uint32_t k = at[v] - 1; k < length; k++)
		wider |= worst < values[path[k]];
	for (uint32_t k = at[v] - 1; wider && k < length; k++) {
		values[path[k]] = worst;
		codes[path[k]] = arcs[k];
	}
	return wider;
}

/* Let a vertex be narrower than its path by way of the root, by an arc that
   yields its V. False: it has no such arc. */
static bool narrow_make(struct tree *t, uint32_t *values, uint32_t *codes)
{
	const struct apsp_in_arcs *in = &t->lengths.in;
	uint32_t j = vertex_draw(t);

	for (uint64_t a = in->offsets[j]; a < in->offsets[j + 1]; a++) {
		uint32_t tail = values[in->tails[a]];
		uint32_t rank = (uint32_t)t->lengths.lengths[in->arcs[a]];

		rank = rank > tail ? rank : tail;
		if (rank == NONE || rank <= bound_at(t, j))
			continue;
		values[j] = rank;
		codes[j] = (uint32_t)(a - in->offsets[j]);
		return true;
	}
	return false;
}

/* Make a row wrong in one of several ways; false: it did not become wrong. */
static bool corrupt(
	struct tree *t, unsigned int way, uint32_t *values, uint32_t *codes)
{
	uint32_t j = vertex_draw(t);
	uint32_t other = way % 8 == NARROW ? j : other_draw(t);
	uint64_t n =
		t->lengths.in.offsets[other + 1] - t->lengths.in.offsets[other];

	switch (way % 8) {
	case 0:
		values[j] = values[j] == NONE ? 1 : values[j] - 1;
		return true;
	case 1: /* a vertex without a path by way of the root is proved by the
		   closure */
		if (values[j] != NONE && bound_at(t, j) == NONE)
			values[j]--;
		else
			values[j] = values[j] == NONE ? 1 : NONE;
		return true;
	case 2: /* a rank that no arc has */
		codes[other] = (uint32_t)n;
		return true;
	case 3:
		codes[other] = NONE;
		return true;
	case 4:
		values[t->source] = 1;
		return true;
	case 5:
		codes[t->source] = codes[other];
		return true;
	case NARROW:
		for (int tries = 0; tries < 1000; tries++)
			if (narrow_make(t, values, codes))
				return true;
		return false;
	default:
		for (int tries = 0; tries < 1000; tries++)
			if (cycle_make(t, values, codes))
				return true;
		return false;
	}
}

/* Let the source be the vertex whose widest arc is narrowest: then many cycles
   are wider than the paths from it. */
static void source_choose(struct tree *t)
{
	uint32_t most = 0;

	for (uint32_t u = 0; u < N; u++) {
		uint32_t least = NONE;

		for (uint64_t e = t->lengths.offsets[u];
			e < t->lengths.offsets[u + 1]; e++) {
			uint32_t rank = (uint32_t)t->lengths.lengths[e];

			least = rank < least ? rank : least;
		}
		if (least != NONE && least > most) {
			most = least;
			t->source = u;
		}
	}
	row_make(t);
}

/* Return V of a pair, from the oracle. */
static int64_t oracle_rank(const struct tree *t, uint32_t i, uint32_t j)
{
	double width = t->o.width[(size_t)i * N + j];

	return isinf(width) ? 0
	       : width > 0  ? rank_of(t, width)
			    : APSP_V_NOWHERE;
}

/* Let `root` be the root. */
static void root_set(struct tree *t, uint32_t root)
{
	for (uint32_t v = 0; v < N; v++) {
		int64_t to = oracle_rank(t, v, root);
		int64_t from = oracle_rank(t, root, v);

		apsp_v_element_store(t->element, &to, 1,
			(char *)t->root.to + v * apsp_element_size(t->element));
		apsp_v_element_store(t->element, &from, 1,
			(char *)t->root.from +
				v * apsp_element_size(t->element));
	}
}

/* Of each eighth vertex that the source reaches, choose the root by way of
   which the fewest paths of the row are widest. Return this root. */
static uint32_t root_choose(struct tree *t, uint32_t *out_others)
{
	uint32_t most = 0, worst = t->source;

	for (uint32_t root = 0; root < N; root += 8) {
		uint32_t n = 0;

		if (t->values[root] == NONE)
			continue;
		root_set(t, root);
		for (uint32_t j = 0; j < N; j++)
			n += j != t->source && t->values[j] != bound_at(t, j);
		if (n > most) {
			most = n;
			worst = root;
		}
	}
	root_set(t, worst);
	*out_others = most;
	return worst;
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
				uint32_t others;

				/* its ranks do not fit u16 */
				if (density == WIDEST_FULL && e == 0)
					continue;
				tree_init(&t, kind, density, elements[e],
					1 + 10 * (size_t)kind +
						(size_t)density);
				assert_true(proves(&t, t.values, t.codes));
				root_choose(&t, &others);
				assert_true(proves(&t, t.values, t.codes));
				tree_done(&t);
			}
}

static void test_faults(void **state)
{
	struct tree t;
	unsigned int n_wrong = 0;
	uint32_t root, others;

	(void)state;
	tree_init(&t, WIDEST_COUNTS, WIDEST_SPARSE, APSP_ELEMENT_U16, 77);
	source_choose(&t);
	root = root_choose(&t, &others);
	assert_true(others > N / 4);
	for (unsigned int way = 0; way < N_FAULTS; way++) {
		uint32_t values[N], codes[N];

		memcpy(values, t.values, sizeof(values));
		memcpy(codes, t.codes, sizeof(codes));
		/* by way of a good root, many arcs are narrower */
		root_set(&t, way % 8 == NARROW ? t.paths.root : root);
		if (!corrupt(&t, way, values, codes))
			continue;
		n_wrong++;
		if (proves(&t, values, codes))
			fail_msg("way %u: the row is proved", way);
	}
	assert_int_equal(n_wrong, N_FAULTS);
	tree_done(&t);
}

/* Change one value or one number of arcs; the paths are then wrong, unless a
   path from or to the vertex has the value, too. */
static void test_root(void **state)
{
	struct tree t;
	unsigned int n_wrong = 0;

	(void)state;
	tree_init(&t, WIDEST_REAL, WIDEST_SPARSE, APSP_ELEMENT_I32, 78);
	for (unsigned int way = 0; way < N_FAULTS; way++) {
		struct apsp_root_side *side =
			way & 1 ? &t.paths.to : &t.paths.from;
		struct apsp_root_widths made = {0};
		uint32_t j = random_below(&t.state, N);
		int64_t value = side->distances[j];
		uint32_t hops = side->hops[j];
		int r;

		if (value == APSP_DIJKSTRA_INFINITY)
			side->distances[j] = 1;
		else if (way & 2)
			side->distances[j] += j == t.paths.root ? 1 : -1;
		else if (j != t.paths.root)
			side->hops[j] = 0; /* no path has fewer arcs */
		else
			side->distances[j] = APSP_DIJKSTRA_INFINITY;
		r = apsp_root_widths_make(&t.lengths, &t.lengths, &t.paths,
			t.element, &made, NULL);
		n_wrong += r == APSP_EPROOF;
		if (r != APSP_EPROOF)
			fail_msg("way %u: the paths are proved", way);
		side->distances[j] = value;
		side->hops[j] = hops;
	}
	assert_int_equal(n_wrong, N_FAULTS);
	tree_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
