/*
 * Circuits: all arcs that lie on walks from sources to targets within a bound
 * (circuit_question.h; storage/circuits/README.md). A pair is a source and
 * another vertex that is a target. A pair uses an arc (u,v) if
 *
 *	distance(source, u) + length(u, v) + distance(v, target) ≤ bound
 *
 * The circuit has all arcs that some pair uses.
 *
 * A circuit has two parts, so that two threads can work on it. The parts, the
 * answers and the numbers of steps are the same for any number of threads.
 *
 *	begin ─► a turn of each part ─► step ─► 0: the answer is complete
 *	              ▲                  │
 *	              └──────── 1 ◄──────┘
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_part.h"
#include "storage/circuits/circuit_question.h"
#include "storage/circuits/target_batch.h"
#include "storage/tables/tables.h"

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
	double weight; /* sum of the weights of the n_arcs arcs of the graph;
			  only the result is rounded */
	double length; /* least length of the n_arcs arcs of the graph */
};

struct apsp_circuit_answer {
	struct apsp_circuit_vertex
		*vertices; /* ordered by `layer`, then by `vertex`; owned */
	uint32_t n_vertices;
	struct apsp_circuit_arc *arcs; /* ordered by `from`, then by `to`;
					  owned */
	uint64_t n_arcs;
};

struct apsp_circuit {
	/* The following members, up to `answer`, are valid when
	   apsp_circuit_step() has returned 0. */
	uint64_t
		n_pairs; /* number of pairs that have a walk within the bound */
	uint64_t n_skipped; /* number of combinations of a source and a target
			       that n_pairs does not count, because both are the
			       same vertex, or because no walk between them is
			       within the bound */
	uint64_t n_arcs;    /* number of arcs of the answer; all arcs from one
			       group to another count as one */
	/* n_arcs is more than the question allows, and `answer` is empty */
	bool truncated;
	struct apsp_circuit_answer answer;

	struct apsp_circuit_part parts[APSP_CIRCUIT_PARTS];

	/* The following members are private to circuit.c. */
	struct apsp_circuit_question question;
	struct apsp_circuit_base base;
	uint64_t max_steps;
	int stage;
	struct apsp_arc_rolls rolls;
	struct apsp_target_batch batch;
	uint32_t next_target; /* index of the next batch's first target */
	uint32_t batch_size;
};

/* Return the bytes of memory that a circuit needs until it has ended. */
uint64_t apsp_circuit_bytes(const struct apsp_circuit_question *question,
	const struct apsp_tables *tables);

/* Return the least number of steps that a circuit can take (circuit_work.h). */
uint64_t apsp_circuit_steps(const struct apsp_circuit_question *question,
	const struct apsp_tables *tables);

/*
 * Begin a circuit. apsp_circuit_step() fails if the parts together have taken
 * more than max_steps steps (circuit_work.h). `tables`, `graph` and the arrays
 * of the question must outlive the circuit's steps. If rows are computed on
 * demand, the rows that the circuit reads must stay in memory until its last
 * step. *out must not be moved. The caller ends *out with apsp_circuit_done().
 * APSP_ENOMEM. APSP_EDATA: the question limits lengths, and sums of lengths do
 * not fit 128 bits (apsp_adjacency_needs_unit()).
 */
int apsp_circuit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	uint64_t max_steps, struct apsp_circuit *out, struct apsp_err *err);
void apsp_circuit_done(struct apsp_circuit *circuit);

/*
 * Continue after apsp_circuit_part_step() was called once for each part.
 * Returns 1 if each part must do another turn (circuit_work.h). Returns 0 if
 * the answer is complete; all other memory of the circuit is then free.
 * APSP_ESEARCH: the circuit has reached its limit of steps. APSP_EDATA: the sum
 * of the weights from one group to another is above the largest double.
 * APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM.
 */
int apsp_circuit_step(struct apsp_circuit *circuit, struct apsp_err *err);

#endif
