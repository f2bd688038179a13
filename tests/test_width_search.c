/*
 * Widest paths, and widest walks with a limited number of arcs, in small random
 * graphs, against all walks listed one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "storage/search/walk_search.h"
#include "storage/search/width_search.h"
#include "tests/search_oracle.h"

enum {
	ROUNDS = 60,
	LONGEST = 5, /* arcs of walks */
};

/* The rank of a path: the highest rank of its arcs. The arcs' lengths are taken
   for ranks. */
static double rank_of(const struct oracle *o, const struct oracle_path *path)
{
	double rank = 0;

	for (uint32_t i = 0; i < path->n_arcs; i++)
		rank = fmax(rank,
			o->length[path->vertices[i]][path->vertices[i + 1]]);
	return rank;
}

/* Whether a is the better answer: wider, fewer arcs, lower from the end. */
static bool is_better(const struct oracle *o, const struct oracle_path *a,
	const struct oracle_path *b)
{
	double of_a = rank_of(o, a), of_b = rank_of(o, b);

	if (of_a != of_b)
		return of_a < of_b;
	if (a->n_arcs != b->n_arcs)
		return a->n_arcs < b->n_arcs;
	for (uint32_t i = a->n_arcs; i > 0; i--)
		if (a->vertices[i - 1] != b->vertices[i - 1])
			return a->vertices[i - 1] < b->vertices[i - 1];
	return false;
}

/* The best of the listed walks of at most, or of exactly, n_arcs arcs. */
static const struct oracle_path *best(
	const struct oracle *o, uint32_t n_arcs, bool exactly)
{
	const struct oracle_path *found = NULL;

	for (size_t i = 0; i < o->n_paths; i++) {
		const struct oracle_path *path = &o->paths[i];

		if (exactly ? path->n_arcs == n_arcs : path->n_arcs <= n_arcs)
			if (!found || is_better(o, path, found))
				found = path;
	}
	return found;
}

/* A random graph whose lengths are ranks. */
static void graph_open(struct oracle *o, struct search_fixture *f,
	uint64_t *seed, uint32_t n_weights)
{
	uint32_t dense = 1 + random_below(seed, 3);

	memset(o, 0, sizeof(*o));
	o->seed = seed;
	o->n = 4 + random_below(seed, ORACLE_N - 3);
	search_fixture_init(f, o->n);
	for (uint32_t i = 0; i < o->n; i++)
		for (uint32_t j = 0; j < o->n; j++) {
			if (i == j || random_below(seed, 4) > dense)
				continue;
			o->arc[i][j] = true;
			o->length[i][j] = 1 + random_below(seed, n_weights);
			graph_fixture_add(&f->graph, i, j, o->length[i][j]);
		}
	assert_true(search_fixture_open(
		f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT64));
}

static void search_to_end(struct apsp_width_search *search, uint64_t turn)
{
	struct apsp_search_work work = {.max_arcs = 1000000, .turn_arcs = turn};
	int r;

	while ((r = apsp_width_search_step(search, &work, NULL)) > 0)
		continue;
	assert_int_equal(r, 0);
	assert_true(work.bytes >=
		    apsp_width_search_first_bytes(search->arcs->n_vertices));
}

static void check_path(
	const struct oracle *o, struct apsp_width_search *search, uint64_t turn)
{
	const struct oracle_path *right = best(o, ORACLE_N, false);
	double rank = right ? rank_of(o, right) : (double)INFINITY;

	assert_int_equal(
		apsp_width_search_begin(search, o->from, o->to, rank, NULL), 0);
	search_to_end(search, turn);
	assert_int_equal(search->found, right != NULL);
	assert_true(search->rank == rank);
	if (!right)
		return;
	assert_int_equal(search->n_arcs, right->n_arcs);
	assert_memory_equal(search->vertices, right->vertices,
		(right->n_arcs + 1) * sizeof(uint32_t));
}

