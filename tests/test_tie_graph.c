/*
 * The graph of all shortest paths of small random graphs against all paths
 * listed one by one; numbers of paths past 64 bits; tolerance.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "storage/search/tie_graph.h"
#include "tests/search_oracle.h"

enum {
	ROUNDS = 60, /* graphs of each kind */
};

static void find(const struct search_fixture *f, uint32_t from, uint32_t to,
	double tolerance, const struct apsp_avoided *avoided,
	struct apsp_tie_graph *out)
{
	struct apsp_search_work work = {.max_arcs = 100000000};
	struct apsp_err err;
	int r;

	assert_int_equal(apsp_tie_graph_begin(f->tables, f->arcs, from, to,
				 tolerance, avoided, out, &err),
		0);
	while ((r = apsp_tie_graph_step(out, &work, &err)) > 0)
		continue;
	assert_int_equal(r, 0);
}

static void check_count(const struct apsp_tie_graph *graph, const char *right)
{
	char text[APSP_PATH_COUNT_TEXT_SIZE];

	apsp_path_count_print(&graph->n_paths, text);
	assert_string_equal(text, right);
}

/* Every arc of a shortest path is in the graph, and no other. */
static void check_arcs(const struct oracle *o,
	const struct apsp_tie_graph *graph, size_t n_shortest)
{
	bool right[ORACLE_N][ORACLE_N] = {{false}}, vertex[ORACLE_N] = {false};
	uint64_t n_arcs = 0;
	uint32_t n_vertices = 0;

	for (size_t p = 0; p < n_shortest; p++)
		for (uint32_t i = 0; i <= o->paths[p].n_arcs; i++) {
			uint32_t v = o->paths[p].vertices[i];

			n_vertices += !vertex[v];
			vertex[v] = true;
			if (i == o->paths[p].n_arcs)
				break;
			n_arcs += !right[v][o->paths[p].vertices[i + 1]];
			right[v][o->paths[p].vertices[i + 1]] = true;
		}
	assert_int_equal(graph->n_vertices, n_vertices);
	assert_int_equal(graph->n_arcs, n_arcs);
	for (uint32_t i = 0; i < n_vertices; i++) {
		const struct apsp_tie_vertex *at =
			&graph->vertices[graph->order[i]];

		for (uint64_t a = at[0].first; a < at[1].first; a++) {
			const struct apsp_tie_vertex *head =
				&graph->vertices[graph->heads[a]];

			assert_true(right[at->vertex][head->vertex]);
			assert_true(head->layer > at->layer);
		}
	}
}

static size_t check_graph(const struct oracle *o,
	const struct search_fixture *f, const struct apsp_avoided *avoided)
{
	struct apsp_tie_graph graph = {0};
	size_t n = 0;
	char text[32];

	while (n < o->n_paths && o->paths[n].sum == o->paths[0].sum)
		n++;
	find(f, o->from, o->to, 0, avoided, &graph);
	assert_int_equal(graph.reachable, n > 0);
	if (n > 0) {
		assert_true(apsp_path_cost_length(&f->arcs->unit, graph.cost) ==
			    (double)o->paths[0].sum);
		assert_int_equal(
			apsp_path_cost_arcs(&f->arcs->unit, graph.cost),
			o->paths[0].n_arcs);
	}
	if (n > 0 && !graph.cyclic) {
		snprintf(text, sizeof(text), "%zu", n);
		check_count(&graph, text);
		check_arcs(o, &graph, n);
	}
	n = graph.cyclic ? 0 : n;
	apsp_tie_graph_done(&graph);
	return n;
}

struct counts {
	size_t most; /* shortest paths of one pair */
	size_t cyclic;
};

static void check_pair(
	struct oracle *o, const struct search_fixture *f, void *ctx)
{
	struct apsp_avoided none = {0}, some = {0};
	struct counts *counts = ctx;
	size_t n;

	oracle_list(o, o->n, true);
	n = check_graph(o, f, &none);
	counts->most = n > counts->most ? n : counts->most;
	counts->cyclic += n == 0 && o->n_paths > 0;
	/* only lengths of 0 make such cycles */
	assert_true(n > 0 || o->n_paths == 0 ||
		    (o->kind != ORACLE_HOPS && o->kind != ORACLE_POSITIVE));
	oracle_avoid(o, &some);
	oracle_list(o, o->n, true);
	check_graph(o, f, &some);
	apsp_avoided_done(&some);
}

