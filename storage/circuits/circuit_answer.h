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
	uint32_t vertex;     /* index of the vertex, or number of the group */
	uint32_t n_vertices; /* number of the group's vertices that are in the
				circuit */
	uint32_t layer; /* least number of arcs on a walk in the circuit from
			   any source to the vertex */
	uint32_t pairs; /* number of pairs that use the vertex or group */
};

/* An arc of the answer: an arc of the graph, or all arcs of the circuit from
   one group of vertices to another. */
struct apsp_circuit_arc {
	uint32_t from, to; /* indices in the answer's `vertices` */
	uint32_t pairs;	   /* number of pairs that use this arc, or one of the
			      arcs that it stands for */
	uint32_t n_arcs;   /* number of arcs of the graph that this arc stands
	  for */
	double weight;	   /* exact sum of the weights of the n_arcs arcs of the
			      graph, rounded once */
	double length;	   /* least length of the n_arcs arcs of the graph */
};

struct apsp_circuit_answer {
	struct apsp_circuit_vertex
		*vertices; /* ordered by `layer`, then by `vertex`; owned */
	uint32_t n_vertices;
	struct apsp_circuit_arc *arcs; /* ordered by `from`, then by `to`;
					  owned */
	uint64_t n_arcs;
};

/* Make the answer, after all arcs and vertices of the circuit were marked. The
   caller ends *out with apsp_circuit_answer_done(). APSP_ENOMEM.
   APSP_EDATA: a sum of weights is above the largest double. */
int apsp_circuit_answer_make(const struct apsp_circuit_question *question,
	const struct apsp_circuit_marks *marks, struct apsp_circuit_answer *out,
	struct apsp_err *err);
void apsp_circuit_answer_done(struct apsp_circuit_answer *answer);

#endif
