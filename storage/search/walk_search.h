/*
 * The shortest path with at most n arcs, and the shortest walk with exactly n
 * arcs, which may repeat vertices: layer by layer from the source (Bellman
 * 1958).
 */
#ifndef APSP_STORAGE_SEARCH_WALK_SEARCH_H
#define APSP_STORAGE_SEARCH_WALK_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/search/arc_range.h"
#include "storage/search/avoided.h"
#include "storage/search/search_work.h"

/* A walk: its end, and the step before. */
struct apsp_walk_step {
	apsp_path_cost cost;
	uint32_t vertex;
	uint32_t before; /* index in steps; UINT32_MAX: this is the source */
};

struct apsp_walk_search {
	const struct apsp_adjacency *arcs;  /* borrowed */
	const struct apsp_avoided *avoided; /* borrowed */
	uint32_t from, to, n_arcs;
	bool exactly;
	bool found;
	apsp_path_cost cost;
	uint32_t n_walked;  /* arcs of the walk */
	uint32_t *vertices; /* n_walked + 1, source first; owned */
	bool repeats;	    /* some vertex occurs twice */

	/* for walk_search.c */
	struct apsp_arc_range range; /* numbers of arcs to the end */
	bool ranged;
	uint32_t *left; /* by vertex: fewest arcs to the end; owned */
	/* the steps of all layers, in order of layers; owned */
	struct apsp_walk_step *steps;
	size_t n_steps, steps_size;
	size_t layer, next, layer_end; /* the layer that is extended */
	uint32_t layer_arcs;
	uint32_t *places; /* by vertex: index in steps of the new layer, plus 1;
			     owned */
	apsp_path_cost *best; /* by vertex: least cost so far; owned */
	size_t found_step;
};

/*
 * Begin. avoided must outlive the search and must not contain `from` or `to`;
 * n_arcs is at most APSP_PATH_COST_WALK_MAX. The caller ends *out with
 * apsp_walk_search_done(). APSP_ENOMEM.
 */
int apsp_walk_search_begin(const struct apsp_adjacency *arcs, uint32_t from,
	uint32_t to, uint32_t n_arcs, bool exactly,
	const struct apsp_avoided *avoided, struct apsp_walk_search *out,
	struct apsp_err *err);
void apsp_walk_search_done(struct apsp_walk_search *search);

/*
 * Continue for one turn. Returns 1 if the search has not ended, else 0.
 * APSP_ESEARCH, APSP_ENOMEM.
 */
int apsp_walk_search_step(struct apsp_walk_search *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
