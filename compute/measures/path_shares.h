/*
 * The part of betweenness that one source contributes: the share of its
 * shortest paths that leads through each vertex.
 */
#ifndef APSP_COMPUTE_MEASURES_PATH_SHARES_H
#define APSP_COMPUTE_MEASURES_PATH_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/measures/tie_arcs.h"
#include "compute/measures/vertex_sort.h"
#include "daemon/base/err.h"
#include "daemon/base/stop.h"

/* One thread's scratch; arrays owned. */
struct apsp_path_shares {
	const struct apsp_tie_arcs *arcs; /* borrowed */
	bool whole; /* distances are exact; else they are summed again here */
	struct apsp_vertex_sort sorter;
	double *distances; /* in: the table's row; out: exact distances */
	double *sums;	   /* of real lengths */
	uint32_t *order;   /* the source first */
	uint32_t *next;	   /* the order after a correction */
	uint32_t n_reached;
	/* Paths to each vertex: numbers · 2^(512 · exponents). */
	double *numbers;
	uint32_t *exponents;
	bool large; /* some exponent is not 0 */
	/* Bit k of a vertex' words: its k-th arc ends a shortest path. */
	uint64_t *tight;
};

/* APSP_ENOMEM. The caller ends *out with apsp_path_shares_done() even then. */
int apsp_path_shares_init(const struct apsp_tie_arcs *arcs, bool whole,
	struct apsp_path_shares *out, struct apsp_err *err);
void apsp_path_shares_done(struct apsp_path_shares *shares);

/*
 * Count the shortest paths from source, whose row of the table is in
 * shares->distances. Store at out for each vertex v the sum, over all targets
 * other than v, of the share of paths that lead through v; 0 for the source
 * itself. APSP_EPROOF: the row does not fit these arcs; APSP_ECANCELLED: stop
 * (may be NULL) was set.
 */
int apsp_path_shares_of(struct apsp_path_shares *shares, uint32_t source,
	const struct apsp_stop *stop, double *out, struct apsp_err *err);

#endif
