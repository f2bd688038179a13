/*
 * Lower bounds of the distances from one vertex, for searches. The bounds are
 * taken from the vertex's row of the tables (storage/search/README.md, The
 * table is the guide). If the table holds distances, the whole row is read in
 * one call. If the table holds predecessors only, the distance to a vertex is
 * computed when a search asks for the bound of this vertex: as the sum of the
 * lengths of the path's arcs. Most searches ask for few vertices.
 */
#ifndef APSP_STORAGE_SEARCH_TABLE_BOUND_H
#define APSP_STORAGE_SEARCH_TABLE_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/bit_set.h"
#include "daemon/base/err.h"
#include "storage/search/adjacency.h"
#include "storage/tables/tables.h"

struct apsp_table_bound {
	bool exact;    /* true: lengths are whole numbers, so `least` and `hops`
			  are exact */
	double *least; /* lower bound of the distance to each vertex; INFINITY
			  if there is no path; owned */
	uint32_t *hops; /* if `exact` is true: for each vertex, the number of
			   arcs of the path to the vertex; owned */
	double largest; /* largest finite magnitude in `least` so far */
	/* A distance of the table exceeds the true distance by at most share ·
	   |distance| + excess. */
	double share;
	double excess;
	/* A bit for each vertex, set if its lower bound in `least` is known;
	   NULL: all lower bounds are known. Owned. */
	uint64_t *known;

	/* for table_bound.c */
	struct apsp_tables *tables;	   /* borrowed */
	const struct apsp_adjacency *arcs; /* borrowed */
	uint32_t source;
	double *sums;	 /* if `exact` is false: for each vertex in `known`, its
			    distance in the tables; owned */
	uint32_t *stack; /* the vertices of a path, beginning with its last
			    vertex; owned */
	size_t stack_size;
};

/* Return an upper limit of the bytes that a struct apsp_table_bound owns if the
   graph has n_vertices vertices, without the member `stack`. */
uint64_t apsp_table_bound_bytes(uint64_t n_vertices);

/* Prepare to find lower bounds of the distances from `source`. `tables` and
   `arcs` must outlive *out. The caller ends *out with apsp_table_bound_done(),
   also after a failure. APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM. */
int apsp_table_bound_init(struct apsp_tables *tables,
	const struct apsp_adjacency *arcs, uint32_t source,
	struct apsp_table_bound *out, struct apsp_err *err);
void apsp_table_bound_done(struct apsp_table_bound *bound);

static inline bool apsp_table_bound_knows(
	const struct apsp_table_bound *bound, uint32_t v)
{
	return !bound->known || apsp_bit_set_has(bound->known, v);
}

/* Find the lower bounds of the distances to v and to all vertices on the path
   to v, unless they are known. APSP_EDAMAGED: the tables are damaged.
   APSP_ENOMEM. */
int apsp_table_bound_find(
	struct apsp_table_bound *bound, uint32_t v, struct apsp_err *err);

#endif
