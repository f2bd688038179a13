/*
 * The targets of a circuit, or a part of them, and for each vertex the walks
 * from it to each of these targets: the least length of a walk, or, for walks
 * of a given number of arcs, the numbers of arcs of all walks.
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
	APSP_TARGET_LANES = 8, /* targets are padded to a multiple of this, so
				  that compilers use vector instructions */
};

/* The beginning of a walk: from the source to a vertex, or along an arc. */
struct apsp_walk_part {
	double value;	      /* its length */
	apsp_path_cost exact; /* its length in units */
	uint64_t walks; /* bit k is set if the walk may have k arcs; only for
			   walks of a given number of arcs */
};

struct apsp_target_batch {
	const struct apsp_circuit_question *question; /* borrowed */
	const struct apsp_adjacency *arcs;	      /* borrowed */
	struct apsp_path_cost_unit unit;
	bool exactly;		 /* walks of a given number of arcs */
	const uint32_t *targets; /* borrowed */
	uint32_t n;		 /* targets */
	uint32_t stride;	 /* targets and padding */
	double *values;		 /* n_vertices × stride; owned */
	apsp_path_cost *exact;	 /* n_vertices × stride, or NULL: `values` are
				    exact; owned */
	uint64_t *walks;	 /* instead of `values`; owned */
	double largest;		 /* largest finite magnitude in `values` */

	/* of the present source: */
	double *bounds; /* for each target; -INFINITY: the pair is skipped;
			   owned */
	apsp_path_cost *exact_bounds; /* owned */
	double slop;		      /* bound of rounding errors */
	/* of the present vertex: */
	uint32_t vertex;
	double least; /* least length of a walk on to a target, less the bound
			 of this target */
	uint64_t any_walks; /* lengths of walks on to any target */
	double *beyond; /* for each target: the length of the walk from `vertex`
			   to it, less its bound; owned */
	bool filled;	/* `beyond` is of `vertex` */
};

/* The bytes of memory that a batch of n_targets targets takes. */
uint64_t apsp_target_batch_bytes(
	enum apsp_row_kind kind, uint64_t n_vertices, uint64_t n_targets);

/*
 * Allocate a batch of n targets, whose columns are filled in later.
 * `question`, `arcs` and `targets` must outlive it. The caller ends *out with
 * apsp_target_batch_done(). APSP_ENOMEM.
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

/* Look at the walks from v to the targets, before the next two functions ask
   about walks that come by way of v. */
void apsp_target_batch_look(struct apsp_target_batch *batch, uint32_t v);

/* Whether a walk that begins with `part`, which ends at the vertex that was
   looked at, can be within the bound of any target. Because of rounding errors,
   this may be true although apsp_target_batch_count() returns 0. */
static inline bool apsp_target_batch_may(
	const struct apsp_target_batch *batch, double value, uint64_t walks)
{
	return batch->exactly ? (walks & batch->any_walks) != 0
			      : value + batch->least <= batch->slop;
}

/*
 * Count the targets for which a walk that begins with `part` is within the
 * bound. Unless `used` is NULL, set used[j] to 1 for each of these targets.
 */
uint32_t apsp_target_batch_count(struct apsp_target_batch *batch,
	const struct apsp_walk_part *part, unsigned char *used);

#endif
