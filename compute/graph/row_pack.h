/*
 * Turning rows of uploaded arcs into rows of merged weights, which are filtered
 * and checked by the graph's profile and have no self-loops
 * (compute/graph/README.md, Transforms).
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
	uint64_t *self_loop; /* a bit for each vertex; all 0 before */
	/* Results: */
	uint64_t n_arcs;
	double max_weight; /* in the transform's domain, also of self-loops;
			      -INFINITY: there is none */
	bool has_negative_loop;
	uint32_t negative_loop; /* the first vertex with such a loop */
};

/*
 * Pack the rows, in which arcs are sorted by head; the remaining arcs move
 * together. APSP_EDATA: the message names the first arc, by tail and head, that
 * apsp_lengths_build() must refuse. APSP_ENOMEM.
 */
int apsp_row_pack(const struct apsp_graph *graph, struct apsp_packed_rows *rows,
	struct apsp_err *err);

#endif
