/*
 * Rows on demand without a daemon: how long they take, and that they are right.
 *
 *	bench_rows WORD N [M]
 *
 * WORD is one of bench_graph.h. The program prepares the graph as a job with
 * tables=none does, loads its file as apsp-solve --rows does, and computes some
 * of the rows one after another, 5 at most, as many columns, and then all N
 * rows together. The sources are vertices with arcs, drawn at random. It
 * compares the predecessors of the first M rows (all) with those of Dijkstra's
 * algorithm. It prints seconds, and the peak of memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/rows/demand_file.h"
#include "compute/rows/row_solve.h"
#include "compute/solve/prepared_graph.h"
#include "daemon/base/clock.h"
#include "tests/bench/bench_graph.h"

enum {
	ROWS_MAX = 1000,
};

struct bench {
	struct apsp_prepared_graph prepared;
	struct apsp_row_graph graph;
	struct apsp_row_solver *solver;
	size_t row_bytes;
	unsigned char *rows;
	struct apsp_row_order orders[ROWS_MAX];
	double at_s; /* time at which the last step ended */
};

static void die(const char *why)
{
	fprintf(stderr, "bench_rows: %s\n", why);
	exit(1);
}

static void lap(struct bench *b, const char *step)
{
	double now_s = apsp_clock_s();
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	printf("%-24s %9.4f s   peak %6.2f GB\n", step, now_s - b->at_s,
		(double)use.ru_maxrss * 1024 / 1e9);
	fflush(stdout);
	b->at_s = apsp_clock_s();
}

/* Write the header's last fields, as the daemon does. */
static void seal(const char *path)
{
	char hash[APSP_HASH_SIZE];
	FILE *file = fopen(path, "r+");
	struct apsp_table_header header;

	memset(hash, 'a', sizeof(hash) - 1);
	hash[sizeof(hash) - 1] = '\0';
	if (!file || fread(&header, sizeof(header), 1, file) != 1)
		die("the file cannot be sealed");
	apsp_table_header_seal(&header, hash, hash);
	rewind(file);
	fwrite(&header, sizeof(header), 1, file);
	fclose(file);
}

static void load(struct bench *b, const char *word)
{
	struct apsp_prepared_graph *p = &b->prepared;
	struct apsp_negative_cycle cycle;
	struct apsp_err err;
	char dir[] = "/var/tmp/rows-XXXXXX", graph[64], tables[64];
	const struct apsp_demand_file file = {.path = tables,
		.lengths = &p->lengths,
		.integers = &p->integers,
		.components = &p->components,
		.on_cycle = &p->on_cycle,
		.precision = APSP_PRECISION_FLOAT32};

	if (!mkdtemp(dir))
		die("no directory");
	snprintf(graph, sizeof(graph), "%s/graph", dir);
	snprintf(tables, sizeof(tables), "%s/tables", dir);
	bench_graph_write(word, "", graph);
	b->at_s = apsp_clock_s();
	if (apsp_prepared_graph_open(graph, p, &err) < 0 ||
		apsp_prepared_graph_bare(p, &cycle, &err) < 0)
		die(err.message);
	lap(b, "lengths, components");
	if (apsp_demand_file_write(&file, &err) < 0)
		die(err.message);
	seal(tables);
	lap(b, "write");
	if (apsp_row_graph_open(tables, &b->graph, &err) < 0)
		die(err.message);
	if (apsp_row_solver_new(&b->graph, &b->solver, &err) < 0)
		die(err.message);
	lap(b, "load");
	unlink(graph);
	unlink(tables);
	rmdir(dir);
}

static void sources_draw(struct bench *b, int n)
{
	const uint64_t *offsets = b->graph.lengths.offsets;
	uint32_t n_vertices = b->graph.lengths.n_vertices;
	uint64_t state = 12345;

	for (int i = 0; i < n;) {
		uint32_t v;

		state = state * UINT64_C(6364136223846793005) +
			UINT64_C(1442695040888963407);
		v = (uint32_t)((state >> 32) % n_vertices);
		if (offsets[v] == offsets[v + 1])
			continue;
		b->orders[i] =
			(struct apsp_row_order){.demand = APSP_DEMAND_FROM,
				.vertex = v,
				.out = b->rows + (size_t)i * b->row_bytes};
		i++;
	}
}

/* Compute columns of the first n sources, one after another. */
static void columns_run(struct bench *b, int n)
{
	unsigned char *out =
		malloc(apsp_demand_bytes(&b->graph.header, APSP_DEMAND_COLUMN));

	if (!out)
		die("no memory");
	for (int i = 0; i < n; i++) {
		struct apsp_row_order order = {.demand = APSP_DEMAND_COLUMN,
			.vertex = b->orders[i].vertex,
			.out = out};

		apsp_row_solve(b->solver, &order, 1, NULL, NULL);
		if (order.result < 0)
			die(order.err.message);
		lap(b, "one column");
	}
	free(out);
}

static void arcs_put(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct apsp_prepared_graph *p = ctx;

	apsp_integers_row(&p->lengths, &p->integers, vertex, out);
}

static void rows_check(const struct bench *b, int n)
{
	const struct apsp_lengths *lengths = &b->graph.lengths;
	const struct apsp_dijkstra_arcs arcs = {
		.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = arcs_put,
		.ctx = &b->prepared};
	size_t n_vertices = lengths->n_vertices;
	int64_t *v = malloc(n_vertices * sizeof(*v));
	uint32_t *ends = malloc(n_vertices * sizeof(*ends));
	uint32_t *tails = malloc(n_vertices * sizeof(*tails));
	struct apsp_dijkstra *dijkstra;
	struct apsp_err err;

	if (!v || !ends || !tails ||
		apsp_dijkstra_new(&arcs, &dijkstra, &err) < 0)
		die("no memory");
	for (int i = 0; i < n; i++) {
		apsp_dijkstra_run(dijkstra, b->orders[i].vertex, v, NULL, ends);
		apsp_in_arcs_tails(lengths, b->orders[i].out, 0,
			lengths->n_vertices, tails);
		if (memcmp(tails, ends, n_vertices * sizeof(*tails)) != 0)
			die("a row differs from Dijkstra's");
	}
	apsp_dijkstra_free(dijkstra);
	free(v);
	free(ends);
	free(tails);
}

int main(int argc, char **argv)
{
	static struct bench b;
	int n = argc > 2 ? atoi(argv[2]) : 0, m = argc > 3 ? atoi(argv[3]) : n;
	char step[32];

	if (n < 1 || n > ROWS_MAX || m > n)
		return 2;
	load(&b, argv[1]);
	b.row_bytes = apsp_demand_bytes(&b.graph.header, APSP_DEMAND_FROM);
	b.rows = malloc((size_t)n * b.row_bytes);
	if (!b.rows)
		die("no memory");
	sources_draw(&b, n);
	for (int i = 0; i < n && i < 5; i++) {
		apsp_row_solve(b.solver, &b.orders[i], 1, NULL, NULL);
		lap(&b, "one row");
	}
	columns_run(&b, n < 5 ? n : 5);
	apsp_row_solve(b.solver, b.orders, (size_t)n, NULL, NULL);
	snprintf(step, sizeof(step), "%d rows", n);
	lap(&b, step);
	for (int i = 0; i < n; i++)
		if (b.orders[i].result < 0)
			die(b.orders[i].err.message);
	rows_check(&b, m);
	snprintf(step, sizeof(step), "%d rows of Dijkstra's", m);
	lap(&b, step);
	return 0;
}
