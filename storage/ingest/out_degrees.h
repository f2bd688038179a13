/*
 * The number of an upload's arcs that begin at each vertex. It shows whether
 * few vertices have most of the arcs. It takes 4 bytes for each vertex; if
 * other uploads have the memory, counting stops and the result is unknown.
 */
#ifndef APSP_STORAGE_INGEST_OUT_DEGREES_H
#define APSP_STORAGE_INGEST_OUT_DEGREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/budget.h"

struct apsp_out_degrees {
	struct apsp_share *share; /* pays for memory; may be NULL */
	uint32_t *counts;	  /* of vertices below n_counts; owned */
	size_t n_counts;
	uint64_t n_arcs;
	uint64_t squares; /* sum of the squares of all counts */
	bool given_up;
};

/* Start counting. No memory is allocated yet. */
void apsp_out_degrees_init(
	struct apsp_out_degrees *degrees, struct apsp_share *share);

/*
 * Count an arc that begins at tail, which is below APSP_VERTICES_MAX. There are
 * at most 2^31 arcs, so no count and no sum overflows.
 */
void apsp_out_degrees_add(struct apsp_out_degrees *degrees, uint32_t tail);

/*
 * The fact of enum apsp_arc_fact that follows from the counts of n_vertices; 0
 * if there is none, or if counting has stopped.
 */
unsigned int apsp_out_degrees_fact(
	const struct apsp_out_degrees *degrees, uint32_t n_vertices);

/* Free the memory and stop counting. */
void apsp_out_degrees_done(struct apsp_out_degrees *degrees);

#endif
