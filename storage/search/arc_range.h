/*
 * Finds all vertices that are at most a given number of arcs away from the
 * nearest start vertex, by breadth-first search. The lengths of the arcs do not
 * matter. The search follows the arcs from tail to head or from head to tail.
 */
#ifndef APSP_STORAGE_SEARCH_ARC_RANGE_H
#define APSP_STORAGE_SEARCH_ARC_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/tables/reach_set.h"

struct apsp_arc_range {
	const struct apsp_adjacency *arcs; /* borrowed */
	enum apsp_direction direction;
	uint32_t max_arcs;

	uint64_t *within; /* a bit for each vertex; set if the vertex was found;
			     owned */
	uint32_t *found;  /* found vertices in order of their distance in arcs;
			     owned */
	/* for each vertex that was found: the number of arcs from the nearest
	   start. The index is the vertex. Owned */
	uint32_t *away;
	uint32_t n_found;
	uint32_t next;	    /* index in `found` of the next vertex to visit */
	uint32_t level_end; /* index in `found` of the first vertex that is
			       n_arcs + 1 arcs away from the nearest start */
	uint32_t n_arcs;    /* distance of the vertex found[next], in arcs */
	uint64_t n_looked;  /* number of visited arcs */
};

/*
 * Begin a search from n_starts vertices. The same vertex may occur several
 * times. The caller ends *out with apsp_arc_range_done(). APSP_ENOMEM.
 */
int apsp_arc_range_begin(const struct apsp_adjacency *arcs,
	const uint32_t *starts, size_t n_starts, enum apsp_direction direction,
	uint32_t max_arcs, struct apsp_arc_range *out, struct apsp_err *err);

/* Return an upper bound of the bytes that a search takes. */
uint64_t apsp_arc_range_bytes(uint32_t n_vertices);

/* Visit about 65,536 arcs. Returns 1 if more arcs are left to visit, else 0. */
int apsp_arc_range_step(struct apsp_arc_range *range);
void apsp_arc_range_done(struct apsp_arc_range *range);

#endif
