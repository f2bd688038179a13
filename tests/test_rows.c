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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/rows/demand_file.h"
#include "compute/rows/row_search.h"
#include "compute/rows/row_solve.h"
#include "compute/rows/row_sweeps.h"
#include "compute/solve/prepared_graph.h"
#include "daemon/base/checksum.h"
#include "tests/graph_fixture.h"
#include "tests/processors.h"

enum {
	N = 130, /* not a multiple of 64 */
};

struct fixture {
	char dir[64];
	char path[80];
	struct apsp_prepared_graph prepared;
	struct apsp_row_graph graph;
	struct apsp_row_solver *solver;
};

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

static int make_dir(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)processors_pin(4); /* so that each thread gets many rows */
	snprintf(f->dir, sizeof(f->dir), "/tmp/rows-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/tables", f->dir);
	*state = f;
	return 0;
}

static int remove_dir(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

/* Add the header's last fields, as the daemon does. */
static void seal(const char *path)
{
	static const char hash[APSP_HASH_SIZE] =
		"0123456789abcdef0123456789abcdef"
		"0123456789abcdef0123456789abcdef";
	FILE *file = fopen(path, "r+");
	struct apsp_table_header header;

	assert_non_null(file);
	assert_int_equal(fread(&header, sizeof(header), 1, file), 1);
	apsp_table_header_seal(&header, hash, hash);
	rewind(file);
	assert_int_equal(fwrite(&header, sizeof(header), 1, file), 1);
	fclose(file);
}

static int file_write(const struct fixture *f)
{
	const struct apsp_prepared_graph *p = &f->prepared;
	const struct apsp_demand_file file = {.path = f->path,
		.lengths = &p->lengths,
		.integers = &p->integers,
		.components = &p->components,
		.on_cycle = &p->on_cycle,
		.precision = APSP_PRECISION_FLOAT32};

	return apsp_demand_file_write(&file, NULL);
}

/* Prepare the graph as a job with tables=none does, write the file and load
   it. */
static void load(struct fixture *f, const struct graph_fixture *graph)
{
	struct apsp_prepared_graph *p = &f->prepared;
	struct apsp_negative_cycle cycle = {0};
	struct apsp_err err;

	*p = (struct apsp_prepared_graph){.graph = graph->graph};
	assert_int_equal(apsp_prepared_graph_bare(p, &cycle, &err), 0);
	apsp_negative_cycle_done(&cycle);
	assert_int_equal(file_write(f), 0);
	seal(f->path);
	assert_int_equal(apsp_row_graph_open(f->path, &f->graph, &err), 0);
	assert_int_equal(apsp_row_solver_new(&f->graph, &f->solver, &err), 0);
}

static void unload(struct fixture *f)
{
	apsp_row_solver_free(f->solver);
	apsp_row_graph_done(&f->graph);
	f->prepared.graph = (struct apsp_graph){0};
	apsp_prepared_graph_done(&f->prepared);
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

static double whole(uint32_t x)
{
	return x % 7;
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

/* A random graph. With two arcs a vertex, many pairs have no path; with more,
   rows are computed together. Many paths are equally short. */
static void random_make(struct graph_fixture *graph, uint32_t n,
	uint32_t degree, double (*length)(uint32_t x))
{
	uint32_t x = 12345;

	graph_fixture_init(graph, n);
	for (uint32_t i = 0; i < degree * n; i++) {
		uint32_t from, to;

		x = x * 1664525 + 1013904223;
		from = (x >> 8) % n;
		x = x * 1664525 + 1013904223;
		to = (x >> 8) % n;
		graph_fixture_add(graph, from, to, length(x >> 16));
	}
	graph->graph.profile.duplicates = APSP_DUPLICATES_MIN;
}

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

static void wrong_row(struct fixture *f, enum apsp_demand demand)
{
	struct apsp_row_order order = {
		.demand = demand, .vertex = f->prepared.lengths.heads[0]};

	order.out = calloc(1, apsp_demand_bytes(&f->graph.header, demand));
	assert_non_null(order.out);
	for (int i = 0; i < 4; i++) {
		wrong_by = i % 2 ? 1 : -1;
		wrong_vertex = i < 2 ? 0 : order.vertex;
		apsp_row_solve(f->solver, &order, 1, NULL, NULL);
		assert_int_equal(order.result, APSP_EPROOF);
	}
	wrong_vertex = UINT32_MAX;
	apsp_row_solve(f->solver, &order, 1, NULL, NULL);
	assert_int_equal(order.result, 0);
	free(order.out);
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
		struct apsp_row_order order = {
			.demand = demands[i], .vertex = i == 0 ? 0 : 2};

		order.out = calloc(
			1, apsp_demand_bytes(&f->graph.header, demands[i]));
		assert_non_null(order.out);
		wrong_vertex = 2 - order.vertex;
		wrong_by = 5 * f->graph.integers.scale + 1;
		apsp_row_solve(f->solver, &order, 1, NULL, NULL);
		wrong_vertex = UINT32_MAX;
		assert_int_equal(order.result, APSP_EPROOF);
		free(order.out);
	}
	unload(f);
	graph_fixture_done(&graph);
}

static void test_too_far(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;
	const enum apsp_demand demands[] = {
		APSP_DEMAND_FROM, APSP_DEMAND_COLUMN};

	graph_fixture_init(&graph, N);
	for (uint32_t v = 1; v < N; v++)
		graph_fixture_add(&graph, v - 1, v, 0x1p51 + v % 2);
	load(f, &graph);
	for (int i = 0; i < 4; i++) {
		enum apsp_demand demand = demands[i % 2];
		struct apsp_row_order order = {
			.demand = demand, .vertex = i < 2 ? 0 : N - 1};
		bool far = (order.vertex == 0) == (demand == APSP_DEMAND_FROM);

		order.out =
			calloc(1, apsp_demand_bytes(&f->graph.header, demand));
		assert_non_null(order.out);
		apsp_row_solve(f->solver, &order, 1, NULL, NULL);
		assert_int_equal(order.result, far ? APSP_EOVERFLOW : 0);
		free(order.out);
	}
	unload(f);
	graph_fixture_done(&graph);
}

static void test_wrong_components(void **state)
{
	struct fixture *f = *state;
	struct graph_fixture graph;
	struct apsp_components *c = &f->prepared.components;
	uint32_t kept, n_wrong = 0;

	random_make(&graph, N, 2, whole);
	load(f, &graph);
	for (uint32_t v = 0; v < N; v++) {
		/* a vertex more in its own component, or one less */
		bool alone =
			c->offsets[c->of[v] + 1] - c->offsets[c->of[v]] == 1;
		uint32_t next = (c->of[v] + 1) % c->n_components;

		if (alone && c->offsets[next + 1] - c->offsets[next] == 1)
			continue; /* the vertices may be numbered anyhow */
		kept = c->of[v];
		c->of[v] = next;
		assert_int_equal(file_write(f), APSP_EPROOF);
		c->of[v] = kept;
		n_wrong++;
	}
	assert_true(n_wrong > N / 4);
	assert_int_equal(file_write(f), 0);
	unload(f);
	graph_fixture_done(&graph);
}

static void test_damaged_file(void **state)
{
	struct fixture *f = *state;
	struct apsp_row_graph again = {0};
	struct graph_fixture graph;
	struct apsp_err err;
	FILE *file;

	random_make(&graph, N, 2, whole);
	load(f, &graph);
	file = fopen(f->path, "r+");
	assert_non_null(file);
	fseek(file,
		(long)f->graph.header.sections[APSP_SECTION_ARC_LENGTHS].offset,
		SEEK_SET);
	fputc(1, file);
	fclose(file);
	assert_int_equal(
		apsp_row_graph_open(f->path, &again, &err), APSP_EDAMAGED);
	unload(f);
	graph_fixture_done(&graph);
}

/* A file whose lengths no job accepts, as an older apspd may have written it.
 */
static void test_refused_lengths(void **state)
{
	struct fixture *f = *state;
	struct apsp_row_graph again = {0};
	struct graph_fixture graph;
	struct apsp_err err;

	graph_fixture_init(&graph, 4);
	graph_fixture_add(&graph, 0, 1, 0.5);
	graph_fixture_add(&graph, 1, 2, 0);
	graph_fixture_add(&graph, 2, 3, 4);
	load(f, &graph);
	f->prepared.lengths.lengths[2] = 0x1p40;
	assert_int_equal(file_write(f), 0);
	seal(f->path);
	assert_int_equal(
		apsp_row_graph_open(f->path, &again, &err), APSP_EDAMAGED);
	unload(f);
	graph_fixture_done(&graph);
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
		cmocka_unit_test(test_wrong_components),
		cmocka_unit_test(test_damaged_file),
		cmocka_unit_test(test_refused_lengths),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
