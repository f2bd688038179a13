/*
 * Searches in a graph of more than 2^20 vertices, whose rows are computed on
 * demand: paths of more than 2^20 arcs, sums that are exact, and lengths that
 * such a graph cannot sum exactly. The graph is a chain; one arc of the chain
 * passes over a vertex and is as long as the two arcs that it replaces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "compute/rows/demand_file.h"
#include "compute/rows/row_solve.h"
#include "storage/circuits/circuit.h"
#include "storage/search/k_paths.h"
#include "storage/search/tie_graph.h"
#include "storage/search/walk_search.h"
#include "storage/tables/tables.h"
#include "tests/search_fixture.h"

enum {
	N = (1 << 20) + 20000,
	MIDDLE = N / 2, /* the tail of the arc that passes over a vertex */
};

static const char hash[] = "00112233445566778899aabbccddeeff"
			   "00112233445566778899aabbccddeeff";

struct chain {
	struct search_fixture search;
	struct apsp_demand_row row; /* of vertex 0 */
	unsigned char *bytes;	    /* owned */
};

/* Compute the row of vertex 0. */
static void row_make(struct chain *c, const char *path)
{
	struct apsp_row_order order = {.demand = APSP_DEMAND_FROM};
	struct apsp_row_solver *solver = NULL;
	struct apsp_row_graph graph = {0};
	struct apsp_err err;

	assert_int_equal(apsp_row_graph_open(path, &graph, &err), 0);
	assert_int_equal(apsp_row_solver_new(&graph, &solver, &err), 0);
	c->bytes = calloc(
		1, apsp_demand_bytes(&graph.header, APSP_DEMAND_FROM) + 8);
	assert_non_null(c->bytes);
	order.out = c->bytes;
	apsp_row_solve(solver, &order, 1, NULL, NULL);
	assert_int_equal(order.result, 0);
	apsp_row_solver_free(solver);
	apsp_row_graph_done(&graph);
	atomic_store(&c->row.bytes, c->bytes);
	atomic_store(
		&c->search.tables->demand->of[APSP_DEMAND_FROM][0], &c->row);
}

/* Open a chain of n vertices without its arcs in memory. All arcs have the
   length `usual`, but the first arc has the length `first`. `with_row`: compute
   the row of vertex 0. */
static void chain_open(
	struct chain *c, uint32_t n, double usual, double first, bool with_row)
{
	struct apsp_prepared_graph prepared;
	struct apsp_negative_cycle cycle = {0};
	static const struct apsp_tables_watch nobody;
	struct search_fixture *f = &c->search;
	char dir[] = "/tmp/searches-XXXXXX", path[64];
	struct apsp_demand_file file = {.path = path,
		.lengths = &prepared.lengths,
		.integers = &prepared.integers,
		.components = &prepared.components,
		.on_cycle = &prepared.on_cycle,
		.precision = APSP_PRECISION_FLOAT64};
	struct apsp_err err;
	uint64_t checksum;

	memset(c, 0, sizeof(*c));
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/tables", dir);
	search_fixture_init(f, n);
	f->graph.graph.profile.duplicates = APSP_DUPLICATES_MIN;
	for (uint32_t v = 0; v + 1 < n; v++)
		graph_fixture_add(&f->graph, v, v + 1, v > 0 ? usual : first);
	graph_fixture_add(&f->graph, n / 2, n / 2 + 2, 2 * usual);
	prepared = (struct apsp_prepared_graph){.graph = f->graph.graph};
	assert_int_equal(apsp_prepared_graph_bare(&prepared, &cycle, &err), 0);
	assert_int_equal(apsp_demand_file_write(&file, &err), 0);
	assert_int_equal(apsp_table_seal(path, hash, hash, &checksum, &err), 0);
	assert_int_equal(
		apsp_tables_open(path, hash, hash, &nobody, &f->tables, &err),
		0);
	if (with_row)
		row_make(c, path);
	prepared.graph = (struct apsp_graph){0};
	apsp_prepared_graph_done(&prepared);
	unlink(path);
	rmdir(dir);
	assert_int_equal(apsp_adjacency_cache_new(1 << 30, &f->cache, &err), 0);
	assert_int_equal(apsp_adjacency_cache_open(
				 f->cache, f->tables, &f->shared, &err),
		0);
}

static int arcs_load(struct chain *c, struct apsp_err *err)
{
	struct search_fixture *f = &c->search;
	int r;

	while ((r = apsp_adjacency_cache_load(f->shared, f->tables, err)) > 0)
		continue;
	f->arcs = apsp_adjacency_cache_arcs(f->shared);
	return r;
}

