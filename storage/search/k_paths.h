/*
 * The k cheapest loopless paths from one vertex to another, ordered by length,
 * then by number of arcs, then by the tie rule (storage/tables/README.md, The
 * tie rule). Method: Yen 1971 with the partition of Lawler 1972, from
 * the end; the table guides each search. k = 1 finds the cheapest path without
 * avoided vertices and arcs.
 */
#ifndef APSP_STORAGE_SEARCH_K_PATHS_H
#define APSP_STORAGE_SEARCH_K_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/guided_search.h"

struct apsp_found_path {
	apsp_path_cost cost;
	uint32_t n_arcs;
	uint32_t *vertices; /* n_arcs + 1, source first; owned */
	/* for k_paths.c: vertices[0..spur] come from a search in which the arc
	 * into the spur had none of these tails */
	uint32_t spur;
	uint32_t n_tails;
	uint32_t *tails; /* owned */
};

struct apsp_k_paths {
	struct apsp_guided_search search;
	uint32_t to;
	uint32_t k;
	struct apsp_found_path *paths; /* found, in order; owned */
	uint32_t n_paths;
	struct apsp_found_path *candidates; /* in order; owned */
	uint32_t n_candidates;
	uint64_t bytes; /* of paths and candidates */

	bool searching;	     /* a search has begun and not ended */
	bool first;	     /* it is the first search */
	uint32_t spur;	     /* index in the last path of the search's end */
	apsp_path_cost rest; /* cost of the last path from the spur on */
	struct apsp_found_path subspace; /* has the tails of the search */
};

/*
 * Begin. avoided must outlive the search and must not contain `from` or `to`; k
 * is at least 1. The caller ends *out with apsp_k_paths_done(). APSP_ENOMEM,
 * APSP_EDAMAGED.
 */
int apsp_k_paths_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	uint32_t k, const struct apsp_avoided *avoided,
	struct apsp_k_paths *out, struct apsp_err *err);
void apsp_k_paths_done(struct apsp_k_paths *search);

/*
 * Continue for one turn. Returns 1 if the search has not ended, else 0; then
 * search->paths has k paths, or all if there are fewer, everything else is
 * freed, and the arcs are no longer needed. APSP_ESEARCH, APSP_ENOMEM.
 */
int apsp_k_paths_step(struct apsp_k_paths *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
