/*
 * Arc lengths: an uploaded graph under a profile, as compressed sparse rows
 * (compute/graph/README.md, Transforms).
 */
#ifndef APSP_COMPUTE_GRAPH_LENGTHS_H
#define APSP_COMPUTE_GRAPH_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/*
 * The arcs after merging, threshold and transform, without self-loops, sorted
 * by tail, then head. All arrays are owned.
 */
struct apsp_lengths {
	uint32_t n_vertices;
	uint64_t n_arcs;
	uint64_t *offsets; /* n_vertices + 1 */
	uint32_t *heads;
	double *weights;	/* merged */
	double *lengths;	/* transformed; may be weights; NULL: all 1 */
	uint64_t *self_loop;	/* bit v: vertex v had a self-loop */
	bool has_negative_loop; /* a self-loop had a negative length */
	uint32_t negative_loop; /* the vertex of the first such loop */
};

/*
 * Apply the graph's profile, in this order: with invalid=drop, drop uploaded
 * weights outside the domain; merge duplicates; drop weights below min_weight;
 * refuse or drop merged weights outside the domain; transform; drop self-loops.
 * So the largest weight of lognorm may belong to a self-loop. Linear time;
 * needs little more memory than the rows of all uploaded arcs.
 *
 * APSP_EDATA: a merged weight outside the domain, or a duplicate under
 * duplicates=error; the message names the arc by its labels. APSP_EPROOF: the
 * sorted rows are not the arcs of the graph (arc_rows.h). APSP_ENOMEM.
 */
int apsp_lengths_build(const struct apsp_graph *graph, struct apsp_lengths *out,
	struct apsp_err *err);
void apsp_lengths_done(struct apsp_lengths *lengths);

/* Free weights and set them to NULL, unless lengths share their array. */
void apsp_lengths_drop_weights(struct apsp_lengths *lengths);

#define APSP_NO_ARC UINT64_MAX

/*
 * The row that holds item `at` of compressed sparse rows: the last row that
 * begins at or before it; 0 if there are no rows. Logarithmic time.
 */
uint32_t apsp_lengths_row_of(
	const uint64_t *offsets, uint32_t n_rows, uint64_t at);

/* The place of an arc in the rows, or APSP_NO_ARC. Logarithmic time. */
uint64_t apsp_lengths_find(
	const struct apsp_lengths *lengths, uint32_t tail, uint32_t head);

#endif
