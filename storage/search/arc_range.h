/*
 * The vertices within so many arcs of one vertex, whatever the arcs' lengths:
 * breadth-first search, along arcs or against them.
 */
#ifndef APSP_STORAGE_SEARCH_ARC_RANGE_H
#define APSP_STORAGE_SEARCH_ARC_RANGE_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/tables/reach_set.h"

struct apsp_arc_range {
	const struct apsp_adjacency *arcs; /* borrowed */
	enum apsp_direction direction;
	uint32_t max_arcs;

	uint64_t *within; /* bit row: found so far; owned */
	uint32_t *found;  /* in order of arcs away; owned */
	uint32_t *away;	  /* how many arcs each of found is away; owned */
	uint32_t n_found;
	uint32_t next;	    /* of found: the next to be looked at */
	uint32_t level_end; /* found before this are n_arcs away or less */
	uint32_t n_arcs;    /* how far the next is */
	uint64_t n_looked;  /* arcs that were looked at */
};

/*
 * Begin with v, which is 0 arcs away. The caller ends *out with
 * apsp_arc_range_done(). APSP_ENOMEM.
 */
int apsp_arc_range_begin(const struct apsp_adjacency *arcs, uint32_t v,
	enum apsp_direction direction, uint32_t max_arcs,
	struct apsp_arc_range *out, struct apsp_err *err);

/* Look at some 65,536 arcs. Returns 1 if there are more, else 0. */
int apsp_arc_range_step(struct apsp_arc_range *range);
void apsp_arc_range_done(struct apsp_arc_range *range);

#endif
