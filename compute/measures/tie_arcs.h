/*
 * The arcs that can lie on shortest paths, sorted by head. They are used to
 * count shortest paths. betweenness.c fills and frees the struct.
 */
#ifndef APSP_COMPUTE_MEASURES_TIE_ARCS_H
#define APSP_COMPUTE_MEASURES_TIE_ARCS_H

#include <stdint.h>

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
	 * each arc of length 0 leads to a later vertex. ranks[v] is the index
	 * of vertex v in `listed`. If no length is 0, `listed` and `ranks` are
	 * NULL.
	 */
	uint32_t *listed;
	uint32_t *ranks;
};

#endif
