/*
 * Searches from vertices, proves the results, and stores them as rows; see
 * row_solve.h.
 */
#include "compute/rows/row_solve.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"
#include "compute/rows/row_column.h"
#include "compute/rows/row_search.h"
#include "compute/rows/row_sweeps.h"
#include "daemon/base/auto.h"
#include "daemon/base/bit_set.h"
#include "daemon/base/checksum.h"

enum {
	/* when arc a is read, the distance of the tail of arc a + AHEAD is
	   prefetched */
	AHEAD = 16,
	/* number of vertices that one call of block_prove() proves; a multiple
	   of 64, so that no two calls write to the same word of bits */
	BLOCK = 16384,
};

/* The memory that one thread reuses for all its rows. */
struct hand {
	struct apsp_row_search search;
	struct apsp_row_column column;
	struct apsp_row_sweeps *sweeps;
	int64_t *v;
	uint32_t *queue; /* the vertices that a search has found, in the order
			    of finding; a search for a column uses the array as
			    its stack */
};

struct apsp_row_solver {
	const struct apsp_row_graph *graph;
	unsigned int width;
	struct hand hands[APSP_PARALLEL_MAX];
	/* the orders (requests to compute rows, row_order.h) of the current
	   call of apsp_row_solve() */
	struct apsp_row_order *orders;
	size_t n;
	void (*done)(void *ctx, const struct apsp_row_order *order);
	void *ctx;
	pthread_mutex_t done_lock; /* locked during each call of done() */
	size_t together; /* number of rows that a thread computes together by
			    sweeps; 1: each row is computed by a search */
};

static int hand_open(const struct apsp_row_graph *graph, struct hand *hand,
	struct apsp_err *err)
{
	size_t n = graph->lengths.n_vertices;

	if (!hand->v)
		hand->v = malloc((n + 1) * sizeof(*hand->v));
	if (!hand->queue)
		hand->queue = malloc((n + 1) * sizeof(*hand->queue));
	return hand->v && hand->queue
		       ? 0
		       : apsp_fail(err, APSP_ENOMEM,
				 "no memory for a row of %zu vertices", n);
}

static void hand_done(struct hand *hand)
{
	apsp_row_search_done(&hand->search);
	apsp_row_sweeps_free(hand->sweeps);
	free(hand->v);
	free(hand->queue);
	free(hand->column.tight);
}

/* Each arc to a vertex gives a sum: the integer distance of its tail plus the
   arc's integer length. This struct has the minimum of these sums, and the
   first arc that gives it. */
struct tightest {
	int64_t v;
	uint64_t arc; /* an index in lengths.in */
};

static inline struct tightest tightest_find(
	const struct apsp_row_graph *graph, const int64_t *v, uint32_t j)
{
	const struct apsp_in_arcs *in = &graph->lengths.in;
	struct tightest found = {.v = APSP_ROW_SEARCH_INFINITY};
	uint64_t n_arcs = graph->lengths.n_arcs;

	for (uint64_t a = in->offsets[j]; a < in->offsets[j + 1]; a++) {
		int64_t from = v[in->tails[a]];

		/* Arc a + AHEAD may lead to a later vertex than j. Even then
		   the prefetch helps, because the arcs of the later vertex are
		   read soon. */
		if (a + AHEAD < n_arcs)
			__builtin_prefetch(&v[in->tails[a + AHEAD]]);
		if (from != APSP_ROW_SEARCH_INFINITY &&
			from + graph->in_values[a] < found.v)
			found = (struct tightest){
				from + graph->in_values[a], a};
	}
	return found;
}

/* The data of the parallel loop that proves the integer distance of each vertex
   and stores a row. */
struct proving {
	const struct apsp_row_graph *graph;
	uint32_t source;
	const int64_t *v;
	unsigned char *out;
	uint64_t *bits;
	bool scaled; /* true: some path may have as many arcs as the scale of
			the integers, or more. The integer distance of such a
			path would be wrong, so the loop checks the number of
			arcs of each path. */
	atomic_int fault; /* 0: none; else APSP_EOVERFLOW or APSP_EPROOF */
};

static void vertex_prove(struct proving *p, uint32_t j)
{
	int64_t v = p->v[j], scale = p->graph->integers.scale;
	struct tightest last = tightest_find(p->graph, p->v, j);
	bool far = v == APSP_ROW_SEARCH_INFINITY;

	if (j == p->source)
		last.v = APSP_ROW_SEARCH_INFINITY;
	else if (last.v != v)
		atomic_store(&p->fault, far ? APSP_EOVERFLOW : APSP_EPROOF);
	else if (p->scaled && !far && v % scale == 0)
		atomic_store(&p->fault, APSP_EOVERFLOW);
	apsp_row_order_store(p->graph, j, last.v != APSP_ROW_SEARCH_INFINITY,
		last.arc, p->out);
	if (!far)
		apsp_bit_set_add(p->bits, j);
}

