/*
 * Rows on demand: a file of arcs is written, sealed and loaded again, and its
 * rows are those of Dijkstra's algorithm, with the predecessors of the tie
 * rule. Columns have the same paths as these rows. A row that is wrong is not
 * given away.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/rows/row_search.h"
#include "compute/rows/row_sweeps.h"
#include "daemon/base/checksum.h"
#include "tests/rows_fixture.h"

/* Faults of a search; __wrap_apsp_row_search_run() makes them. */
static uint32_t wrong_vertex = UINT32_MAX;
static int64_t wrong_by;

int __real_apsp_row_search_run(struct apsp_row_search *search,
	const struct apsp_row_arcs *arcs, uint32_t vertex, int64_t *out,
	struct apsp_err *err);
int __wrap_apsp_row_search_run(struct apsp_row_search *search,
	const struct apsp_row_arcs *arcs, uint32_t vertex, int64_t *out,
	struct apsp_err *err);

int __wrap_apsp_row_search_run(struct apsp_row_search *search,
	const struct apsp_row_arcs *arcs, uint32_t vertex, int64_t *out,
	struct apsp_err *err)
{
	int r = __real_apsp_row_search_run(search, arcs, vertex, out, err);

	if (wrong_vertex != UINT32_MAX)
		out[wrong_vertex] += wrong_by;
	return r;
}

static void arcs_put(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct apsp_prepared_graph *p = ctx;

	apsp_integers_row(&p->lengths, &p->integers, vertex, out);
}

static uint32_t tail_get(const struct apsp_row_graph *graph,
	const unsigned char *row, uint32_t j)
{
	uint32_t tail;

	apsp_in_arcs_tails(&graph->lengths, row, j, j + 1, &tail);
	return tail;
}

static bool has_bit(const unsigned char *bytes, uint32_t v)
{
	return bytes[v / 8] >> v % 8 & 1;
}

/* Check that the arcs of column t lead from s along the path whose predecessors
   are `ends`, the predecessors of source s. */
static void path_compare(const struct apsp_lengths *lengths,
	const uint32_t *column, const uint32_t *ends, uint32_t s, uint32_t t)
{
	uint32_t path[1024], n = 0;

	if (s == t || ends[t] >= lengths->n_vertices) {
		assert_int_equal(column[s], UINT32_MAX);
		return;
	}
	for (uint32_t v = t; v != s; v = ends[v]) {
		assert_true(n < sizeof(path) / sizeof(*path));
		path[n++] = v;
	}
	for (uint32_t v = s; n > 0; v = path[n]) {
		uint32_t arc = column[v];

		assert_true(arc >= lengths->offsets[v] &&
			    arc < lengths->offsets[v + 1]);
		if (lengths->heads[arc] != path[--n])
			fail_msg("from %u to %u, after %u: %u, not %u", s, t, v,
				lengths->heads[arc], path[n]);
	}
}

/* Compare all columns of the loaded file with the paths of Dijkstra's
   algorithm. */
static void columns_compare(
	const struct fixture *f, struct apsp_dijkstra *dijkstra)
{
	uint32_t n = f->graph.lengths.n_vertices;
	size_t size = apsp_demand_bytes(&f->graph.header, APSP_DEMAND_COLUMN);
	struct apsp_row_order *orders = calloc(n, sizeof(*orders));
	unsigned char *columns = malloc(n * size);
	int64_t *v = calloc(n, sizeof(*v));
	uint32_t *ends = calloc(n, sizeof(*ends));

	assert_true(orders && columns && v && ends);
	for (uint32_t t = 0; t < n; t++)
		orders[t] = (struct apsp_row_order){
			APSP_DEMAND_COLUMN, t, columns + t * size};
	apsp_row_solve(f->solver, orders, n, NULL, NULL);
	for (uint32_t t = 0; t < n; t++)
		assert_int_equal(orders[t].result, 0);
	for (uint32_t s = 0; s < n; s++) {
		apsp_dijkstra_run(dijkstra, s, v, NULL, ends);
		for (uint32_t t = 0; t < n; t++)
			path_compare(&f->graph.lengths,
				(const uint32_t *)(columns + t * size), ends, s,
				t);
	}
	free(orders);
	free(columns);
	free(v);
	free(ends);
}

