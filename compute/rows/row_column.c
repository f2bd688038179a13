/*
 * Finds tight arcs, and runs a depth-first search along tight arcs; see
 * row_column.h.
 */
#include "compute/rows/row_column.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "compute/parallel.h"
#include "compute/rows/row_order.h"
#include "compute/rows/row_search.h"

#define NONE UINT32_MAX

enum {
	/* when arc a is read, the distance of the tail of arc a + AHEAD is
	   prefetched */
	AHEAD = 16,
	/* number of vertices whose incoming arcs one call of block_mark()
	   marks */
	BLOCK = 16384,
};

/* The data of the parallel loop that marks tight arcs (row_column.h). */
struct marking {
	const struct apsp_row_graph *graph;
	const struct apsp_row_column *column;
	atomic_int fault; /* 0: none; else APSP_EOVERFLOW or APSP_EPROOF */
};

/* Mark the tight arcs that lead to `head`. The vertex `head` must have a path
   to the target. */
static void head_mark(struct marking *m, uint32_t head)
{
	const struct apsp_in_arcs *in = &m->graph->lengths.in;
	const int64_t *v = m->column->v;
	uint64_t n_arcs = m->graph->lengths.n_arcs, bits = 0;

	for (uint64_t a = in->offsets[head]; a < in->offsets[head + 1]; a++) {
		int64_t sum = v[head] + m->graph->in_values[a];
		int64_t from = v[in->tails[a]];

		/* Arc a + AHEAD may lead to a later vertex than `head`. Even
		   then the prefetch helps, because the arcs of the later vertex
		   are read soon. */
		if (a + AHEAD < n_arcs)
			__builtin_prefetch(&v[in->tails[a + AHEAD]]);
		bits |= (uint64_t)(from == sum) << a % 64;
		if (from > sum)
			atomic_store(&m->fault, from == APSP_ROW_SEARCH_INFINITY
							? APSP_EOVERFLOW
							: APSP_EPROOF);
		if (bits && (a % 64 == 63 || a + 1 == in->offsets[head + 1])) {
			/* the operation is atomic, because another thread may
			   set bits of the same word: a word can have bits of
			   arcs to several vertices */
			__atomic_fetch_or(&m->column->tight[a / 64], bits,
				__ATOMIC_RELAXED);
			bits = 0;
		}
	}
}

static void block_mark(void *ctx, unsigned int thread, size_t i)
{
	struct marking *m = ctx;
	size_t j = i * BLOCK, end = j + BLOCK;

	(void)thread;
	if (end > m->graph->lengths.n_vertices)
		end = m->graph->lengths.n_vertices;
	for (; j < end; j++)
		if (m->column->v[j] != APSP_ROW_SEARCH_INFINITY)
			head_mark(m, (uint32_t)j);
}

static int tight_mark(const struct apsp_row_graph *graph,
	struct apsp_row_column *column, struct apsp_err *err)
{
	size_t n = graph->lengths.n_vertices;
	size_t size = (graph->lengths.n_arcs / 64 + 1) * sizeof(uint64_t);
	struct marking m = {.graph = graph, .column = column};

	if (!column->tight)
		column->tight = malloc(size);
	if (!column->tight)
		return apsp_fail(err, APSP_ENOMEM, "no memory for a column");
	atomic_init(&m.fault, column->v[column->target] == 0 ? 0 : APSP_EPROOF);
	memset(column->tight, 0, size);
	apsp_parallel_for((n + BLOCK - 1) / BLOCK, apsp_parallel_processors(),
		block_mark, &m);
	if (atomic_load(&m.fault) == APSP_EOVERFLOW)
		return apsp_row_order_overflow(graph, err);
	return atomic_load(&m.fault) == 0
		       ? 0
		       : apsp_fail(err, APSP_EPROOF,
				 "the distances to vertex %u are not the least",
				 column->target);
}

/* Return the first tight arc, from arc `at` to arc end - 1, whose tail has no
   arc in `out` yet. Arcs are indices in lengths.in. Returns `end` if there is
   no such arc. */
static uint64_t arc_find(const struct apsp_row_graph *graph,
	const struct apsp_row_column *column, const uint32_t *out, uint64_t at,
	uint64_t end)
{
	while (at < end) {
		uint64_t word = column->tight[at / 64] >> at % 64;

		if (!word) {
			at = (at / 64 + 1) * 64;
			continue;
		}
		at += (unsigned int)__builtin_ctzll(word);
		if (at >= end || out[graph->lengths.in.tails[at]] == NONE)
			break;
		at++;
	}
	return at < end ? at : end;
}

/* Set all elements of `out` to NONE. Store in *out_left the number of vertices
   that must get an arc: all vertices that reach the target, except the target
   itself. APSP_EOVERFLOW: a path has as many arcs as the scale of the integers,
   or more. Integer distances with this scale are right only for paths with
   fewer arcs. */
static int out_begin(const struct apsp_row_graph *graph,
	const struct apsp_row_column *column, uint32_t *out, uint32_t *out_left,
	struct apsp_err *err)
{
	uint32_t n = graph->lengths.n_vertices, n_left = 0;
	bool small = apsp_integers_scale_is_small(&graph->integers, n);
	bool fits = true;

	for (uint32_t j = 0; j < n; j++) {
		out[j] = NONE;
		if (j == column->target ||
			column->v[j] == APSP_ROW_SEARCH_INFINITY)
			continue;
		n_left++;
		if (small)
			fits &= column->v[j] % graph->integers.scale != 0;
	}
	*out_left = n_left;
	return fits ? 0 : apsp_row_order_overflow(graph, err);
}

/* Search depth-first from the target, backwards along tight arcs, and store in
   `out` the arc by which each vertex is found. Returns the number of vertices
   that were found. */
static uint32_t search(const struct apsp_row_graph *graph,
	const struct apsp_row_column *column, uint32_t *out)
{
	const struct apsp_lengths *lengths = &graph->lengths;
	const struct apsp_in_arcs *in = &lengths->in;
	uint32_t head = column->target, depth = 0, n_found = 0;
	uint64_t at = in->offsets[head];

	for (;;) {
		at = arc_find(graph, column, out, at, in->offsets[head + 1]);
		if (at < in->offsets[head + 1]) {
			uint32_t tail = in->tails[at];

			if (tail == column->target)
				return n_found;
			out[tail] = in->arcs[at];
			/* push where the search continues when it returns to
			   `head`: at the next arc into `head` */
			column->stack[depth++] =
				(uint32_t)(at + 1 - in->offsets[head]);
			n_found++;
			head = tail;
			at = in->offsets[tail];
		} else if (depth == 0) {
			return n_found;
		} else {
			head = lengths->heads[out[head]];
			at = in->offsets[head] + column->stack[--depth];
		}
	}
}

int apsp_row_column_find(const struct apsp_row_graph *graph,
	struct apsp_row_column *column, uint32_t *out, struct apsp_err *err)
{
	uint32_t n_left = 0;
	int r = tight_mark(graph, column, err);

	if (r == 0)
		r = out_begin(graph, column, out, &n_left, err);
	if (r < 0)
		return r;
	n_left -= search(graph, column, out);
	return n_left == 0 ? 0
			   : apsp_fail(err, APSP_EPROOF,
				     "the paths to vertex %u lack %u vertices",
				     column->target, n_left);
}
