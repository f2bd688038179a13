/*
 * A part of the work of a circuit (circuit.h). Different threads can work on
 * different parts. For each batch of targets, each part
 *
 *	1. reads a share of the distances from all vertices to the targets,
 *	2. makes these distances exact for a share of the targets,
 *	3. marks the arcs between a share of the sources and all targets.
 *
 * Each step needs the results of all parts from the step before.
 */
#ifndef APSP_STORAGE_CIRCUITS_CIRCUIT_PART_H
#define APSP_STORAGE_CIRCUITS_CIRCUIT_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_marks.h"
#include "storage/circuits/circuit_question.h"
#include "storage/circuits/circuit_work.h"
#include "storage/circuits/target_batch.h"
#include "storage/circuits/target_bounds.h"
#include "storage/tables/row_reader.h"
#include "storage/tables/tables.h"

enum {
	APSP_CIRCUIT_PARTS = 2,
};

/* The data of a circuit that all parts read. All pointers are borrowed. */
struct apsp_circuit_base {
	const struct apsp_circuit_question *question;
	struct apsp_tables *tables;
	const struct apsp_adjacency *graph;
	enum apsp_row_kind kind;
};

struct apsp_circuit_part {
	uint64_t n_pairs;   /* number of pairs of the part's sources that have a
			       walk within the bound */
	uint64_t n_skipped; /* number of combinations of one of the part's
			       sources and a target that n_pairs does not count
			     */
	struct apsp_circuit_marks marks; /* arcs and vertices between the part's
					    sources and the targets */
	double largest; /* largest finite magnitude of the distances that the
			   part has stored in the present batch */
	struct apsp_circuit_work work;
	bool works; /* the part needs more turns */

	/* The following members are private to circuit_part.c. */
	struct apsp_circuit_base base;
	uint32_t number; /* index of this part, below APSP_CIRCUIT_PARTS */
	int phase;
	struct apsp_target_batch *batch; /* borrowed */
	struct apsp_target_bounds bounds;
	uint32_t first; /* index of the part's first target in the batch */
	uint32_t end; /* 1 + the index of the part's last target in the batch */
	/* index in the batch of the target whose distances are read now, or
	   of the first target if the distances to several targets are read
	   together */
	uint32_t target;
	uint32_t source; /* index of the present source in the question */
	/* index of the next vertex, target or row to process; `phase`
	   decides which of these */
	uint32_t place;
	bool started; /* the work on the present batch, target or source has
			 begun */
	struct apsp_exact_row from_source, to_target;
	struct apsp_row_reader *reader; /* reads distances from the tables;
					   owned; NULL: not open */
};

/* Return the bytes of memory that a part needs, without the batch and the rolls
   (arc_rolls.h). A batch has at most n_targets targets. */
uint64_t apsp_circuit_part_bytes(const struct apsp_circuit_question *question,
	const struct apsp_tables *tables, uint64_t n_targets);

/* Allocate a part without work. `rolls` and everything that `base` points to
   must outlive the part. The caller ends *out with apsp_circuit_part_done().
   APSP_ENOMEM. */
int apsp_circuit_part_init(const struct apsp_circuit_base *base,
	uint32_t number, const struct apsp_arc_rolls *rolls,
	uint32_t batch_size, struct apsp_circuit_part *out,
	struct apsp_err *err);
void apsp_circuit_part_done(struct apsp_circuit_part *part);

/* Let the part's next turns read its share of the tables' distances to the
   targets of `batch`, if the question needs tables. The part borrows `batch`.
   APSP_ENOMEM. */
int apsp_circuit_part_read(struct apsp_circuit_part *part,
	struct apsp_target_batch *batch, struct apsp_err *err);

/* From its next turn on (apsp_circuit_part_step()), the part finds the exact
   distances to its share of the batch's targets. */
void apsp_circuit_part_columns(struct apsp_circuit_part *part);

/* From its next turn on (apsp_circuit_part_step()), the part marks the arcs on
   walks from its sources to the targets of the batch. The distances to these
   targets must be complete. */
void apsp_circuit_part_sources(struct apsp_circuit_part *part);

/* Do a turn of the work. Returns 1 if more turns are needed, and 0 if the part
   has no work. APSP_EDAMAGED: the tables are damaged. APSP_ENOMEM. */
int apsp_circuit_part_step(
	struct apsp_circuit_part *part, struct apsp_err *err);

#endif