/* Compare all rows of the loaded file with Dijkstra's algorithm. */
static void compare(const struct fixture *f)
{
	const struct apsp_row_graph *graph = &f->graph;
	const struct apsp_dijkstra_arcs arcs = {
		.n_vertices = f->prepared.lengths.n_vertices,
		.offsets = f->prepared.lengths.offsets,
		.ends = f->prepared.lengths.heads,
		.row = arcs_put,
		.ctx = &f->prepared};
	uint32_t n = arcs.n_vertices;
	size_t from = apsp_demand_bytes(&graph->header, APSP_DEMAND_FROM);
	size_t to = apsp_demand_bytes(&graph->header, APSP_DEMAND_TO);
	struct apsp_row_order *orders = calloc(2 * (size_t)n, sizeof(*orders));
	unsigned char *rows = calloc(n, from), *columns = calloc(n, to);
	int64_t *v = calloc(n, sizeof(*v));
	uint32_t *ends = calloc(n, sizeof(*ends));
	struct apsp_dijkstra *dijkstra;
	enum apsp_demand demand;
	size_t bits =
		apsp_demand_at(&graph->header, APSP_SECTION_CLOSURE, &demand);
	struct apsp_err err;

	assert_true(orders && rows && columns && v && ends);
	for (uint32_t s = 0; s < n; s++) {
		orders[s] = (struct apsp_row_order){
			APSP_DEMAND_FROM, s, rows + s * from};
		orders[n + s] = (struct apsp_row_order){
			APSP_DEMAND_TO, s, columns + s * to};
	}
	apsp_row_solve(f->solver, orders, n, NULL, NULL);
	apsp_row_solve(f->solver, orders + n, n, NULL, NULL);
	assert_int_equal(apsp_dijkstra_new(&arcs, &dijkstra, &err), 0);
	for (uint32_t s = 0; s < n; s++) {
		const unsigned char *row = rows + s * from;

		assert_int_equal(orders[s].result, 0);
		assert_int_equal(orders[n + s].result, 0);
		assert_true(orders[s].checksum ==
			    apsp_checksum(row, apsp_demand_bytes(&graph->header,
						       APSP_DEMAND_FROM)));
		apsp_dijkstra_run(dijkstra, s, v, NULL, ends);
		for (uint32_t j = 0; j < n; j++) {
			bool reached = v[j] != APSP_DIJKSTRA_INFINITY;

			if (tail_get(graph, row, j) != ends[j])
				fail_msg("predecessor of %u from %u: %u, not "
					 "%u",
					j, s, tail_get(graph, row, j), ends[j]);
			assert_int_equal(has_bit(row + bits, j), reached);
			assert_int_equal(has_bit(columns + j * to, s), reached);
		}
	}
	columns_compare(f, dijkstra);
	apsp_dijkstra_free(dijkstra);
	free(orders);
	free(rows);
	free(columns);
	free(v);
	free(ends);
}

static double real(uint32_t x)
{
	return 0.1 * (x % 9 + 1);
}

static double one(uint32_t x)
{
	return x % 1 + 1;
}

/* Long lengths: the scale is below the number of vertices. */
static double far(uint32_t x)
{
	return (x % 5 + 1) * 0x1p44;
}

static double (*const lengths_of[])(uint32_t x) = {whole, real, one, far};

static void test_rows_are_right(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lengths_of) / sizeof(*lengths_of); i++) {
		struct graph_fixture graph;

		random_make(&graph, N, 2, lengths_of[i]);
		load(f, &graph);
		assert_false(apsp_row_sweeps_pay(&f->graph));
		compare(f);
		unload(f);
		graph_fixture_done(&graph);
	}
}

static void test_rows_together(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(lengths_of) / sizeof(*lengths_of); i++) {
		struct graph_fixture graph;

		random_make(&graph, N, 9, lengths_of[i]);
		load(f, &graph);
		assert_int_equal(
			apsp_row_sweeps_pay(&f->graph), lengths_of[i] != far);
		compare(f);
		unload(f);
		graph_fixture_done(&graph);
	}
}

/* Paths of more arcs than the narrow scale, and a distance that does not fit 32
   bits: such rows are computed alone. */
static void test_rows_unfit(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;
	const uint32_t chain = 400;

	for (int i = 0; i < 2; i++) {
		random_make(&graph, N + chain, 0, whole);
		for (uint32_t v = 0; v < N * 40; v++)
			graph_fixture_add(&graph, v % N,
				(v * 7919 + v / N * 31) % N, 1 + v % 9);
		for (uint32_t v = N; v < N + chain; v++)
			graph_fixture_add(
				&graph, v - 1, v, i == 0 ? 1 : 0x1p20);
		load(f, &graph);
		assert_true(apsp_row_sweeps_pay(&f->graph));
		compare(f);
		unload(f);
		graph_fixture_done(&graph);
	}
}

static void test_negative(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;

	/* the lengths of a graph of `whole`, with potentials added */
	random_make(&graph, N, 2, whole);
	for (uint64_t a = 0; a < graph.graph.n_arcs; a++)
		graph.arcs[a].weight += (double)(graph.arcs[a].from % 5) -
					(double)(graph.arcs[a].to % 5);
	load(f, &graph);
	assert_non_null(f->graph.integers.potentials);
	compare(f);
	unload(f);
	graph_fixture_done(&graph);
}

static void test_small(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;

	graph_fixture_init(&graph, 1);
	load(f, &graph);
	compare(f);
	unload(f);
	graph_fixture_done(&graph);
}