static void block_prove(void *ctx, unsigned int thread, size_t i)
{
	struct proving *p = ctx;
	size_t j = i * BLOCK, end = j + BLOCK;

	(void)thread;
	if (end > p->graph->lengths.n_vertices)
		end = p->graph->lengths.n_vertices;
	for (; j < end; j++)
		vertex_prove(p, (uint32_t)j);
}

/* Prove the integer distances `v` from `source` to all vertices. Store the
   predecessors, and set the bits of the vertices that are reached. If the
   function is called outside parallel loops, it uses all processors. */
static int from_prove(const struct apsp_row_graph *graph, uint32_t source,
	const int64_t *v, unsigned char *out, struct apsp_err *err)
{
	size_t n = graph->lengths.n_vertices;
	struct proving p = {.graph = graph,
		.source = source,
		.v = v,
		.out = out,
		.bits = apsp_row_order_bits(graph, out),
		.scaled = apsp_integers_scale_is_small(
			&graph->integers, graph->lengths.n_vertices)};

	atomic_init(&p.fault, v[source] == 0 ? 0 : APSP_EPROOF);
	apsp_parallel_for((n + BLOCK - 1) / BLOCK, apsp_parallel_processors(),
		block_prove, &p);
	if (atomic_load(&p.fault) == APSP_EOVERFLOW)
		return apsp_row_order_overflow(graph, err);
	if (atomic_load(&p.fault) == APSP_EPROOF)
		return apsp_fail(err, APSP_EPROOF,
			"the distances from vertex %u are not the least",
			source);
	return 0;
}

/* Make a row of the kind APSP_DEMAND_FROM. */
static int from_make(const struct apsp_row_graph *graph, struct hand *hand,
	struct apsp_row_order *order, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = &graph->lengths;
	const struct apsp_row_arcs out = {lengths->n_vertices, lengths->offsets,
		lengths->heads, graph->out_values};
	int r = apsp_row_search_run(
		&hand->search, &out, order->vertex, hand->v, err);

	return r < 0 ? r
		     : from_prove(
			       graph, order->vertex, hand->v, order->out, err);
}

/* Make a row of the kind APSP_DEMAND_COLUMN. */
static int column_make(const struct apsp_row_graph *graph, struct hand *hand,
	struct apsp_row_order *order, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = &graph->lengths;
	const struct apsp_row_arcs in = {lengths->n_vertices,
		lengths->in.offsets, lengths->in.tails, graph->in_values};
	int r = apsp_row_search_run(
		&hand->search, &in, order->vertex, hand->v, err);

	hand->column.target = order->vertex;
	hand->column.v = hand->v;
	hand->column.stack = hand->queue;
	return r < 0 ? r
		     : apsp_row_column_find(graph, &hand->column,
			       (uint32_t *)order->out, err);
}

/* Make a row of the kind APSP_DEMAND_TO: find the vertices that reach
   order->vertex, and set their bits. APSP_EPROOF: a vertex was missed. */
static int to_make(const struct apsp_row_graph *graph, struct hand *hand,
	struct apsp_row_order *order, struct apsp_err *err)
{
	const struct apsp_lengths *lengths = &graph->lengths;
	const struct apsp_in_arcs *in = &lengths->in;
	uint64_t *bits = (uint64_t *)order->out;
	uint32_t n = 1, target = order->vertex;
	bool closed = true;

	hand->queue[0] = target;
	apsp_bit_set_add(bits, target);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = hand->queue[i];

		for (uint64_t a = in->offsets[v]; a < in->offsets[v + 1]; a++) {
			if (apsp_bit_set_has(bits, in->tails[a]))
				continue;
			apsp_bit_set_add(bits, in->tails[a]);
			hand->queue[n++] = in->tails[a];
		}
	}
	/* Check that the search, which follows arcs backwards, is complete.
	   Each found vertex has a bit. An arc from a vertex without a bit to a
	   vertex with a bit shows that the search missed a vertex. */
	for (uint32_t v = 0; v < lengths->n_vertices; v++)
		for (uint64_t a = lengths->offsets[v];
			!apsp_bit_set_has(bits, v) &&
			a < lengths->offsets[v + 1];
			a++)
			closed &= !apsp_bit_set_has(bits, lengths->heads[a]);
	return closed ? 0
		      : apsp_fail(err, APSP_EPROOF,
				"a vertex that reaches vertex %u was missed",
				target);
}

