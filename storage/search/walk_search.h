/*
 * The shortest path of at most n arcs, and the shortest walk of exactly n arcs.
 * A walk may repeat vertices. The search starts at the source and advances by
 * one arc in each layer (Bellman 1958). It also finds widest paths and walks.
 * Then each arc has a rank (the wider the arc, the lower its rank), and the
 * cost of a walk is the highest rank of its arcs.
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

/* A walk from the source: an earlier walk (`before`) and one more arc, which
   leads to `vertex`. */
struct apsp_walk_step {
	apsp_path_cost cost;
	uint32_t vertex;
	/* the walk without its last arc, as an index in `steps`; UINT32_MAX:
	   the walk has no arcs */
	uint32_t before;
};

struct apsp_walk_search {
	const struct apsp_adjacency *arcs;  /* borrowed */
	const struct apsp_avoided *avoided; /* borrowed */
	uint32_t from, to, n_arcs;
	bool exactly;
	/* true: search for a widest walk. Then the length of an arc is the
	   rank of its width (the widest arcs have the lowest rank), and the
	   cost of a walk is the highest rank of its arcs. */
	bool widest;
	bool found;
	apsp_path_cost cost;
	uint32_t n_walked;  /* number of arcs of the found walk */
	uint32_t *vertices; /* n_walked + 1 vertices, source first; owned */
	bool repeats;	    /* some vertex occurs twice in the found walk */

	/* for walk_search.c */
	/* the search for the least number of arcs from each vertex to the end
	   of the walk */
	struct apsp_arc_range range;
	bool ranged;
	/* the steps of all layers, in order of layers; owned */
	struct apsp_walk_step *steps;
	size_t n_steps, steps_size;
	/* The present layer is steps[layer … layer_end - 1]; steps[next] is
	   visited next. */
	size_t layer, next, layer_end;
	uint32_t layer_arcs;
	/* used only if widest walks are searched: the layer of walks with i
	   arcs begins at steps[layers[i]]; owned */
	size_t *layers;
	size_t layers_size;
	uint32_t *places; /* for each vertex of the layer that is being made: 1
			     + the index of its walk in `steps`; owned */
	apsp_path_cost *best; /* for each vertex v, the least cost of the walks
				 source → v that were found so far; owned */
	size_t found_step;
};

/*
 * Begin the search. The search is for the shortest walk, unless the caller sets
 * out->widest before the first step. `avoided` must outlive the search and must
 * not contain `from` or `to`; n_arcs is at most APSP_PATH_COST_WALK_MAX. The
 * caller ends *out with apsp_walk_search_done(). APSP_ENOMEM. Also fails as
 * apsp_adjacency_needs_unit() does.
 */
int apsp_walk_search_begin(const struct apsp_adjacency *arcs, uint32_t from,
	uint32_t to, uint32_t n_arcs, bool exactly,
	const struct apsp_avoided *avoided, struct apsp_walk_search *out,
	struct apsp_err *err);
void apsp_walk_search_done(struct apsp_walk_search *search);

/* Return an upper bound of the bytes that apsp_walk_search_begin() allocates
   for a graph of n_vertices vertices. */
uint64_t apsp_walk_search_first_bytes(uint64_t n_vertices);

/* Continue the search for about a millisecond (search_work.h). Returns 1 if the
   search has not ended, else 0. APSP_ESEARCH: the search exceeds its limit of
   arcs, or needs more than APSP_WALK_STEPS_MAX steps. APSP_ENOMEM. */
int apsp_walk_search_step(struct apsp_walk_search *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
