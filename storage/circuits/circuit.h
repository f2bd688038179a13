/*
 * Circuits: all arcs that lie on walks from sources to targets within a bound
 * (circuit_question.h; storage/circuits/README.md). A pair is a source and
 * another vertex that is a target. An arc (u,v) is in the circuit if for some
 * pair
 *
 *	distance(source, u) + length(u, v) + distance(v, target) ≤ bound
 *
 *	begin ─► step, step, … (0) ─► the answer: vertices, arcs
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_answer.h"
#include "storage/circuits/circuit_marks.h"
#include "storage/circuits/circuit_question.h"
#include "storage/circuits/circuit_work.h"
#include "storage/circuits/target_batch.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/tables.h"

struct apsp_circuit {
	/* the answer, after apsp_circuit_step() has returned 0 */
	uint64_t
		n_pairs; /* number of pairs that have a walk within the bound */
	uint64_t n_skipped; /* number of other combinations of a source and a
			       target: no walk within the bound, or a vertex
			       with itself */
	uint64_t n_arcs; /* number of arcs of the circuit, after rolling up */
	/* n_arcs is more than the question allows, and `answer` is empty */
	bool truncated;
	struct apsp_circuit_answer answer;

	/* private to circuit.c */
	struct apsp_circuit_question question;
	struct apsp_tables *tables;	    /* borrowed */
	const struct apsp_adjacency *graph; /* borrowed */
	enum apsp_row_kind kind;
	int phase;
	struct apsp_circuit_marks marks;
	struct apsp_target_batch batch;
	uint32_t first_target; /* index of the batch's first target */
	uint32_t batch_size;
	uint32_t source; /* index of the present source */
	uint32_t place;	 /* index of the next vertex or target of the phase */
	bool started;	 /* the present exact_row or walk_row was started */
	struct apsp_exact_row from_source, to_target;
	struct apsp_walk_row walks_from, walks_to;
	struct apsp_row_reader *reader; /* owned; NULL: not open */
	/* number of targets of the batch whose distances were read */
	uint32_t n_read;
};

/* The memory that a circuit needs until it has ended, in bytes. */
uint64_t apsp_circuit_bytes(const struct apsp_circuit_question *question,
	const struct apsp_tables *tables);

/* The least number of steps of a circuit (circuit_work.h). */
uint64_t apsp_circuit_steps(const struct apsp_circuit_question *question,
	const struct apsp_tables *tables);

/* Whether a circuit reads tables. If the rows of these tables come on demand,
   it reads the rows of the sources, and the columns of the targets. */
static inline bool apsp_circuit_reads_tables(
	const struct apsp_circuit_question *question)
{
	return question->bound < APSP_CIRCUIT_HOPS_MOST;
}

/*
 * Begin a circuit. `tables`, `graph`, the arrays of the question, and the rows
 * on demand of this circuit must outlive the circuit's steps. The caller ends
 * *out with apsp_circuit_done(). APSP_ENOMEM.
 */
int apsp_circuit_begin(const struct apsp_circuit_question *question,
	struct apsp_tables *tables, const struct apsp_adjacency *graph,
	struct apsp_circuit *out, struct apsp_err *err);
void apsp_circuit_done(struct apsp_circuit *circuit);

/*
 * Do one turn of the work. Returns 1 if more turns are needed. Returns 0 if the
 * answer is complete; then only the answer keeps memory. APSP_ESEARCH: `work`
 * has reached its limit. APSP_ENOMEM, APSP_EDAMAGED.
 */
int apsp_circuit_step(struct apsp_circuit *circuit,
	struct apsp_circuit_work *work, struct apsp_err *err);

#endif
