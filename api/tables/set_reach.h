/*
 * Finds the vertices that a set of vertices reaches, or that reach the set. For
 * each vertex found, `steps` is the least number of arcs from or to any vertex
 * of the set. If distances are wanted, `distance` is the least distance from or
 * to any vertex of the set, and `nearest` is the first vertex of the set at
 * this distance. A distance has the same bits as in GET …/path. If the profile
 * has widest paths, widths take the place of distances, and the greatest width
 * is the best.
 *
 * The work is done in steps: first a breadth-first search over the profile's
 * arcs, then steps that read one row of distances each.
 */
#ifndef APSP_API_TABLES_SET_REACH_H
#define APSP_API_TABLES_SET_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/reading.h"
#include "api/vertex_set.h"
#include "daemon/base/budget.h"
#include "daemon/base/err.h"
#include "storage/search/arc_range.h"
#include "storage/tables/row_reader.h"

struct apsp_set_reach {
	/* The question; the caller sets these members. */
	enum apsp_direction direction;
	struct apsp_vertex_set starts; /* the set, without repetitions; owned */
	struct apsp_vertex_match among; /* only these vertices are in the
					   answer; owned */
	uint32_t max_hops; /* largest number of arcs; UINT32_MAX: no limit */
	bool distances;	   /* distances or widths are wanted */
	bool widest;	   /* the profile has widest paths */
	/* limit of the answer: the greatest distance or the least width of a
	   vertex. No limit: INFINITY for distances, 0 for widths. Used only if
	   `distances` is set */
	double bound;
	struct apsp_share *share; /* counts the memory of the search and the
				     answer; borrowed */

	/* The answer: parallel arrays in ascending order of vertices. */
	size_t n;
	uint32_t *vertices; /* owned */
	uint32_t *steps;    /* owned */
	double *distance;   /* distances, or widths; NULL: not wanted; owned */
	uint32_t *nearest;  /* NULL: not wanted; owned */

	/* The following members are private to set_reach.c. */
	struct apsp_arc_range range;
	struct apsp_row_reader *rows;
	size_t next; /* index of the next row */
};

void apsp_set_reach_done(struct apsp_set_reach *reach);

/*
 * Begin the search over `arcs`, which is borrowed until
 * apsp_set_reach_search() has returned 0. Fails as apsp_share_grow() does; the
 * function may then be called again. APSP_ENOMEM.
 */
int apsp_set_reach_begin(struct apsp_set_reach *reach,
	const struct apsp_adjacency *arcs, struct apsp_err *err);

/* Visit some arcs. Returns 1 if arcs are left. Otherwise returns 0, and
   `vertices` and `steps` are set. APSP_ENOMEM. Also fails as apsp_share_grow()
   does; the function may then be called again. */
int apsp_set_reach_search(struct apsp_set_reach *reach, struct apsp_err *err);

/*
 * Prepare to read distances, after the search. If the graph has no tables, the
 * rows that the distances need are computed first. The function may be called
 * again after a failure. APSP_ETOOLARGE: the set and the found vertices make
 * more than APSP_REACH_CELLS_MAX pairs. APSP_ENOMEM. Also fails as
 * apsp_reading_rows() and apsp_share_grow() do, and waits for memory
 * (apsp_request_wait_memory()).
 */
int apsp_set_reach_distances(struct apsp_request *req,
	struct apsp_set_reach *reach, struct apsp_reading *reading,
	struct apsp_err *err);

/* Read one row of distances. Returns 1 if rows are left. Otherwise returns 0,
   and the answer is complete. APSP_EDAMAGED, APSP_ENOMEM. */
int apsp_set_reach_step(struct apsp_set_reach *reach, struct apsp_err *err);

#endif
