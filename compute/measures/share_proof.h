/*
 * The proof of betweenness while it is computed (compute/measures/README.md,
 * Proof): the shares of some sources are computed in another way, and the
 * shares of some vertices are added up a second time. Both results must agree
 * with the betweenness. path_shares has no code in common with this file.
 */
#ifndef APSP_COMPUTE_MEASURES_SHARE_PROOF_H
#define APSP_COMPUTE_MEASURES_SHARE_PROOF_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

struct apsp_share_vertex;

struct apsp_share_proof {
	const struct apsp_lengths *lengths; /* borrowed */
	/* true: the table's distances are exact; false: real lengths are summed
	   again, because the table's distances are rounded */
	bool whole;
	uint32_t source_step; /* the proof covers every source_step-th source */
	uint32_t vertex_step; /* the proof covers every vertex_step-th vertex */
	uint32_t n_totals;
	/* for each vertex that the proof covers, the sum of its shares; owned,
	   as are `vertices` and `order` */
	double *totals;
	struct apsp_share_vertex *vertices;
	uint32_t *order;
	uint32_t n_ordered;
	bool countable;	   /* the paths of the current source can be counted */
	double *distances; /* the caller stores a source's row of the table
			      here; owned */
};

/* The caller ends *out with apsp_share_proof_done(), even if this function
   fails. APSP_ENOMEM. */
int apsp_share_proof_init(const struct apsp_lengths *lengths, bool whole,
	struct apsp_share_proof *out, struct apsp_err *err);
void apsp_share_proof_done(struct apsp_share_proof *proof);

/* Add the shares of the next source to the totals. True: the caller must also
   call apsp_share_proof_source() for that source. */
bool apsp_share_proof_add(
	struct apsp_share_proof *proof, uint32_t source, const double *shares);

/*
 * Compute the source's shares again, from its row of the table in
 * proof->distances, and compare them with `shares`. A source whose paths cannot
 * be counted here is skipped. This happens with real lengths only. `stop` may
 * be NULL. APSP_EPROOF: the shares differ; APSP_ECANCELLED: a stop was
 * requested.
 */
int apsp_share_proof_source(struct apsp_share_proof *proof, uint32_t source,
	const double *shares, const struct apsp_stop *stop,
	struct apsp_err *err);

/* After the last source: compare the betweenness in `sums` with the totals.
   APSP_EPROOF: they differ. */
int apsp_share_proof_sums(const struct apsp_share_proof *proof,
	const double *sums, struct apsp_err *err);

#endif
