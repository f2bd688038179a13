/*
 * The arcs of a table file whose rows come on demand, in memory as searches
 * need them.
 */
#ifndef APSP_COMPUTE_ROWS_ROW_GRAPH_H
#define APSP_COMPUTE_ROWS_ROW_GRAPH_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/auto.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_row_graph {
	struct apsp_table_header header;
	const unsigned char *file; /* the mapped file */
	/* the arrays are parts of the mapped file */
	struct apsp_lengths lengths;
	struct apsp_integers integers;
	/* the integers of all arcs, in the order of `lengths`, and in the order
	   of `lengths.in`; owned */
	int64_t *out_values;
	int64_t *in_values;
	/*
	 * Integers of 32 bits, in the order of `lengths.in`, for V in which
	 * most graphs' distances fit; owned. If the kind is SCALED, they have
	 * the scale narrow_scale, which is too small for paths of as many arcs;
	 * otherwise narrow_scale is 1. NULL: some integer does not fit.
	 */
	int32_t *narrow_values;
	int32_t narrow_scale;
};

/*
 * Map the sealed file at `path`, check the arcs against their checksums, and
 * compute the integers of all arcs. Takes linear time. The caller ends *out
 * with apsp_row_graph_done(). APSP_EDAMAGED: this is not such a file, or it is
 * damaged. APSP_EIO, APSP_ENOMEM.
 */
int apsp_row_graph_open(
	const char *path, struct apsp_row_graph *out, struct apsp_err *err);
void apsp_row_graph_done(struct apsp_row_graph *graph);

#endif
