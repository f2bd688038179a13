/*
 * All shortest paths from one vertex to another: the graph of their arcs, and
 * the number of paths. Paths are never listed. With a tolerance, the graph has
 * each arc that lies on a walk within the tolerance. A path that combines arcs
 * of several such walks may be longer than the tolerance allows.
 */
#ifndef APSP_STORAGE_SEARCH_TIE_GRAPH_H
#define APSP_STORAGE_SEARCH_TIE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/guided_search.h"
#include "storage/search/path_count.h"

struct apsp_tie_vertex {
	uint32_t vertex;
	uint32_t layer; /* greatest number of arcs on a path in the graph from
			   the source to this vertex */
	apsp_path_cost cost; /* cost of the cheapest path from the source */
	uint64_t first;	     /* number of the first arc out of the vertex */
	/* number of arcs into the vertex that were not visited yet; paths whose
	   last arc is one of these are still missing in n_paths */
	uint64_t n_in;
	struct apsp_path_count n_paths; /* number of paths in the graph from the
					   source; owned */
};

struct apsp_tie_graph {
	bool reachable;
	/* cost of the shortest path that has the fewest arcs */
	apsp_path_cost cost;
	/* The graph has a cycle, so paths are not counted. Without a tolerance,
	   the cycle has length 0. */
	bool cyclic;
	struct apsp_path_count n_paths; /* number of paths in the graph; its
					   words are borrowed from the vertex
					   `to` */
	/*
	 * The arcs out of vertices[i] have the numbers vertices[i].first to
	 * vertices[i + 1].first − 1. So `vertices` has n_vertices + 1 elements.
	 * Owned.
	 */
	struct apsp_tie_vertex *vertices;
	uint32_t n_vertices;
	uint32_t *heads; /* for each arc, the index of its head in `vertices`;
			    owned */
	uint64_t n_arcs;
	/* Indices in `vertices`, ordered by layer, the lowest layer first.
	   Vertices that are on a cycle or can be reached from a cycle come
	   last. */
	uint32_t *order; /* owned */
	uint32_t n_ordered;

	/* for tie_graph.c */
	struct apsp_guided_search search; /* the first search, which has found
					     the costs to the end */
	uint32_t from, to;
	int phase;
	apsp_path_cost limit;
	uint32_t *places; /* for each vertex of the table: 0, or 1 + its index
			     in `vertices`; owned */
	uint32_t next;	  /* index of the next element to process in the present
			     phase of the search */
	size_t vertices_size;
	size_t heads_size;
	uint64_t counts_bytes; /* bytes that all counts of paths take */
};

/*
 * Begin the search. The graph gets each arc that lies on an accepted walk from
 * `from` to `to`. A walk is accepted if its length is at most (1 + tolerance)
 * times the least length, and if it visits `from` and `to` only once. `tables`,
 * `arcs` and `avoided` must outlive the search. `avoided` must not contain
 * `from` or `to`. The caller ends *out with apsp_tie_graph_done().
 * APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM. Also fails as
 * apsp_adjacency_needs_unit() does.
 */
int apsp_tie_graph_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	double tolerance, const struct apsp_avoided *avoided,
	struct apsp_tie_graph *out, struct apsp_err *err);
void apsp_tie_graph_done(struct apsp_tie_graph *graph);

/* Return an upper bound of the bytes that apsp_tie_graph_begin() allocates for
   a graph of n_vertices vertices. */
uint64_t apsp_tie_graph_first_bytes(uint64_t n_vertices);

/*
 * Continue the search for about a millisecond (search_work.h). Returns 1 if
 * there is more to do, else 0. At the end, the graph is complete, and
 * everything except `vertices`, `heads` and `order` is freed. The adjacency is
 * no longer needed then. APSP_ESEARCH: the search exceeds its limit of arcs.
 * APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_tie_graph_step(struct apsp_tie_graph *graph,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
