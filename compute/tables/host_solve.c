/*
 * Computes rows of the distance matrix by Dijkstra's algorithm on all
 * processors; see host_solve.h. The predecessors of a row always lead back to
 * the source. They could form a cycle only if the graph had a cycle of length
 * 0, and integers.h excludes such cycles.
 */
#include "compute/tables/host_solve.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "compute/graph/dijkstra.h"
#include "compute/graph/in_arcs.h"
#include "compute/graph/semiring.h"
#include "compute/graph/v_element.h"
#include "compute/parallel.h"
#include "compute/plan/footprint.h"
#include "compute/tables/sums.h"
#include "daemon/base/auto.h"

/* The scratch memory of one thread. */
struct hand {
	struct apsp_dijkstra *dijkstra;
	int64_t *v;
	uint32_t *tails;
};

struct host_solve {
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	enum apsp_element element; /* element type of the distance matrix V */
	/* computes the path sums; NULL: the table has integer distances, so no
	   path sums are needed */
	struct apsp_sums *sums;
	uint64_t strip; /* largest number of rows in a strip (row_strip.h) */
	/* `first` is the source of the first row of the current strip, and
	   `n_rows` is the strip's number of rows */
	uint32_t first;
	uint32_t n_rows;
	/* the strip's rows of the distance matrix V, if `distances` has path
	   sums instead of V; otherwise NULL */
	void *v;
	void *distances; /* the strip's rows of the table of distances: integer
			    distances, or path sums */
	void *predecessors;
	atomic_bool too_narrow;
	unsigned int width;
	struct hand hands[APSP_PARALLEL_MAX];
};

static void host_solve_done(struct host_solve *solve)
{
	for (unsigned int t = 0; t < solve->width; t++) {
		apsp_dijkstra_free(solve->hands[t].dijkstra);
		free(solve->hands[t].v);
		free(solve->hands[t].tails);
	}
	apsp_sums_free(solve->sums);
	free(solve->v);
	free(solve->distances);
	free(solve->predecessors);
}

static void arcs_put(const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct host_solve *solve = ctx;

	apsp_integers_row(solve->lengths, solve->integers, vertex, out);
}

static int host_solve_init(struct host_solve *solve,
	const struct apsp_sums_config *config, struct apsp_err *err)
{
	bool sums = config->integers->kind == APSP_DISTANCE_SUM;
	size_t n = config->lengths->n_vertices;
	const struct apsp_dijkstra_arcs arcs = {
		.n_vertices = config->lengths->n_vertices,
		.offsets = config->lengths->offsets,
		.ends = config->lengths->heads,
		.row = arcs_put,
		.ctx = solve,
		.widest = config->integers->kind == APSP_DISTANCE_WIDTH};
	int r = 0;

	/* Call apsp_host_solve_rows() only here and keep its result, because
	   the result depends on the number of processors, which can change. */
	solve->strip = apsp_host_solve_rows(n, config->lengths->n_arcs);
	solve->distances = malloc(solve->strip * n * sizeof(double) + 1);
	solve->predecessors = malloc(solve->strip * n * sizeof(uint32_t) + 1);
	if (sums)
		solve->v = malloc(solve->strip * n * sizeof(double) + 1);
	if (!solve->distances || !solve->predecessors || (sums && !solve->v))
		return apsp_fail(err, APSP_ENOMEM, "solve on the host");
	while (r >= 0 && solve->width < config->width) {
		struct hand *hand = &solve->hands[solve->width++];

		hand->v = malloc((n + 1) * sizeof(*hand->v));
		hand->tails = malloc((n + 1) * sizeof(*hand->tails));
		r = hand->v && hand->tails
			    ? apsp_dijkstra_new(&arcs, &hand->dijkstra, err)
			    : apsp_fail(err, APSP_ENOMEM, "solve on the host");
	}
	if (r >= 0 && sums)
		r = apsp_sums_open(config, &solve->sums, err);
	return r;
}

/* Whether each value in a row of the distance matrix fits the matrix's element
   type, and whether each path of the row has fewer arcs than the scale. */
