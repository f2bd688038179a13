/*
 * Computes what one source adds to the betweenness of each vertex. The result
 * for a vertex is a sum over all targets. Each target adds a number from 0 to
 * 1: the number of shortest paths from the source through the vertex to the
 * target, divided by the number of all shortest paths from the source to the
 * target.
 */
#ifndef APSP_COMPUTE_MEASURES_PATH_SHARES_H
#define APSP_COMPUTE_MEASURES_PATH_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/measures/tie_arcs.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

struct apsp_vertex_key;

/* The scratch memory of one thread. All arrays are owned. */
struct apsp_path_shares {
	const struct apsp_tie_arcs *arcs; /* borrowed */
	/* true: the table's distances are exact; false: real lengths are summed
	   again, because the table's distances are rounded */
	bool whole;
	struct apsp_vertex_key *keys; /* scratch memory for sorting vertices */
	/* distances from the source: at first the row of the table, later exact
	   distances */
	double *distances;
	double *sums; /* sums of real lengths */
	/* the vertices that the source reaches, nearest first */
	uint32_t *order;
	/* scratch memory: the vertices sorted by `sums`, before they replace
	   `order` */
	uint32_t *next;
	uint32_t n_reached;
	/* the number of paths to vertex v is numbers[v] · 2^(512 ·
	   exponents[v]) */
	double *numbers;
	uint32_t *exponents;
	bool large; /* whether some exponent is not 0 */
	/* Each vertex has one or more adjacent words of this array. Bit k of
	   the words of a vertex is 1 if the k-th arc to the vertex is the last
	   arc of a shortest path. */
	uint64_t *tight;
};

/* The caller ends *out with apsp_path_shares_done(), even if this function
   fails. APSP_ENOMEM. */
int apsp_path_shares_init(const struct apsp_tie_arcs *arcs, bool whole,
	struct apsp_path_shares *out, struct apsp_err *err);
void apsp_path_shares_done(struct apsp_path_shares *shares);

/*
 * Count the shortest paths from `source`. The caller has stored the table's row
 * of `source` in shares->distances. For each vertex v other than the source,
 * store in out[v] what the source adds to the betweenness of v. The stored
 * number is a sum over all targets other than v: each target adds the number of
 * shortest paths to the target through v, divided by the number of all shortest
 * paths to the target. Store 0 in out[source]. `stop` may be NULL. APSP_EPROOF:
 * the row does not belong to these arcs; APSP_ECANCELLED: a stop was requested.
 */
int apsp_path_shares_of(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, double *out, struct apsp_err *err);

#endif
