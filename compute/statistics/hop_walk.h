/*
 * How many arcs the paths of a row have, counted along its predecessors, where
 * the distances do not tell (APSP_DISTANCE_SUM).
 */
#ifndef APSP_COMPUTE_STATISTICS_HOP_WALK_H
#define APSP_COMPUTE_STATISTICS_HOP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define APSP_NO_HOPS UINT32_MAX /* no path */

/* The scratch of one thread; owned. */
struct apsp_hop_walk {
	uint32_t n_vertices;
	uint32_t *hops;	 /* of the last row, by target */
	uint32_t *order; /* targets as that row settled them */
	uint32_t *next;
	uint32_t *stack;
};

/* False: no memory. apsp_hop_walk_done() accepts what is half made. */
bool apsp_hop_walk_init(struct apsp_hop_walk *walk, uint32_t n_vertices);
void apsp_hop_walk_done(struct apsp_hop_walk *walk);

/*
 * Count the hops of a row of predecessors, the one of number `row` in an array
 * of them. False: they are no tree from the source. Linear time.
 */
bool apsp_hop_walk_row(struct apsp_hop_walk *walk, const void *predecessors,
	size_t row, uint32_t source);

#endif
