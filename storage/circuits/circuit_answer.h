/*
 * The answer of a circuit: its vertices with their layers, and its arcs.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_ANSWER_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_ANSWER_H

#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_marks.h"
#include "storage/circuits/circuit_question.h"

/* A vertex of the answer, or a group of vertices. */
struct apsp_circuit_vertex {
	uint32_t vertex;     /* or the number of the group */
	uint32_t n_vertices; /* of the group, that are in the circuit */
	uint32_t layer;	     /* fewest arcs of the circuit from any source */
	uint32_t pairs;	     /* number of pairs that use it */
};

/* An arc of the answer, or all arcs of the circuit between two groups. */
struct apsp_circuit_arc {
	uint32_t from, to; /* indices in `vertices` */
	uint32_t pairs;	   /* number of pairs that use it */
	uint32_t n_arcs;
	double weight; /* sum of the arcs' weights */
	double length; /* least of the arcs' lengths */
};

struct apsp_circuit_answer {
	struct apsp_circuit_vertex *vertices; /* ordered by layer, then by
						 index; owned */
	uint32_t n_vertices;
	struct apsp_circuit_arc *arcs; /* ordered by `from`, then by `to`;
					  owned */
	uint64_t n_arcs;
};

/* Make the answer of a circuit whose arcs are marked and counted. The caller
   ends *out with apsp_circuit_answer_done(). APSP_ENOMEM. */
int apsp_circuit_answer_make(const struct apsp_circuit_question *question,
	const struct apsp_circuit_marks *marks, struct apsp_circuit_answer *out,
	struct apsp_err *err);
void apsp_circuit_answer_done(struct apsp_circuit_answer *answer);

#endif
