/*
 * Some or all targets of a circuit, and for each vertex the walks to these
 * targets. About the walks from a vertex to a target, the batch knows the least
 * length. If the question is about walks of exactly n arcs, the batch knows
 * instead which numbers of arcs these walks have.
 *
 *	            target 0   target 1   …   padding
 *	vertex 0    walk 0     walk 1     …
 *	vertex 1
 *	…
 *
 * For one source at a time, each target has a bound. A vertex or an arc is in
 * the circuit of a pair if some walk from the source to the target uses it
 * within this bound.
 */
#ifndef APSP_STORAGE_CIRCUITS_TARGET_BATCH_H
#define APSP_STORAGE_CIRCUITS_TARGET_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_question.h"
#include "storage/circuits/exact_row.h"
#include "storage/circuits/walk_row.h"

enum {
	APSP_TARGET_LANES =
		8, /* rows are padded to a multiple of this number of targets,
		      so that compilers use vector instructions */
};

/* The first part of a walk: from the source to a vertex, and perhaps along an
   arc out of this vertex. */
struct apsp_walk_part {
	double value; /* length */
	apsp_path_cost
		exact;	/* length in units, only for APSP_ROW_KIND_EXACT */
	uint64_t walks; /* bit k is set if there is a walk of k arcs; used only
			   if the question is about walks of exactly n_arcs arcs
			 */
};

struct apsp_target_batch {
	const struct apsp_circuit_question *question; /* borrowed */
	const struct apsp_adjacency *arcs;	      /* borrowed */
	struct apsp_path_cost_unit unit;
	bool exactly; /* the question is about walks of exactly n_arcs arcs */
	const uint32_t *targets; /* borrowed */
	uint32_t n;		 /* number of targets */
	uint32_t stride;	 /* number of targets with padding */
	double *values;		 /* n_vertices × stride; owned */
	apsp_path_cost *exact;	 /* n_vertices × stride exact costs; NULL if
				    `values` are exact; owned */
	uint64_t *walks;	 /* instead of `values`; owned */
	double largest;		 /* largest finite magnitude in `values` */

	/* values of the present source */
	double *bounds; /* the bound of each target; -INFINITY: the pair is
			   skipped; owned */
	apsp_path_cost *exact_bounds; /* the bounds in units; owned */
	double slop; /* upper bound of the rounding error of a sum */
	/* values of the present vertex (apsp_target_batch_look()) */
	uint32_t vertex;
	double least; /* least value of (length of the walk from `vertex` to a
			 target) - (bound of this target), over all targets */
	uint64_t any_walks; /* the numbers of arcs of the walks from `vertex` to
			       the targets that are not skipped, as bits in
			       reverse order */
	double *beyond; /* for each target, the length of the walk from `vertex`
			   to the target minus the target's bound; owned */
	bool filled;	/* `beyond` has the values of `vertex` */
};

/* The memory that a batch of n_targets targets needs, in bytes. */
uint64_t apsp_target_batch_bytes(
	enum apsp_row_kind kind, uint64_t n_vertices, uint64_t n_targets);

/*
 * Allocate a batch of n targets without walks. `question`, `arcs` and `targets`
 * must outlive the batch. The caller ends *out with apsp_target_batch_done().
 * APSP_ENOMEM.
 */
int apsp_target_batch_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *arcs, enum apsp_row_kind kind,
	const uint32_t *targets, uint32_t n, struct apsp_target_batch *out,
	struct apsp_err *err);
void apsp_target_batch_done(struct apsp_target_batch *batch);

/* Store the walks from all vertices to target j. */
void apsp_target_batch_distances(struct apsp_target_batch *batch, uint32_t j,
	const struct apsp_exact_row *row);
void apsp_target_batch_walks(struct apsp_target_batch *batch, uint32_t j,
	const struct apsp_walk_row *row);

/*
 * Set the bounds of the pairs of a source. Returns the number of pairs that
 * have a walk within their bound. `largest` is the largest finite magnitude of
 * the distances from the source.
 */
uint32_t apsp_target_batch_source(
	struct apsp_target_batch *batch, uint32_t source, double largest);

/* Choose the vertex v. The next two functions are about walks through v. */
void apsp_target_batch_look(struct apsp_target_batch *batch, uint32_t v);

/* Look at walks whose first part ends at the chosen vertex. The first part has
   the length `value` or, if bounds are numbers of arcs, one of the numbers of
   arcs in the set `walks`. Return whether such a walk can be within the bound
   of any target. Because of rounding errors, the result can be true although
   apsp_target_batch_count() returns 0. */
static inline bool apsp_target_batch_may(
	const struct apsp_target_batch *batch, double value, uint64_t walks)
{
	return batch->exactly ? (walks & batch->any_walks) != 0
			      : value + batch->least <= batch->slop;
}

/*
 * Count the targets for which a walk that begins with `part`, and continues
 * from the chosen vertex, is within the bound. Unless `used` is NULL, set
 * used[j] to 1 for each of these targets.
 */
uint32_t apsp_target_batch_count(struct apsp_target_batch *batch,
	const struct apsp_walk_part *part, unsigned char *used);

#endif