static void check_walk(struct oracle *o, const struct apsp_adjacency *arcs,
	uint32_t n_arcs, bool exactly, const struct apsp_avoided *avoided)
{
	const struct oracle_path *right = best(o, n_arcs, exactly);
	struct apsp_search_work work = {.max_arcs = 1000000, .turn_arcs = 3};
	struct apsp_walk_search walk = {0};
	int r;

	assert_int_equal(apsp_walk_search_begin(arcs, o->from, o->to, n_arcs,
				 exactly, avoided, &walk, NULL),
		0);
	walk.widest = true;
	while ((r = apsp_walk_search_step(&walk, &work, NULL)) > 0)
		continue;
	assert_int_equal(r, 0);
	assert_int_equal(walk.found, right != NULL);
	if (right) {
		assert_int_equal(walk.n_walked, right->n_arcs);
		assert_true(walk.cost == (apsp_path_cost)rank_of(o, right));
		assert_memory_equal(walk.vertices, right->vertices,
			(right->n_arcs + 1) * sizeof(uint32_t));
	}
	apsp_walk_search_done(&walk);
}

/* All pairs of a graph by one search, as in a batch. */
static void check_pairs(struct oracle *o, const struct search_fixture *f,
	const struct apsp_avoided *avoided, uint64_t turn)
{
	struct apsp_width_search search = {0};

	assert_int_equal(
		apsp_width_search_init(f->arcs, avoided, &search, NULL), 0);
	for (uint32_t pair = 0; pair < o->n * o->n; pair++) {
		o->from = pair / o->n;
		o->to = pair % o->n;
		if (o->avoided_vertex[o->from] || o->avoided_vertex[o->to])
			continue;
		oracle_list(o, ORACLE_N, true);
		check_path(o, &search, turn);
		oracle_list(o, LONGEST, false);
		for (uint32_t n = 0; pair % 5 == 0 && n <= LONGEST; n++) {
			check_walk(o, f->arcs, n, false, avoided);
			check_walk(o, f->arcs, n, true, avoided);
		}
	}
	apsp_width_search_done(&search);
}

static void against_all_walks(void **state)
{
	struct oracle *o = malloc(sizeof(*o));
	uint64_t seed = 1960;

	(void)state;
	assert_non_null(o);
	for (int round = 0; round < ROUNDS; round++) {
		struct apsp_avoided avoided = {0};
		struct search_fixture f;

		graph_open(o, &f, &seed, round % 3 ? 4 : 50);
		check_pairs(o, &f, &avoided, round % 2 ? 1 : 0);
		o->from = o->to = 0;
		oracle_avoid(o, &avoided);
		check_pairs(o, &f, &avoided, round % 2 ? 1 : 0);
		apsp_avoided_done(&avoided);
		search_fixture_done(&f);
	}
	free(o);
}

enum {
	LARGE = 120, /* vertices of a graph with long paths */
};

/* Arcs to near vertices, so that paths have many arcs. */
static void large_open(double rank[LARGE][LARGE], struct search_fixture *f,
	uint64_t *seed, uint32_t reach)
{
	for (int i = 0; i < LARGE * LARGE; i++)
		rank[i / LARGE][i % LARGE] = INFINITY;
	search_fixture_init(f, LARGE);
	for (uint32_t i = 0; i < LARGE; i++)
		for (int arc = 0; arc < 3; arc++) {
			uint32_t j =
				(i + LARGE - 2 + random_below(seed, reach)) %
				LARGE;

			if (i == j || rank[i][j] < INFINITY)
				continue;
			rank[i][j] = 1 + random_below(seed, 6);
			graph_fixture_add(&f->graph, i, j, rank[i][j]);
		}
	assert_true(search_fixture_open(
		f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT64));
}

/* Ranks of all pairs, by closing over each vertex in turn (Hu 1961). */
static void ranks_close(double rank[LARGE][LARGE], double best[LARGE][LARGE])
{
	memcpy(best, rank, LARGE * sizeof(*best));
	for (int k = 0; k < LARGE; k++)
		for (int i = 0; i < LARGE; i++)
			for (int j = 0; j < LARGE; j++)
				best[i][j] = fmin(best[i][j],
					fmax(best[i][k], best[k][j]));
}

