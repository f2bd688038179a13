/*
 * The bounds of the pairs of one source and the targets of a batch
 * (target_batch.h). The circuit of a pair has all vertices and arcs of the
 * walks from the source to the target that are not longer than the pair's
 * bound. Several threads can read one batch, each with its own bounds.
 */
#ifndef APSP_STORAGE_CIRCUITS_TARGET_BOUNDS_H
#define APSP_STORAGE_CIRCUITS_TARGET_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/target_batch.h"

/* The first part of a walk. It leads from the source to a vertex. An arc out of
   this vertex may be added at its end. */
struct apsp_walk_part {
	double value; /* length of the part */
	apsp_path_cost
		exact;	/* length in units, only for APSP_ROW_KIND_EXACT */
	uint64_t walks; /* bit k is set if there is a walk of k arcs; used only
			   if the question is about walks of exactly n_arcs arcs
			 */
};

struct apsp_target_bounds {
	const struct apsp_target_batch *batch; /* borrowed */

	/* The following members depend on the present source. */
	double *bounds; /* for each target, the bound of the pair of the source
			   and this target; -INFINITY: the pair is skipped;
			   owned */
	/* for each target, the bound in units. Set only if bounds are lengths,
	   not numbers of arcs; owned */
	apsp_path_cost *exact_bounds;
	double slop; /* upper bound of the rounding error of a sum */
	/* The following members depend on the present vertex, which
	   apsp_target_bounds_look() has chosen. */
	uint32_t vertex;
	double least; /* least value of (length of the walk from `vertex` to a
			 target) - (bound of this target), over all targets */
	uint64_t any_walks; /* a set of numbers of arcs, for all walks from
			       `vertex` to targets that are not skipped: bit
			       n_arcs − k is set if there is a walk of k arcs */
	double *beyond; /* for each target, the length of the walk from `vertex`
			   to the target minus the target's bound; owned */
	bool filled;	/* `beyond` has been computed for `vertex` */
};

/* Return the largest number of bytes of memory that the bounds of n_targets
   targets need. */
uint64_t apsp_target_bounds_bytes(uint64_t n_targets);

/* Allocate the bounds of `batch`. The batch must outlive the bounds. The caller
   ends *out with apsp_target_bounds_done(). APSP_ENOMEM. */
int apsp_target_bounds_init(const struct apsp_target_batch *batch,
	struct apsp_target_bounds *out, struct apsp_err *err);
void apsp_target_bounds_done(struct apsp_target_bounds *self);

/*
 * Set the bounds of the pairs of a source. Returns the number of pairs that
 * have a walk within their bound. `largest` is the largest finite magnitude of
 * the distances from the source.
 */
uint32_t apsp_target_bounds_source(
	struct apsp_target_bounds *self, uint32_t source, double largest);

/* Choose the vertex v. The next two functions are about walks through v. */
void apsp_target_bounds_look(struct apsp_target_bounds *self, uint32_t v);

/* Whether a walk whose first part ends at the chosen vertex can be within the
   bound of a target. `value` is the length of the first part. If the question
   is about walks of exactly n_arcs arcs, the set `walks` is read instead: the
   numbers of arcs that the first part can have. Because of rounding errors, the
   result can be true although apsp_target_bounds_count() returns 0. */
static inline bool apsp_target_bounds_may(
	const struct apsp_target_bounds *self, double value, uint64_t walks)
{
	return self->batch->walks ? (walks & self->any_walks) != 0
				  : value + self->least <= self->slop;
}

/*
 * Count the targets to which a walk within the bound leads. The walk begins
 * with `part` and continues from the chosen vertex. Unless `used` is NULL, set
 * used[j] to 1 for each of these targets.
 */
uint32_t apsp_target_bounds_count(struct apsp_target_bounds *self,
	const struct apsp_walk_part *part, unsigned char *used);

#endif