static void chain_close(struct chain *c)
{
	search_fixture_done(&c->search);
	free(c->bytes);
}

static int large_setup(void **state)
{
	struct chain *c = malloc(sizeof(*c));

	assert_non_null(c);
	chain_open(c, N, 0.1, 0.1, true);
	assert_int_equal(arcs_load(c, NULL), 0);
	*state = c;
	return 0;
}

static int large_teardown(void **state)
{
	chain_close(*state);
	free(*state);
	return 0;
}

/* The exact length of the whole chain, rounded once. */
static double whole_length(void)
{
	return (double)((__float128)0.1 * (N - 1));
}

/* The two paths are equally long. The path that has fewer arcs comes first. */
static void test_k_paths(void **state)
{
	const struct chain *c = *state;
	const struct search_fixture *f = &c->search;
	struct apsp_search_work work = {.max_arcs = 20000000};
	const struct apsp_avoided none = {0};
	struct apsp_k_paths found = {0};
	struct apsp_err err;

	assert_int_equal(apsp_k_paths_begin(f->tables, f->arcs, 0, N - 1, 3,
				 &none, &found, &err),
		0);
	while (apsp_k_paths_step(&found, &work, &err) > 0)
		continue;
	assert_int_equal(found.n_paths, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct apsp_found_path *path = &found.paths[i];

		assert_int_equal(path->n_arcs, N - 2 + i);
		assert_int_equal(
			apsp_path_cost_arcs(&f->arcs->unit, path->cost),
			path->n_arcs);
		assert_true(apsp_path_cost_length(&f->arcs->unit, path->cost) ==
			    whole_length());
		for (uint32_t v = 0, at = 0; v < N; v++)
			if (i == 1 || v != MIDDLE + 1)
				assert_int_equal(path->vertices[at++], v);
	}
	apsp_k_paths_done(&found);
}

/* Without the arc that passes over a vertex, one path is left. */
static void test_avoid(void **state)
{
	const struct chain *c = *state;
	const struct search_fixture *f = &c->search;
	struct apsp_search_work work = {.max_arcs = 20000000};
	struct apsp_avoided avoided = {0};
	struct apsp_k_paths found = {0};
	struct apsp_err err;

	assert_int_equal(
		apsp_avoided_arc(&avoided, N, MIDDLE, MIDDLE + 2, &err), 0);
	assert_int_equal(apsp_k_paths_begin(f->tables, f->arcs, 0, N - 1, 1,
				 &avoided, &found, &err),
		0);
	while (apsp_k_paths_step(&found, &work, &err) > 0)
		continue;
	assert_int_equal(found.n_paths, 1);
	assert_int_equal(found.paths[0].n_arcs, N - 1);
	apsp_k_paths_done(&found);
	apsp_avoided_done(&avoided);
}

static void test_ties(void **state)
{
	const struct chain *c = *state;
	const struct search_fixture *f = &c->search;
	struct apsp_search_work work = {.max_arcs = 20000000};
	const struct apsp_avoided none = {0};
	struct apsp_tie_graph graph = {0};
	struct apsp_err err;

	assert_int_equal(apsp_tie_graph_begin(f->tables, f->arcs, 0, N - 1, 0,
				 &none, &graph, &err),
		0);
	while (apsp_tie_graph_step(&graph, &work, &err) > 0)
		continue;
	assert_true(graph.reachable && !graph.cyclic);
	assert_int_equal(graph.n_vertices, N);
	assert_int_equal(graph.n_arcs, N);
	assert_int_equal(graph.n_paths.n_words, 1);
	assert_int_equal(graph.n_paths.words[0], 2);
	assert_int_equal(
		apsp_path_cost_arcs(&f->arcs->unit, graph.cost), N - 2);
	apsp_tie_graph_done(&graph);
}

static void test_hops(void **state)
{
	const struct chain *c = *state;
	const struct search_fixture *f = &c->search;
	const struct apsp_avoided none = {0};

	for (uint32_t n_arcs = 3; n_arcs <= 5; n_arcs++) {
		struct apsp_search_work work = {.max_arcs = 20000000};
		struct apsp_walk_search search = {0};
		struct apsp_err err;

		assert_int_equal(
			apsp_walk_search_begin(f->arcs, MIDDLE, MIDDLE + 5,
				n_arcs, true, &none, &search, &err),
			0);
		while (apsp_walk_search_step(&search, &work, &err) > 0)
			continue;
		assert_int_equal(search.found, n_arcs > 3);
		if (search.found)
			assert_int_equal(search.n_walked, n_arcs);
		apsp_walk_search_done(&search);
	}
}