/* The fewest arcs from `from` to each vertex, over arcs of at most a rank.
   LARGE: there is no path. */
static void arcs_count(double rank[LARGE][LARGE], uint32_t from, double most,
	uint32_t count[LARGE])
{
	for (int v = 0; v < LARGE; v++)
		count[v] = LARGE;
	count[from] = 0;
	for (uint32_t n = 0; n < LARGE; n++)
		for (int i = 0; i < LARGE; i++)
			for (int j = 0; count[i] == n && j < LARGE; j++)
				if (rank[i][j] <= most && count[j] == LARGE)
					count[j] = n + 1;
}

/* Each vertex of the path is the lowest one from which the path goes on. */
static void check_long(double rank[LARGE][LARGE],
	struct apsp_width_search *search, double most, uint64_t turn)
{
	uint32_t count[LARGE];

	assert_int_equal(apsp_width_search_begin(
				 search, search->from, search->to, most, NULL),
		0);
	search_to_end(search, turn);
	assert_int_equal(search->found, most < INFINITY);
	if (most == INFINITY)
		return;
	arcs_count(rank, search->from, most, count);
	assert_int_equal(search->n_arcs, count[search->to]);
	assert_int_equal(search->vertices[search->n_arcs], search->to);
	for (uint32_t i = search->n_arcs; i > 0; i--) {
		uint32_t head = search->vertices[i], tail = 0;

		while (count[tail] != i - 1 || rank[tail][head] > most)
			tail++;
		assert_int_equal(search->vertices[i - 1], tail);
	}
}

static void long_paths(void **state)
{
	static double rank[LARGE][LARGE], best_rank[LARGE][LARGE];
	uint64_t seed = 1961;
	uint32_t longest = 0;

	(void)state;
	for (uint32_t round = 0; round < 12; round++) {
		struct apsp_width_search search = {0};
		struct apsp_avoided none = {0};
		struct search_fixture f;

		large_open(rank, &f, &seed, 4 + 4 * round);
		ranks_close(rank, best_rank);
		assert_int_equal(
			apsp_width_search_init(f.arcs, &none, &search, NULL),
			0);
		for (uint32_t pair = 0; pair < LARGE * LARGE; pair += 13) {
			search.from = pair / LARGE;
			search.to = pair % LARGE;
			if (search.from == search.to)
				continue;
			check_long(rank, &search,
				best_rank[search.from][search.to], round % 2);
			if (search.n_arcs > longest)
				longest = search.n_arcs;
		}
		apsp_width_search_done(&search);
		search_fixture_done(&f);
	}
	assert_in_range(longest, 30, LARGE);
}

/* A table that claims a lower rank than any path has, and a limit that is too
   low. */
static void ends_without_path(void **state)
{
	struct apsp_search_work work = {.max_arcs = 1};
	struct apsp_width_search search = {0};
	struct apsp_avoided none = {0};
	struct search_fixture f;
	struct apsp_err err;

	(void)state;
	search_fixture_init(&f, 3);
	graph_fixture_add(&f.graph, 0, 1, 4);
	graph_fixture_add(&f.graph, 1, 2, 5);
	assert_true(search_fixture_open(
		&f, APSP_TRANSFORM_NONE, APSP_PRECISION_FLOAT64));
	assert_int_equal(
		apsp_width_search_init(f.arcs, &none, &search, NULL), 0);
	assert_int_equal(apsp_width_search_begin(&search, 0, 2, 4, NULL), 0);
	search_to_end(&search, 0);
	assert_false(search.found);
	assert_int_equal(apsp_width_search_begin(&search, 0, 2, 5, NULL), 0);
	assert_int_equal(
		apsp_width_search_step(&search, &work, &err), APSP_ESEARCH);
	/* the search can be used again, also when all stamps were used */
	search.stamp = UINT32_MAX;
	assert_int_equal(apsp_width_search_begin(&search, 0, 2, 5, NULL), 0);
	search_to_end(&search, 0);
	assert_true(search.found);
	assert_int_equal(search.n_arcs, 2);
	apsp_width_search_done(&search);
	search_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_walks),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(ends_without_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
