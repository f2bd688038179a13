/*
 * A widest path from one vertex to another, in the arcs of a table of widths.
 * The lengths of these arcs are ranks: the wider an arc, the lower its rank
 * (daemon/job/table_file.h). So a widest path is a path whose highest rank is
 * as low as possible. Of all widest paths, the search finds one with the fewest
 * arcs; if there are several, the tie rule chooses (storage/tables/README.md,
 * The tie rule).
 *
 * Usually the table holds the rank of the pair. Then the path is found by
 * breadth-first searches from both ends over the arcs of at most this rank. If
 * the path must avoid vertices or arcs, the rank of the path is found first: by
 * Dijkstra's search, in which the highest rank takes the place of the sum
 * (Pollack 1960).
 *
 *	init ─► begin ─► step, step, … (0) ─► begin …
 */
#ifndef APSP_STORAGE_SEARCH_WIDTH_SEARCH_H
#define APSP_STORAGE_SEARCH_WIDTH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/search/avoided.h"
#include "storage/search/cost_heap.h"
#include "storage/search/search_work.h"

/* A breadth-first search from one end. */
struct apsp_width_side {
	uint32_t *stamps; /* equal to the search's `stamp` for each vertex that
			     this side has reached; owned */
	/* for each reached vertex, the least number of arcs to or from the
	   vertex where this side began; owned */
	uint32_t *levels;
	/* reached vertices in order of their levels; owned */
	uint32_t *reached;
	uint32_t n_reached;
	uint32_t next; /* index in `reached` of the next vertex to visit */
	/* index in `reached` of the first vertex after the level that is being
	   visited */
	uint32_t level_end;
};

struct apsp_width_search {
	const struct apsp_adjacency *arcs;  /* borrowed */
	const struct apsp_avoided *avoided; /* borrowed */
	uint32_t from, to;

	/* The following members are the result. They are valid when the search
	   has ended. */
	bool found;
	double rank;	    /* the highest rank on the path; INFINITY: no path;
			       0: from and to are equal */
	uint32_t n_arcs;    /* number of arcs of the path */
	uint32_t *vertices; /* the vertices of the path, source first; has space
			       for all vertices of the graph; owned */

	/* for width_search.c: */
	int phase;
	double *best; /* for each vertex, the lowest rank of the walks from the
			 source that were found so far; INFINITY: none was
			 found; owned. NULL if the rank of the pair is known */
	struct apsp_cost_heap heap; /* vertices to visit, the lowest rank
				       first */
	/* the search along the arcs from `from`, and the search against the
	   direction of the arcs from `to` */
	struct apsp_width_side sides[2];
	int side; /* the side whose level is being visited */
	uint32_t stamp;
};

/* Return an upper bound of the bytes that apsp_width_search_init() allocates
   for a graph of n_vertices vertices. */
uint64_t apsp_width_search_first_bytes(uint64_t n_vertices);

/* Prepare searches. `arcs` and `avoided` must outlive the searches. The caller
   ends *out with apsp_width_search_done(). APSP_ENOMEM. */
int apsp_width_search_init(const struct apsp_adjacency *arcs,
	const struct apsp_avoided *avoided, struct apsp_width_search *out,
	struct apsp_err *err);
void apsp_width_search_done(struct apsp_width_search *search);

/*
 * Begin a search. The result of an earlier search is lost. `avoided` must not
 * contain `from` or `to`. `rank` is the rank of the pair: the highest rank of
 * the arcs of its widest path, or INFINITY if there is no path. `rank` is
 * ignored if vertices or arcs are avoided. APSP_ENOMEM.
 */
int apsp_width_search_begin(struct apsp_width_search *search, uint32_t from,
	uint32_t to, double rank, struct apsp_err *err);

/*
 * Continue the search for about a millisecond (search_work.h). Returns 1 if the
 * search has not ended, else 0. search->found is false if no path has the given
 * rank or a lower one. APSP_ESEARCH: the search exceeds its limit of arcs.
 * APSP_ENOMEM.
 */
int apsp_width_search_step(struct apsp_width_search *search,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
