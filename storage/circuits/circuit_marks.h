/*
 * What is known about the arcs of a circuit while it is being found: which arcs
 * and vertices it has, and how many pairs use them. Pairs are counted source by
 * source. If vertices are rolled up to groups, a pair counts once for a group
 * and once for a roll (arc_rolls.h), so the targets that the present source
 * reaches by any vertex of the group are combined first.
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
	struct apsp_arc_rolls rolls;
	uint64_t n_arcs; /* marked arcs, or rolls with marked arcs */
	uint64_t max_arcs;
	bool truncated;	     /* n_arcs is above max_arcs: pairs of arcs are no
				longer counted */
	unsigned char *arcs; /* for each arc, whether it is marked; owned */
	unsigned char *vertices; /* owned */
	unsigned char *in_rolls; /* rolls with marked arcs, if vertices are
				    rolled up; owned */
	uint32_t *roll_pairs;	 /* pairs that use a roll; owned */
	uint32_t *node_pairs;	 /* pairs that use a vertex or a group; owned */

	/* If vertices are rolled up: for each target, whether the present
	   source uses the present group on the way to it. Otherwise NULL.
	   Owned. */
	unsigned char *node_used;

	/* for circuit_marks.c */
	unsigned char *roll_used; /* the same for each roll into the group; one
				     more byte for each roll says whether it is
				     in `touched`. Owned */
	size_t stride;		  /* of roll_used */
	uint32_t *touched;	  /* owned */
	uint32_t n_touched;
};

/* The bytes of memory that marks take. */
uint64_t apsp_circuit_marks_bytes(const struct apsp_circuit_question *question,
	uint64_t n_vertices, uint64_t n_arcs, uint64_t n_targets);

/* Allocate marks; no arc is marked. A source has at most n_targets targets at a
   time. The caller ends *out with apsp_circuit_marks_done(). APSP_ENOMEM. */
int apsp_circuit_marks_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *graph, uint32_t n_targets,
	struct apsp_circuit_marks *out, struct apsp_err *err);
void apsp_circuit_marks_done(struct apsp_circuit_marks *marks);

/* The targets that use an arc into a vertex of `node`, an element for each;
   NULL if the caller only needs their number. */
unsigned char *apsp_circuit_marks_used(
	const struct apsp_circuit_marks *marks, uint32_t node, uint64_t arc);

/* Mark an arc that n_targets targets use. `used` is the result of
   apsp_circuit_marks_used(), in which these targets are set. */
void apsp_circuit_marks_arc(struct apsp_circuit_marks *marks, uint64_t arc,
	uint32_t n_targets, unsigned char *used);

/* Mark a vertex that n_targets targets use, more than 0. */
void apsp_circuit_marks_vertex(
	struct apsp_circuit_marks *marks, uint32_t v, uint32_t n_targets);

/* If vertices are rolled up: the present source has looked at all vertices of
   the group `node`. */
void apsp_circuit_marks_group_end(
	struct apsp_circuit_marks *marks, uint32_t node);

#endif