/* Many arcs to one vertex: ranks of 8 bits do not suffice. */
static void test_hub(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;
	const uint32_t n = 70000, few = 300;

	graph_fixture_init(&graph, n);
	for (uint32_t v = 1; v < n; v++)
		graph_fixture_add(&graph, v - 1, v, 1);
	for (uint32_t v = 1; v <= few; v++)
		graph_fixture_add(&graph, v, 0, 2);
	load(f, &graph);
	assert_int_equal(f->graph.lengths.in.rank, APSP_ELEMENT_U16);
	assert_true(apsp_table_has_ranks(&f->graph.header));
	unload(f);
	graph_fixture_done(&graph);
}

/* Compute one row or column. Returns its result. */
static void order_solve(const struct fixture *f, struct apsp_row_order *order)
{
	order->out =
		calloc(1, apsp_demand_bytes(&f->graph.header, order->demand));
	assert_non_null(order->out);
	apsp_row_solve(f->solver, order, 1, NULL, NULL);
	free(order->out);
}

static int one_solve(
	const struct fixture *f, enum apsp_demand demand, uint32_t vertex)
{
	struct apsp_row_order order = {.demand = demand, .vertex = vertex};

	order_solve(f, &order);
	return order.result;
}

static void wrong_row(const struct fixture *f, enum apsp_demand demand)
{
	uint32_t vertex = f->prepared.lengths.heads[0];

	for (int i = 0; i < 4; i++) {
		wrong_by = i % 2 ? 1 : -1;
		wrong_vertex = i < 2 ? 0 : vertex;
		assert_int_equal(one_solve(f, demand, vertex), APSP_EPROOF);
	}
	wrong_vertex = UINT32_MAX;
	assert_int_equal(one_solve(f, demand, vertex), 0);
}

static void test_wrong_row(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;

	random_make(&graph, N, 2, whole);
	graph_fixture_add(&graph, graph.arcs[0].to, graph.arcs[0].from, 1);
	load(f, &graph);
	wrong_row(f, APSP_DEMAND_FROM);
	wrong_row(f, APSP_DEMAND_COLUMN);
	unload(f);
	graph_fixture_done(&graph);
}

/* V of a longer path: each vertex has a tight arc, and one arc is too short. */
static void test_wrong_detour(void **state)
{
	const enum apsp_demand demands[] = {
		APSP_DEMAND_FROM, APSP_DEMAND_COLUMN};
	struct fixture *f = *state;
	struct graph_fixture graph;

	graph_fixture_init(&graph, 3);
	graph_fixture_add(&graph, 0, 2, 1);
	graph_fixture_add(&graph, 0, 1, 1);
	graph_fixture_add(&graph, 1, 2, 5);
	load(f, &graph);
	for (int i = 0; i < 2; i++) {
		uint32_t vertex = i == 0 ? 0 : 2;

		wrong_vertex = 2 - vertex;
		wrong_by = 5 * f->graph.integers.scale + 1;
		assert_int_equal(one_solve(f, demands[i], vertex), APSP_EPROOF);
		wrong_vertex = UINT32_MAX;
	}
	unload(f);
	graph_fixture_done(&graph);
}

/* Path graphs in which the row of the first vertex, or the column of the last,
   does not fit 62 bits. The error says how to make the row fit. */
static void test_too_far(void **state)
{
	static const struct {
		uint32_t n;
		double first, others;
		const char *remedy;
	} cases[] = {{N, 0x1p51, 0x1p51, "divide the weights"},
		{1100, 1.5, 0x1p35, "raise the smallest lengths"}};
	struct fixture *f = *state;
	struct graph_fixture graph;
	const enum apsp_demand demands[] = {
		APSP_DEMAND_FROM, APSP_DEMAND_COLUMN};

	for (int i = 0; i < 8; i++) {
		enum apsp_demand demand = demands[i % 2];
		uint32_t n = cases[i / 4].n, vertex = i % 4 < 2 ? 0 : n - 1;
		bool far = (vertex == 0) == (demand == APSP_DEMAND_FROM);
		struct apsp_row_order order = {
			.demand = demand, .vertex = vertex};

		graph_fixture_init(&graph, n);
		graph_fixture_add(&graph, 0, 1, cases[i / 4].first);
		for (uint32_t v = 2; v < n; v++)
			graph_fixture_add(
				&graph, v - 1, v, cases[i / 4].others + v % 2);
		load(f, &graph);
		order_solve(f, &order);
		assert_int_equal(order.result, far ? APSP_EOVERFLOW : 0);
		if (far)
			assert_non_null(
				strstr(order.err.message, cases[i / 4].remedy));
		unload(f);
		graph_fixture_done(&graph);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_right),
		cmocka_unit_test(test_rows_together),
		cmocka_unit_test(test_rows_unfit),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_hub),
		cmocka_unit_test(test_wrong_row),
		cmocka_unit_test(test_wrong_detour),
		cmocka_unit_test(test_too_far),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