static int row_make(const struct apsp_row_graph *graph, struct hand *hand,
	struct apsp_row_order *order)
{
	static int (*const make[APSP_N_DEMANDS])(
		const struct apsp_row_graph *graph, struct hand *hand,
		struct apsp_row_order *order, struct apsp_err *err) = {
		[APSP_DEMAND_FROM] = from_make,
		[APSP_DEMAND_TO] = to_make,
		[APSP_DEMAND_COLUMN] = column_make,
	};
	size_t size = apsp_demand_bytes(&graph->header, order->demand);
	struct apsp_err *err = &order->err;
	int r = hand_open(graph, hand, err);

	memset(order->out, 0, size);
	if (r >= 0)
		r = make[order->demand](graph, hand, order, err);
	order->checksum = apsp_checksum(order->out, size);
	return r;
}

static void order_report(
	struct apsp_row_solver *solver, const struct apsp_row_order *order)
{
	if (!solver->done)
		return;
	pthread_mutex_lock(&solver->done_lock);
	solver->done(solver->ctx, order);
	pthread_mutex_unlock(&solver->done_lock);
}

/* Finish the orders (requests to compute rows) from number `first` to number
   end - 1. First report each order whose row was already computed by sweeps.
   Then compute the row of each other order by a search, and report the
   order. */
static void rows_search(struct apsp_row_solver *solver, unsigned int thread,
	size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		if (solver->orders[i].done)
			order_report(solver, &solver->orders[i]);
	for (size_t i = first; i < end; i++) {
		struct apsp_row_order *order = &solver->orders[i];

		if (order->done)
			continue;
		order->result =
			row_make(solver->graph, &solver->hands[thread], order);
		order->done = true;
		order_report(solver, order);
	}
}

/* Compute and report group i of the rows. A group has solver->together rows.
   This function is the body of a parallel loop. */
static void group_solve(void *ctx, unsigned int thread, size_t i)
{
	struct apsp_row_solver *solver = ctx;
	struct hand *hand = &solver->hands[thread];
	size_t first = i * solver->together, end = first + solver->together;

	if (end > solver->n)
		end = solver->n;
	/* if there is no memory for sweeps, rows_search() computes all rows */
	if (solver->together > 1 &&
		(hand->sweeps || apsp_row_sweeps_new(solver->graph,
					 &hand->sweeps, NULL) == 0))
		apsp_row_sweeps_run(
			hand->sweeps, solver->orders + first, end - first);
	rows_search(solver, thread, first, end);
}

/* Return how many of the n rows each thread computes together by sweeps. Return
   1 if each row is computed by a search, because sweeps would be slower. */
static size_t together_of(
	const struct apsp_row_solver *solver, size_t n, enum apsp_demand demand)
{
	size_t share = (n + solver->width - 1) / solver->width;

	if (demand != APSP_DEMAND_FROM || share < APSP_ROW_SWEEPS_LEAST ||
		!apsp_row_sweeps_pay(solver->graph))
		return 1;
	return share < APSP_ROW_SWEEPS_LANES ? share : APSP_ROW_SWEEPS_LANES;
}

int apsp_row_solver_new(const struct apsp_row_graph *graph,
	struct apsp_row_solver **out, struct apsp_err *err)
{
	struct apsp_row_solver *made = calloc(1, sizeof(*made));

	if (!made)
		return apsp_fail(err, APSP_ENOMEM, "no memory for rows");
	made->graph = graph;
	made->width = apsp_parallel_processors();
	pthread_mutex_init(&made->done_lock, NULL);
	*out = made;
	return 0;
}

void apsp_row_solver_free(struct apsp_row_solver *solver)
{
	if (!solver)
		return;
	for (unsigned int t = 0; t < solver->width; t++)
		hand_done(&solver->hands[t]);
	pthread_mutex_destroy(&solver->done_lock);
	free(solver);
}

void apsp_row_solve(struct apsp_row_solver *solver,
	struct apsp_row_order *orders, size_t n,
	void (*done)(void *ctx, const struct apsp_row_order *order), void *ctx)
{
	if (n == 0)
		return;
	solver->orders = orders;
	solver->n = n;
	solver->done = done;
	solver->ctx = ctx;
	solver->together = together_of(solver, n, orders[0].demand);
	for (size_t i = 0; i < n; i++)
		orders[i].done = false;
	if (n == 1)
		/* a single row is computed outside parallel loops, so that all
		   processors can prove it */
		group_solve(solver, 0, 0);
	else
		apsp_parallel_for((n + solver->together - 1) / solver->together,
			solver->width, group_solve, solver);
}
