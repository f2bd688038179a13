/*
 * All shortest paths from one vertex to another, as the graph of their arcs
 * with the number of paths; no path is ever listed.
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
	uint32_t layer;	     /* arcs of the graph's longest path to here */
	apsp_path_cost cost; /* from the source */
	uint64_t first;	     /* of its arcs */
	uint64_t n_in;	     /* arcs that lead here and are not yet counted */
	struct apsp_path_count n_paths; /* from the source; owned */
};

struct apsp_tie_arc {
	uint32_t head; /* place among vertices */
	uint64_t arc;  /* place among the adjacency's */
};

struct apsp_tie_graph {
	bool reachable;
	apsp_path_cost cost; /* of the shortest path with the fewest arcs */
	/* a cycle of length 0 lies on shortest paths: they are not counted */
	bool cyclic;
	struct apsp_path_count n_paths; /* borrowed from the end's vertex */
	/* the arcs of vertices[i] are from its first to the next one's first;
	 * one more vertex ends them. Owned. */
	struct apsp_tie_vertex *vertices;
	uint32_t n_vertices;
	struct apsp_tie_arc *arcs;
	uint64_t n_arcs;
	/* places of vertices by layers, those of cycles and behind them last */
	uint32_t *order; /* owned */
	uint32_t n_ordered;

	/* for tie_graph.c */
	struct apsp_guided_search search; /* of the costs to the end */
	uint32_t from, to;
	int phase;
	apsp_path_cost limit;
	uint32_t *places; /* by vertex: its place and 1, or 0; owned */
	uint32_t next;	  /* place of the phase */
	uint32_t vertices_size;
	uint64_t arcs_size;
	uint64_t counts_bytes; /* of the vertices' n_paths */
};

/*
 * Begin; a path is a shortest one if its length is above the least by at most
 * that share of it. avoided must outlive the search, and has neither end. The
 * caller ends *out with apsp_tie_graph_done(). APSP_ENOMEM.
 */
int apsp_tie_graph_begin(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t from, uint32_t to,
	double tolerance, const struct apsp_avoided *avoided,
	struct apsp_tie_graph *out, struct apsp_err *err);
void apsp_tie_graph_done(struct apsp_tie_graph *graph);

/*
 * The graph is complete: free all but its vertices, arcs and order, and forget
 * the adjacency. Returns the bytes that are still taken.
 */
uint64_t apsp_tie_graph_settle(struct apsp_tie_graph *graph);

/* The bytes that it has taken, until it is settled. */
uint64_t apsp_tie_graph_bytes(const struct apsp_tie_graph *graph);

/*
 * Go on for a turn. Returns 1 if there is more, else 0: the graph is complete.
 * APSP_ESEARCH, APSP_EDAMAGED, APSP_ENOMEM.
 */
int apsp_tie_graph_step(struct apsp_tie_graph *graph,
	struct apsp_search_work *work, struct apsp_err *err);

#endif
