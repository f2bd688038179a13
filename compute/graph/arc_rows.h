/*
 * The uploaded arcs as compressed sparse rows, and a check that the rows have
 * exactly the arcs of the graph's file. Later proofs start from the rows, so
 * they cannot find an arc that parallel sorting lost, duplicated or put into
 * another row.
 */
#ifndef APSP_COMPUTE_GRAPH_ARC_ROWS_H
#define APSP_COMPUTE_GRAPH_ARC_ROWS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/* Row v is [offsets[v], offsets[v + 1]). */
struct apsp_arc_rows {
	uint64_t *offsets; /* n_vertices + 1 */
	uint32_t *heads;
	double *weights;
};

/*
 * Sort every arc that invalid=drop does not drop by tail, then head. The sorts
 * are stable, so duplicates become neighbours in the order of the upload
 * (storage/ingest/README.md, Arcs are stored as uploaded). The caller frees the
 * arrays of *out. Runs on all processors. APSP_EPROOF; APSP_ENOMEM.
 */
int apsp_arc_rows_sort(const struct apsp_graph *graph,
	struct apsp_arc_rows *out, struct apsp_err *err);

/*
 * Compare the arcs of the rows with the arcs of the graph that are not dropped:
 * their number, and a 64-bit sum, independent of order, over tail, head and
 * weight of each arc. APSP_EPROOF: they differ.
 */
int apsp_arc_rows_check(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_err *err);

#endif
