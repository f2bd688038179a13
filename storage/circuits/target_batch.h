/*
 * Some or all targets of a circuit, and for each vertex the walks to these
 * targets. For each vertex and target, the batch stores the least length of all
 * walks from the vertex to the target. If the question is about walks of
 * exactly n arcs, the batch instead stores the set of the numbers of arcs of
 * these walks.
 *
 *	            target 0   target 1   …   padding
 *	vertex 0    walk 0     walk 1     …
 *	vertex 1
 *	…
 *
 * The bounds of pairs, with which these walks are compared, are in
 * target_bounds.h.
 */
#ifndef APSP_STORAGE_CIRCUITS_TARGET_BATCH_H
#define APSP_STORAGE_CIRCUITS_TARGET_BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "storage/circuits/circuit_question.h"
#include "storage/circuits/exact_row.h"

enum {
	APSP_TARGET_LANES =
		8, /* rows are padded to a multiple of this number of targets,
		      so that compilers use vector instructions */
};

struct apsp_target_batch {
	const struct apsp_circuit_question *question; /* borrowed */
	const struct apsp_adjacency *arcs;	      /* borrowed */
	struct apsp_path_cost_unit unit;
	const uint32_t *targets; /* borrowed */
	uint32_t n;		 /* number of targets */
	uint32_t stride;	 /* number of targets with padding */
	double *values;		 /* lengths of walks, n_vertices × stride;
				    owned */
	apsp_path_cost *exact;	 /* n_vertices × stride exact costs; NULL if
				    `values` are exact; owned */
	/* for APSP_ROW_KIND_WALKS, instead of `values`: numbers of arcs as
	   bits, n_vertices × stride; owned */
	uint64_t *walks;
	double largest; /* largest finite magnitude in `values`; set by the
			   caller, when all distances are stored */
};

/* Return the bytes of memory that a batch of n_targets targets needs. */
uint64_t apsp_target_batch_bytes(
	enum apsp_row_kind kind, uint64_t n_vertices, uint64_t n_targets);

/*
 * Allocate a batch of n targets. No walks are stored in it yet. `question`,
 * `arcs` and `targets` must outlive the batch. The caller ends *out with
 * apsp_target_batch_done(). APSP_ENOMEM.
 */
int apsp_target_batch_init(const struct apsp_circuit_question *question,
	const struct apsp_adjacency *arcs, enum apsp_row_kind kind,
	const uint32_t *targets, uint32_t n, struct apsp_target_batch *out,
	struct apsp_err *err);
void apsp_target_batch_done(struct apsp_target_batch *batch);

/* Store the walks from all vertices to target j. Two threads may store the
   walks to different targets at the same time. */
void apsp_target_batch_store(struct apsp_target_batch *batch, uint32_t j,
	const struct apsp_exact_row *row);

#endif
