/*
 * The k cheapest paths from one vertex to another, without repeated vertices.
 * The paths are ordered by length, then by number of arcs, then by the tie rule
 * (storage/tables/README.md, The tie rule). Method: Yen 1971 with the partition
 * of Lawler 1972, applied from the end of the path to its source. The distance
 * table guides each search. If k is 1, the search finds the cheapest path
 * around avoided vertices and arcs.
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
	uint32_t *vertices; /* n_arcs + 1 vertices, source first; owned */
	/* The search that found this path excluded all paths that enter
	   vertices[spur] from a vertex in `tails`. Only k_paths.c uses `spur`
	   and `tails`. */
	uint32_t spur;
	uint32_t n_tails;
	uint32_t *tails; /* owned */
};

struct apsp_k_paths {
	struct apsp_guided_search search;
	uint32_t k;
	struct apsp_found_path *paths; /* the found paths in order; owned */
	uint32_t n_paths;
	struct apsp_found_path *candidates; /* in order of cost; owned */
	uint32_t n_candidates;
	uint64_t bytes; /* bytes that paths and candidates take */

	bool searching; /* a search has begun and has not ended */
	bool first;	/* the search that has begun is the first one, for the
			   cheapest path */
	/* index of a vertex (the spur) in the path that was found last; the
	   next searched paths share this path's part from the spur to the
	   end */
	uint32_t spur;
	apsp_path_cost rest; /* cost of the part from the spur to the end, in
				the path that was found last */
	/* the subspace (a set of paths) that is searched now; its paths must
	   not enter the spur from a vertex in subspace.tails */
	struct apsp_found_path subspace;
};

/*
 * Begin to find k paths; k is at least 1. `tables`, `arcs` and `avoided` must
 * outlive the search. `avoided` must not contain `from` or `to`. The caller
 * ends *out with apsp_k_paths_done(). APSP_EDAMAGED: the tables are damaged.
 * APSP_ENOMEM. Also fails as apsp_adjacency_needs_unit() does.
 */
int apsp_k_paths_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	uint32_t k, const struct apsp_avoided *avoided,
	struct apsp_k_paths *out, struct apsp_err *err);
void apsp_k_paths_done(struct apsp_k_paths *search);

/*
 * Continue the search for about a millisecond (search_work.h). Returns 1 if the
 * search has not ended, else 0. At the end, search->paths has k paths, or all
 * paths if there are fewer. Everything else is freed, and the arcs are no
 * longer needed. APSP_ESEARCH: the search exceeds its limit of arcs or of
 * memory. APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_k_paths_step(struct apsp_k_paths *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