static void searches_refused(const struct search_fixture *f)
{
	const struct apsp_avoided none = {0};
	uint32_t ends[2] = {0, 2};
	struct apsp_circuit_question question = {.sources = ends,
		.n_sources = 1,
		.targets = ends + 1,
		.n_targets = 1,
		.max_arcs = 10};
	struct apsp_k_paths found;
	struct apsp_tie_graph graph;
	struct apsp_walk_search walk;
	struct apsp_circuit circuit;
	struct apsp_err err = {0};

	assert_int_equal(apsp_k_paths_begin(f->tables, f->arcs, 0, 2, 1, &none,
				 &found, &err),
		APSP_EDATA);
	assert_non_null(strstr(err.message, "exact"));
	assert_int_equal(apsp_tie_graph_begin(f->tables, f->arcs, 0, 2, 0,
				 &none, &graph, &err),
		APSP_EDATA);
	assert_int_equal(apsp_walk_search_begin(
				 f->arcs, 0, 2, 2, false, &none, &walk, &err),
		APSP_EDATA);
	for (int i = APSP_CIRCUIT_SLACK; i <= APSP_CIRCUIT_HOPS_EXACTLY; i++) {
		bool hops = i >= APSP_CIRCUIT_HOPS_MOST;
		int r;

		question.bound = i;
		question.n_arcs = hops ? 2 : 0;
		r = apsp_circuit_begin(
			&question, f->tables, f->arcs, 9, &circuit, &err);
		assert_int_equal(r, hops ? 0 : APSP_EDATA);
		if (hops)
			apsp_circuit_done(&circuit);
	}
}

/* Lengths from 2^-84 to 2 in one graph: costs have 123 bits in a graph of 1,000
   vertices, but 128 bits in the large one. There, searches that need exact sums
   are refused, and the arcs serve all other questions. */
static void test_inexact(void **state)
{
	(void)state;
	for (int large = 0; large < 2; large++) {
		const double first = 0x1.0000000000001p-32;
		struct apsp_err err = {0};
		struct chain c;
		int r;

		chain_open(&c, large ? N : 1000, 1, first, false);
		r = arcs_load(&c, &err);
		assert_int_equal(r, 0);
		if (large) {
			assert_true(apsp_adjacency_vertex(c.search.arcs, 0)
					    .out_strength == first);
			searches_refused(&c.search);
		} else {
			const struct apsp_path_cost_unit *unit =
				&c.search.arcs->unit;

			assert_int_equal(
				apsp_adjacency_needs_unit(c.search.arcs, &err),
				0);
			assert_true(apsp_path_cost_units(unit, first) ==
				    0x1.0000000000001p52);
		}
		chain_close(&c);
	}
}

/* A path of predecessors that does not begin at the source. */
static void test_damaged(void **state)
{
	enum { SMALL = 1000 };
	const struct apsp_avoided none = {0};
	struct apsp_k_paths found = {0};
	struct apsp_err err = {0};
	struct chain c;

	(void)state;
	chain_open(&c, SMALL, 0.1, 0.1, true);
	assert_int_equal(arcs_load(&c, &err), 0);
	/* the source has no predecessor; now another vertex has none either */
	assert_int_equal(
		c.search.tables->header.sections[APSP_SECTION_PREDECESSOR]
			.element,
		APSP_ELEMENT_U8);
	c.bytes[SMALL / 4] = c.bytes[0];
	assert_int_equal(apsp_k_paths_begin(c.search.tables, c.search.arcs, 0,
				 SMALL - 1, 2, &none, &found, &err),
		APSP_EDAMAGED);
	apsp_k_paths_done(&found);
	chain_close(&c);
}

static void test_arc_bits(void **state)
{
	static const struct {
		uint32_t n;
		int bits;
	} right[] = {
		{1, 20},
		{3013, 20},
		{1 << 20, 20},
		{(1 << 20) + 1, 21},
		{1 << 24, 24},
		{APSP_VERTICES_MAX, 25},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		assert_int_equal(
			apsp_path_cost_arc_bits(right[i].n), right[i].bits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_k_paths),
		cmocka_unit_test(test_avoid),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_hops),
		cmocka_unit_test(test_inexact),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_arc_bits),
	};

	return cmocka_run_group_tests(tests, large_setup, large_teardown);
}
