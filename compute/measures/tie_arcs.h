/*
 * The arcs that can lie on shortest paths, sorted by head. Betweenness uses
 * them to count shortest paths.
 */
#ifndef APSP_COMPUTE_MEASURES_TIE_ARCS_H
#define APSP_COMPUTE_MEASURES_TIE_ARCS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

/* Sums of real lengths count as equal if their relative difference is at most
   this number. */
#define APSP_TIE_TOLERANCE 1e-12
/* An upper bound of the relative error of a distance that is read from the
   distance table. */
#define APSP_TABLE_TOLERANCE 1e-5

/* The arcs are sorted by head, then tail. All arrays are owned. */
struct apsp_tie_arcs {
	uint32_t n_vertices;
	uint32_t *offsets; /* n_vertices + 1 elements */
	uint32_t *tails;
	double *lengths;
	/*
	 * If some length is 0, `listed` has the vertices in an order in which
	 * each arc of length 0 leads forward, and ranks[v] is the index of
	 * vertex v in `listed`. If no length is 0, `listed` and `ranks` are
	 * NULL.
	 */
	uint32_t *listed;
	uint32_t *ranks;
};

/*
 * If some length is 0, fill out->listed and out->ranks. Set *out_countable to
 * true if all lengths are 0 or more and no cycle has length 0. Otherwise set it
 * to false, because shortest paths cannot be counted. APSP_ENOMEM.
 */
int apsp_tie_arcs_rank(const struct apsp_lengths *lengths,
	struct apsp_tie_arcs *out, bool *out_countable, struct apsp_err *err);

/*
 * Fill all members of *out except `listed` and `ranks`. *out gets the arcs
 * whose byte in `kept` is not 0, or all arcs if `kept` is NULL. The caller ends
 * *out with apsp_tie_arcs_done(), even if this function fails. APSP_ENOMEM.
 */
int apsp_tie_arcs_fill(const struct apsp_lengths *lengths, const uint8_t *kept,
	struct apsp_tie_arcs *out, struct apsp_err *err);
void apsp_tie_arcs_done(struct apsp_tie_arcs *arcs);

#endif
