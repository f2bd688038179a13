/*
 * Proves the betweenness while it is computed (compute/measures/README.md,
 * Proof). A share is the number that paths from one source add to the
 * betweenness of one vertex. For some sources, the shares are computed a second
 * time, in another way, and both results must be equal. For some vertices, the
 * shares from all sources are added up a second time, and the sum must equal
 * the betweenness of the vertex. path_shares.c has no code in common with this
 * file.
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
	/* the shares of every source_step-th source are computed again */
	uint32_t source_step;
	/* for one of each vertex_step vertices with consecutive indices
	   (sample_vertex.h), the shares from all sources are added up again */
	uint32_t vertex_step;
	uint32_t n_totals;
	/* for each vertex whose shares are added up again, the sum of these
	   shares; `totals`, `vertices` and `order` are owned */
	double *totals;
	struct apsp_share_vertex *vertices;
	uint32_t *order;
	uint32_t n_ordered;
	bool countable; /* the paths of the current source can be counted */
	/* owned; the caller stores a source's row of the distance table here */
	double *distances;
};

/* The caller ends *out with apsp_share_proof_done(), even if this function
   fails. APSP_ENOMEM. */
int apsp_share_proof_init(const struct apsp_lengths *lengths, bool whole,
	struct apsp_share_proof *out, struct apsp_err *err);
void apsp_share_proof_done(struct apsp_share_proof *proof);

/* Add the shares of the next source to proof->totals. Returns true if the
   caller must also call apsp_share_proof_source() for that source. */
bool apsp_share_proof_add(
	struct apsp_share_proof *proof, uint32_t source, const double *shares);

/*
 * Compute the source's shares again, and compare them with `shares`. The caller
 * has stored the source's row of the distance table in proof->distances. The
 * shares of a source are not compared if more paths lead to a vertex than a
 * long double holds. If lengths are real, the shares are also not compared if
 * this file cannot count the paths (paths_count() in share_proof.c). `stop` may
 * be NULL. APSP_EPROOF: the shares differ; APSP_ECANCELLED: a stop was
 * requested.
 */
int apsp_share_proof_source(struct apsp_share_proof *proof, uint32_t source,
	const double *shares, const struct apsp_stop *stop,
	struct apsp_err *err);

/* Call this after the last source. `sums` has the betweenness of all vertices,
   and proof->totals has the betweenness of some vertices. The values of these
   vertices are compared. APSP_EPROOF: two values differ. */
int apsp_share_proof_sums(const struct apsp_share_proof *proof,
	const double *sums, struct apsp_err *err);

#endif
