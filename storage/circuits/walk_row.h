/*
 * The numbers of arcs of the walks from one vertex to all vertices, or from all
 * vertices to one. A walk may repeat vertices and arcs.
 */
#ifndef APSP_STORAGE_CIRCUITS_WALK_ROW_H
#define APSP_STORAGE_CIRCUITS_WALK_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_work.h"
#include "storage/search/adjacency.h"

struct apsp_walk_row {
	bool backward; /* true: walks from all vertices to one; false: from one
			  vertex to all */
	uint64_t *walks; /* for each vertex: bit k is set if there is a walk of
			    k arcs; owned */

	/* private to walk_row.c */
	const struct apsp_adjacency *arcs; /* borrowed */
	uint32_t max_arcs;
	uint32_t length; /* number of arcs of the walks to which the present
			    pass adds an arc */
	uint32_t next;	 /* the next vertex of the present pass */
};

/* Allocate a row. `arcs` must outlive the row. The caller ends *out with
   apsp_walk_row_done(). APSP_ENOMEM. */
int apsp_walk_row_init(const struct apsp_adjacency *arcs, bool backward,
	struct apsp_walk_row *out, struct apsp_err *err);
void apsp_walk_row_done(struct apsp_walk_row *row);

/* Begin to find the walks of at most max_arcs arcs from or to `root`. max_arcs
   must be below 64. */
void apsp_walk_row_start(
	struct apsp_walk_row *row, uint32_t root, uint32_t max_arcs);

/* Do one turn of the work. Returns whether more turns are needed. */
bool apsp_walk_row_step(
	struct apsp_walk_row *row, struct apsp_circuit_work *work);

#endif
