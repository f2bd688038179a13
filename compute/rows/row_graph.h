/*
 * Loads the arcs of a table file whose rows are computed on demand, in the form
 * that searches need.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_GRAPH_H
#define APSP_COMPUTE_ROWS_ROW_GRAPH_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

struct apsp_row_graph {
	struct apsp_table_header header;
	const unsigned char *file; /* the mapped file; NULL: none */
	/* the arrays in `lengths` are parts of the mapped file */
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	/* the integers that stand for the lengths of all arcs: out_values in
	   the order of `lengths`, in_values in the order of `lengths.in`;
	   owned */
	int64_t *out_values;
	int64_t *in_values;
	/*
	 * The integers of all arcs in 32 bits, in the order of `lengths.in`;
	 * owned. NULL: some integer does not fit 32 bits, or some length is
	 * negative. If distances have the kind APSP_DISTANCE_SCALED, these
	 * integers have the scale narrow_scale. Then the integer distances
	 * computed from them are right only for paths with fewer than
	 * narrow_scale arcs. Otherwise narrow_scale is 1.
	 */
	int32_t *narrow_values;
	int32_t narrow_scale;
};

/* The arcs, sorted by tail or by head, as compressed sparse rows. All arrays
   belong to the graph. */
struct apsp_row_arcs {
	uint32_t n_vertices;
	const uint64_t *offsets;
	const uint32_t *ends;  /* the head of each arc if the arcs are sorted by
				  tail, else the tail */
	const int64_t *values; /* the integers that stand for the lengths of the
				  arcs */
};

/*
 * Map the sealed file at `path`, compare its blocks with their checksums, and
 * compute the integer that stands for the length of each arc. Takes linear
 * time. The caller ends *out with apsp_row_graph_done(). APSP_EDAMAGED: the
 * file is damaged, or is not a table file whose rows are computed on demand.
 * APSP_EIO, APSP_ENOMEM.
 */
int apsp_row_graph_open(
	const char *path, struct apsp_row_graph *out, struct apsp_err *err);
void apsp_row_graph_done(struct apsp_row_graph *graph);

#endif
