/*
 * The arcs and vertices of a circuit that is being found, and the number of
 * pairs that use each of them. Pairs are counted source by source. If the
 * vertices are in groups, a pair counts once for each group and once for each
 * roll (arc_rolls.h) that it uses. Each vertex has a set of targets: the
 * targets of the pairs that use the vertex. For each source, the sets of all
 * vertices of a group are united, and then the targets in the union are
 * counted.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_MARKS_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/arc_rolls.h"
#include "storage/circuits/circuit_question.h"
#include "storage/search/adjacency.h"

struct apsp_circuit_marks {
	const struct apsp_adjacency *graph; /* borrowed */
	const struct apsp_arc_rolls *rolls; /* borrowed */
	/* number of marked arcs. If the vertices are in groups, number of rolls
	   that have a marked arc; a roll is all arcs from a group to another */
	uint64_t n_arcs;
	uint64_t max_arcs;
	bool truncated; /* n_arcs exceeds max_arcs, so the pairs of each arc are
			   no longer counted */
	unsigned char *arcs; /* for each arc, whether it is marked; owned */
	unsigned char
		*vertices; /* for each vertex, whether it is marked; owned */
	/* for each roll (all arcs from one group to another, or from a group to
	   itself), whether it has a marked arc; NULL if there are no groups;
	   owned */
	unsigned char *in_rolls;
	/* for each arc or, if there are groups, for each roll (arc_rolls.h),
	   the number of pairs that use it; owned */
	uint32_t *roll_pairs;
	/* for each vertex or, if there are groups, for each group, the number
	   of pairs that use it; owned */
	uint32_t *node_pairs;

	/* For each target, whether walks from the present source to this target
	   use the present group. NULL if there are no groups. Owned. */
	unsigned char *node_used;

	/* The following members are private to circuit_marks.c. */
	unsigned char *
		roll_used; /* For each roll into the present group: one byte for
			      each target says whether walks from the present
			      source to this target use the roll. One more byte
			      says whether the roll is in `touched`. Owned. */
	size_t stride;	   /* number of bytes of one roll in roll_used */
	/* the rolls into the present group that a pair of the present source
	   uses; owned */
	uint32_t *touched;
	uint32_t n_touched;
};

/* Return the bytes of memory that struct apsp_circuit_marks needs. */
uint64_t apsp_circuit_marks_bytes(const struct apsp_circuit_question *question,
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_targets);

/* Allocate the marks. No arc is marked at first. A batch has at most n_targets
   targets. `graph` and `rolls` must outlive the marks. The caller ends *out
   with apsp_circuit_marks_done(). APSP_ENOMEM. */
int apsp_circuit_marks_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *graph, const struct apsp_arc_rolls *rolls,
	uint32_t n_targets, struct apsp_circuit_marks *out,
	struct apsp_err *err);
void apsp_circuit_marks_done(struct apsp_circuit_marks *marks);

/* Return an array with one element for each target. The caller sets the
   elements of the targets whose walks use `arc`. The head of the arc is in the
   group `node`. NULL: no array is needed, only the number of these targets. */
unsigned char *apsp_circuit_marks_used(
	const struct apsp_circuit_marks *marks, uint32_t node, uint64_t arc);

/* Mark an arc. Walks from the present source to n_targets targets use this arc;
   n_targets is at least 1. `used` is the result of apsp_circuit_marks_used(),
   in which the caller has set the elements of these targets. */
void apsp_circuit_marks_arc(struct apsp_circuit_marks *marks, uint64_t arc,
	uint32_t n_targets, unsigned char *used);

/* Mark a vertex. Walks from the present source to n_targets targets use this
   vertex; n_targets is at least 1. */
void apsp_circuit_marks_vertex(
	struct apsp_circuit_marks *marks, uint32_t v, uint32_t n_targets);

/* If the vertices are in groups, call this after the last vertex of the group
   `node`. The call adds the pairs of the present source to node_pairs of this
   group, and to roll_pairs of the rolls whose heads are in the group. */
void apsp_circuit_marks_group_end(
	struct apsp_circuit_marks *marks, uint32_t node);

/* Add the marks and the numbers of pairs in `more`, which were found for other
   sources, to `marks`. `more` has the same graph and rolls as `marks`. */
void apsp_circuit_marks_join(struct apsp_circuit_marks *marks,
	const struct apsp_circuit_marks *more);

#endif