static bool row_fits(
	const struct host_solve *solve, uint32_t source, const int64_t *v)
{
	uint32_t n = solve->lengths->n_vertices;
	bool small = apsp_integers_scale_is_small(solve->integers, n);
	int64_t infinity = apsp_v_element_infinity(solve->element);

	for (uint32_t j = 0; j < n; j++) {
		if (v[j] == APSP_DIJKSTRA_INFINITY)
			continue;
		if (v[j] >= infinity)
			return false;
		if (small && j != source && v[j] % solve->integers->scale == 0)
			return false;
	}
	return true;
}

/* Store the predecessors of a row in solve->predecessors, from index `at` on.
   `tails` has the predecessors as indices of vertices. If the table stores
   ranks, this function stores the ranks of these indices. */
static void row_store(
	const struct host_solve *solve, const uint32_t *tails, size_t at)
{
	const struct apsp_lengths *lengths = solve->lengths;
	uint32_t n = lengths->n_vertices;
	bool ranks = apsp_in_arcs_ranks(lengths);
	char *row = (char *)solve->predecessors +
		    at * apsp_element_size(apsp_in_arcs_element(lengths));

	for (uint32_t j = 0; j < n; j++)
		apsp_in_arcs_put(lengths, row, j,
			ranks && tails[j] < n
				? apsp_in_arcs_rank(&lengths->in, tails[j], j)
				: tails[j]);
}

/* Compute one row of integer distances and one row of predecessors, and store
   both rows in the strip (a block of rows that the threads fill together). If
   row_fits() returns false for the row, set too_narrow instead. */
static void row_solve(void *ctx, unsigned int thread, size_t row)
{
	struct host_solve *solve = ctx;
	struct hand *hand = &solve->hands[thread];
	uint32_t source = solve->first + (uint32_t)row;
	size_t n = solve->lengths->n_vertices, at = row * n;

	apsp_dijkstra_run(hand->dijkstra, source, hand->v, NULL, hand->tails);
	if (!row_fits(solve, source, hand->v)) {
		atomic_store(&solve->too_narrow, true);
		return;
	}
	apsp_v_element_store(solve->element, hand->v, n,
		(char *)(solve->sums ? solve->v : solve->distances) +
			at * apsp_element_size(solve->element));
	row_store(solve, hand->tails, at);
}

/* Compute the rows of the next strip (row_strip.h) and append them to the
   tables. */
static int strip_solve(struct host_solve *solve, struct apsp_progress *progress,
	struct apsp_table_rows *rows, struct apsp_err *err)
{
	const struct apsp_row_strip strip = {.first = solve->first,
		.n_rows = solve->n_rows,
		.distances = solve->distances,
		.predecessors = solve->predecessors};
	const struct apsp_sums_rows sums = {.first = solve->first,
		.n_rows = solve->n_rows,
		.predecessors = solve->predecessors,
		.v = solve->v};
	int r = 0;

	apsp_progress_stage(progress, APSP_STAGE_DISTANCE);
	apsp_parallel_for(solve->n_rows, solve->width, row_solve, solve);
	if (atomic_load(&solve->too_narrow))
		return APSP_VERDICT_TOO_NARROW;
	apsp_progress_stage(progress, APSP_STAGE_WRITE);
	if (solve->sums)
		r = apsp_sums_rows(solve->sums, &sums, solve->distances, err);
	return r == 0 ? apsp_table_rows_append(rows, &strip, err) : r;
}

int apsp_host_solve_run(struct apsp_table_rows *rows,
	struct apsp_progress *progress, struct apsp_err *err)
{
	const struct apsp_sums_config config = apsp_table_rows_sums(rows);
	APSP_AUTO(host_solve_done)
	struct host_solve solve = {.lengths = config.lengths,
		.integers = config.integers,
		.element = config.v};
	uint32_t n = config.lengths->n_vertices;
	int r = host_solve_init(&solve, &config, err);

	while (r == 0 && solve.first < n) {
		solve.n_rows = n - solve.first < solve.strip
				       ? n - solve.first
				       : (uint32_t)solve.strip;
		r = strip_solve(&solve, progress, rows, err);
		solve.first += solve.n_rows;
		if (r == 0)
			r = apsp_progress_step(
				progress, (double)solve.first / n, err);
	}
	return r;
}
