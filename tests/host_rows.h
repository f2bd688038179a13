/*
 * Rows of V and predecessors in 64 bits, as the algorithm `reference` makes
 * them (compute/tables/host_solve.c).
 */
#ifndef APSP_TESTS_HOST_ROWS_H
#define APSP_TESTS_HOST_ROWS_H

#include "compute/graph/dijkstra.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"

struct host_rows {
	const struct apsp_lengths *lengths; /* borrowed, as the next */
	const struct apsp_integers *integers;
	struct apsp_dijkstra *dijkstra; /* owned */
};

static inline void host_rows_arcs(
	const void *ctx, uint32_t vertex, int64_t *out)
{
	const struct host_rows *rows = ctx;

	apsp_integers_row(rows->lengths, rows->integers, vertex, out);
}

/* *rows must not move until the caller frees rows->dijkstra. */
static inline void host_rows_open(struct host_rows *rows,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers)
{
	const struct apsp_dijkstra_arcs arcs = {
		.n_vertices = lengths->n_vertices,
		.offsets = lengths->offsets,
		.ends = lengths->heads,
		.row = host_rows_arcs,
		.ctx = rows};

	*rows = (struct host_rows){.lengths = lengths, .integers = integers};
	assert_int_equal(apsp_dijkstra_new(&arcs, &rows->dijkstra, NULL), 0);
}

#endif
