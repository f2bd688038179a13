/*
 * How many of an upload's arcs begin at each vertex, for whether few vertices
 * have most of the arcs. Memory is bounded: 4 bytes a vertex; where other
 * uploads have the memory, the count is given up and nothing is known.
 */
#ifndef APSP_STORAGE_INGEST_OUT_DEGREES_H
#define APSP_STORAGE_INGEST_OUT_DEGREES_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/budget.h"

struct apsp_out_degrees {
	struct apsp_share *share; /* asked for memory; may be NULL */
	uint32_t *counts;	  /* owned; of vertices below n_counts */
	uint32_t n_counts;
	uint64_t n_arcs;
	uint64_t squares; /* of all counts, their sum */
	bool given_up;
};

/* Make an empty count, which takes no memory yet. */
void apsp_out_degrees_init(
	struct apsp_out_degrees *degrees, struct apsp_share *share);

/*
 * An arc begins at a vertex below APSP_VERTICES_MAX. At most 2^31 arcs, so that
 * no count and no sum overflows.
 */
void apsp_out_degrees_add(struct apsp_out_degrees *degrees, uint32_t tail);

/*
 * The fact of enum apsp_weights that the arcs of n_vertices tell; 0 where there
 * is none or the count is given up.
 */
unsigned int apsp_out_degrees_fact(
	const struct apsp_out_degrees *degrees, uint32_t n_vertices);

/* Free the memory; the count is given up. */
void apsp_out_degrees_done(struct apsp_out_degrees *degrees);

#endif
