/*
 * The shortest path of at most so many arcs, and the shortest walk of exactly
 * so many, which may come back to a vertex: layer by layer from the source
 * (Bellman 1958).
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

/* A walk that ends at a vertex, as the last step of another one. */
struct apsp_walk_step {
	apsp_cost cost;
	uint32_t vertex;
	uint32_t before; /* place among steps; UINT32_MAX: the source's */
};

struct apsp_walk_search {
	const struct apsp_adjacency *arcs;  /* borrowed */
	const struct apsp_avoided *avoided; /* borrowed */
	uint32_t from, to, n_arcs;
	bool exactly;
	bool found;
	apsp_cost cost;
	uint32_t n_walked;  /* arcs of the walk */
	uint32_t *vertices; /* n_walked + 1, source first; owned */
	bool repeats;	    /* some vertex is there twice */

	/* for walk_search.c */
	struct apsp_arc_range range; /* arcs that are left to the end */
	bool ranged;
	uint32_t *left; /* by vertex: arcs to the end at least; owned */
	/* all layers, one after the other; owned */
	struct apsp_walk_step *steps;
	size_t n_steps, steps_size;
	size_t layer, next, layer_end; /* the layer that is walked on from */
	uint32_t layer_arcs;
	uint32_t *places; /* by vertex: place in the new layer and 1; owned */
	apsp_cost *best;  /* by vertex: cheapest so far; owned */
	size_t found_step;
};

/*
 * Begin. avoided must outlive the search, and has neither end. The caller ends
 * *out with apsp_walk_search_done(). n_arcs is at most APSP_COST_WALK_MAX.
 * APSP_ENOMEM.
 */
int apsp_walk_search_begin(const struct apsp_adjacency *arcs, uint32_t from,
	uint32_t to, uint32_t n_arcs, bool exactly,
	const struct apsp_avoided *avoided, struct apsp_walk_search *out,
	struct apsp_err *err);
void apsp_walk_search_done(struct apsp_walk_search *search);

/* The bytes that it has taken. */
uint64_t apsp_walk_search_bytes(const struct apsp_walk_search *search);

/* Go on for a turn. Returns 1 if there is more, else 0. APSP_ESEARCH,
 * APSP_ENOMEM. */
int apsp_walk_search_step(struct apsp_walk_search *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
