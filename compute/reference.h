/*
 * `reference`: Dijkstra from every vertex on the host, in 64-bit integers. No
 * device, nothing clever: what the other algorithms are held against.
 */
#ifndef APSP_COMPUTE_REFERENCE_H
#define APSP_COMPUTE_REFERENCE_H

#include <stdint.h>

#include "compute/lengths.h"
#include "daemon/base/err.h"

#define APSP_REFERENCE_INFINITY INT64_MAX

struct apsp_reference; /* scratch of one thread */

int apsp_reference_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_reference **out,
	struct apsp_err *err);
void apsp_reference_free(struct apsp_reference *reference);

/*
 * Row `source` of V over the non-negative integer lengths (with potentials:
 * of the reweighted ones), n_vertices values, APSP_REFERENCE_INFINITY where
 * there is no path; and the predecessors (lowest index among the tight arcs,
 * UINT32_MAX where there is none). Method: Dijkstra 1959, binary heap.
 */
void apsp_reference_row(struct apsp_reference *reference, uint32_t source,
	int64_t *out_v, uint32_t *out_predecessors);

#endif
