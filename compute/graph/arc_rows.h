/*
 * The uploaded arcs as compressed sparse rows, and a check that the rows have
 * exactly the arcs of the graph's file. The check is necessary, because all
 * later proofs start from the rows: they cannot notice if parallel sorting
 * loses or duplicates an arc, or puts an arc into a wrong row.
 */
#ifndef APSP_COMPUTE_GRAPH_ARC_ROWS_H
#define APSP_COMPUTE_GRAPH_ARC_ROWS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/job/graph_file.h"

/* Row v has the arcs [offsets[v], offsets[v + 1]). */
struct apsp_arc_rows {
	uint64_t *offsets; /* n_vertices + 1 entries */
	uint32_t *heads;
	double *weights;
};

/*
 * Sort the arcs by tail and then by head. If the profile has the option
 * invalid=drop, arcs with invalid weights are left out. The sort is stable, so
 * duplicates become neighbours and keep the order of the upload
 * (storage/ingest/README.md, Arcs are stored as uploaded). The caller frees the
 * arrays of *out. Runs on all processors. APSP_EDATA: an end of some arc is no
 * vertex of the graph, because the file is damaged. APSP_EPROOF:
 * apsp_arc_rows_check() failed. APSP_ENOMEM.
 */
int apsp_arc_rows_sort(const struct apsp_graph *graph,
	struct apsp_arc_rows *out, struct apsp_err *err);

/*
 * Check that the rows have exactly the arcs of the graph, without the arcs that
 * the option invalid=drop drops. Two values are compared: the number of arcs,
 * and the sum over all arcs of a 64-bit mix of tail, head and weight. Neither
 * value depends on the order of the arcs. APSP_EPROOF: a value differs.
 */
int apsp_arc_rows_check(const struct apsp_graph *graph,
	const struct apsp_arc_rows *rows, struct apsp_err *err);

#endif
