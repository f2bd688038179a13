/*
 * The arcs of a circuit's answer. The question may put the vertices in groups.
 * Then the answer has one arc in place of all arcs from one group to another,
 * or from a group to itself.
 * This arc is called a roll. Without groups, each arc is a roll of its own.
 *
 * The arcs of the graph are numbered by head, like the elements of in_arcs in
 * storage/search/adjacency.h.
 */
#ifndef APSP_STORAGE_CIRCUITS_ARC_ROLLS_H
#define APSP_STORAGE_CIRCUITS_ARC_ROLLS_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/search/adjacency.h"

struct apsp_arc_rolls {
	uint32_t n_nodes; /* number of groups, or of vertices if there are no
			     groups */
	uint64_t n_rolls;
	const uint32_t *groups; /* the group of each vertex; NULL: there are no
				   groups; borrowed */
	/* The following arrays are NULL if there are no groups. Owned. */
	uint32_t *order; /* all vertices, ordered by group */
	/* for each arc, the number of the roll that stands for it */
	uint32_t *of;
	/* the rolls whose arcs lead into group g have the numbers first[g] to
	   first[g + 1] − 1 */
	uint32_t *first;
};

/* Return the bytes of memory that struct apsp_arc_rolls needs. */
uint64_t apsp_arc_rolls_bytes(
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_groups);

/*
 * Find the rolls of all arcs. A roll stands for all arcs from one group to
 * another, or from a group to itself. If `groups` is NULL, there are no groups,
 * and n_groups is ignored. Takes O(n + m), some milliseconds for a million
 * arcs. The caller ends *out with apsp_arc_rolls_done(). APSP_ENOMEM.
 */
int apsp_arc_rolls_init(const struct apsp_adjacency *arcs,
	const uint32_t *groups, uint32_t n_groups, struct apsp_arc_rolls *out,
	struct apsp_err *err);
void apsp_arc_rolls_done(struct apsp_arc_rolls *rolls);

static inline uint32_t apsp_arc_rolls_vertex(
	const struct apsp_arc_rolls *rolls, uint32_t place)
{
	return rolls->order ? rolls->order[place] : place;
}

static inline uint32_t apsp_arc_rolls_node(
	const struct apsp_arc_rolls *rolls, uint32_t v)
{
	return rolls->groups ? rolls->groups[v] : v;
}

static inline uint64_t apsp_arc_rolls_of(
	const struct apsp_arc_rolls *rolls, uint64_t arc)
{
	return rolls->of ? rolls->of[arc] : arc;
}

#endif
