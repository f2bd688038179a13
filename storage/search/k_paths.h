/*
 * The k cheapest loopless paths from one vertex to another, in order of length,
 * then of arcs, then of the tie rule (storage/tables/README.md, What an answer
 * means). Method: Yen 1971 with the partition of Lawler 1972, from the end;
 * each search is guided by the table. With k = 1, the cheapest path that avoids
 * what is to be avoided.
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
	/* for k_paths.c: the first vertices[0..spur] were searched, so that the
	 * arc into the spur has none of these tails */
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

	bool searching;	     /* a search is under way … */
	bool first;	     /* … the first one */
	uint32_t spur;	     /* … from this vertex of the last path back */
	apsp_path_cost rest; /* of the last path, from the spur on */
	struct apsp_found_path subspace; /* its tails */
};

/*
 * Begin; avoided must outlive the search, and has neither end. The caller ends
 * *out with apsp_k_paths_done(). k is at least 1. APSP_ENOMEM.
 */
int apsp_k_paths_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	uint32_t k, const struct apsp_avoided *avoided,
	struct apsp_k_paths *out, struct apsp_err *err);
void apsp_k_paths_done(struct apsp_k_paths *search);

/*
 * The search has ended: free all but its paths, and forget the arcs. Returns
 * the bytes that are still taken.
 */
uint64_t apsp_k_paths_settle(struct apsp_k_paths *search);

/* The bytes that it has taken, until it is settled. */
uint64_t apsp_k_paths_bytes(const struct apsp_k_paths *search);

/*
 * Search on for a turn. Returns 1 if there is more, else 0: then search->paths
 * are all that there are, or k. APSP_ESEARCH, APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_k_paths_step(struct apsp_k_paths *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
