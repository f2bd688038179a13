/*
 * Rows of uploaded arcs become rows of merged weights: filtered and checked by
 * the graph's profile, without self-loops (compute/graph/README.md,
 * Transforms).
 */
#ifndef APSP_COMPUTE_GRAPH_ROW_PACK_H
#define APSP_COMPUTE_GRAPH_ROW_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/* Arrays are borrowed and changed in place. */
struct apsp_packed_rows {
	uint64_t *offsets; /* n_vertices + 1 */
	uint32_t *heads;
	double *weights;
	uint64_t *self_loop; /* a bit a vertex, 0 before */
	/* Set: */
	uint64_t n_arcs;
	double max_weight; /* that the transform takes, of self-loops, too;
			      -INFINITY: there is none */
	bool has_negative_loop;
	uint32_t negative_loop; /* the first vertex with one */
};

/*
 * Pack the rows, each of which has all its arcs sorted by head: what is left of
 * them moves together. APSP_EDATA names the first arc by tail and head that is
 * refused, as of apsp_lengths_build(). APSP_ENOMEM.
 */
int apsp_row_pack(const struct apsp_graph *graph, struct apsp_packed_rows *rows,
	struct apsp_err *err);

#endif