static void against_all_paths(void **state)
{
	struct counts counts = {0};

	(void)state;
	oracle_pairs(1962, ROUNDS, check_pair, &counts);
	assert_true(counts.most > 5 && counts.cyclic > 5);
}

/* 300 diamonds in a row have 2^300 paths. */
static void many_paths(void **state)
{
	static const uint32_t diamonds[] = {63, 64, 300};
	/* 2^63, 2^64 and 2^300 */
	static const char *const right[] = {"9223372036854775808",
		"18446744073709551616",
		"20370359763344860862684456884093781610514683936659362506361404"
		"49354381299763336706183397376"};
	struct apsp_avoided none = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		uint32_t n = diamonds[i];
		char text[APSP_PATH_COUNT_TEXT_SIZE];
		struct apsp_tie_graph graph = {0};
		struct search_fixture f;

		search_fixture_init(&f, 3 * n + 1);
		for (uint32_t d = 0; d < n; d++)
			for (uint32_t side = 1; side < 3; side++) {
				graph_fixture_add(
					&f.graph, 3 * d, 3 * d + side, 1);
				graph_fixture_add(
					&f.graph, 3 * d + side, 3 * d + 3, 1);
			}
		assert_true(search_fixture_open(
			&f, APSP_TRANSFORM_HOPS, APSP_PRECISION_FLOAT32));
		find(&f, 0, 3 * n, 0, &none, &graph);
		apsp_path_count_print(&graph.n_paths, text);
		assert_string_equal(text, right[i]);
		assert_int_equal(graph.n_arcs, 4 * n);
		assert_int_equal(
			graph.vertices[graph.order[3 * n]].layer, 2 * n);
		apsp_tie_graph_done(&graph);
		search_fixture_done(&f);
	}
}

/* Numbers past 4,096 bits are given up, and stay so. */
static void too_many_paths(void **state)
{
	const struct apsp_path_count one = {
		.n_words = 1, .words = (uint64_t[]){1}};
	struct apsp_path_count a = {0}, b = {0};

	(void)state;
	assert_int_equal(apsp_path_count_add(&a, &one, NULL), 0);
	for (int bits = 0; bits < 5000; bits++) {
		assert_int_equal(a.too_many, bits >= 4096);
		apsp_path_count_done(&b);
		assert_int_equal(apsp_path_count_add(&b, &a, NULL), 0);
		assert_int_equal(apsp_path_count_add(&a, &b, NULL), 0);
	}
	apsp_path_count_done(&a);
	apsp_path_count_done(&b);
}

/* Two paths that differ in the last bits, and one by a millionth. */
static void tolerance(void **state)
{
	static const double tolerances[] = {0, 1e-12, 1e-5};
	struct apsp_avoided none = {0};
	struct search_fixture f;

	(void)state;
	search_fixture_init(&f, 6);
	graph_fixture_add(&f.graph, 0, 1, 0.1);
	graph_fixture_add(&f.graph, 1, 5, 0.2);
	graph_fixture_add(&f.graph, 0, 2, 0.3);
	graph_fixture_add(&f.graph, 2, 5, 1e-9);
	graph_fixture_add(&f.graph, 0, 3, 0.15);
	graph_fixture_add(&f.graph, 3, 5, 0.15 * (1 + 2e-6));
	graph_fixture_add(&f.graph, 0, 4, 0.1500001);
	graph_fixture_add(&f.graph, 4, 5, 0.2);
	graph_fixture_add(&f.graph, 0, 5, 0.1 + 0.2);
	for (int i = 0; i < 3; i++) {
		struct apsp_tie_graph graph = {0};

		if (!f.tables)
			assert_true(search_fixture_open(&f, APSP_TRANSFORM_NONE,
				APSP_PRECISION_FLOAT32));
		find(&f, 0, 5, tolerances[i], &none, &graph);
		check_count(&graph, i == 0 ? "1" : i == 1 ? "2" : "4");
		apsp_tie_graph_done(&graph);
	}
	search_fixture_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_paths),
		cmocka_unit_test(many_paths),
		cmocka_unit_test(too_many_paths),
		cmocka_unit_test(tolerance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
