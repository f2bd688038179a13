/*
 * `reference`: Dijkstra from every vertex on the host, in 64-bit integers. It
 * is simple and needs no device, so that other algorithms can be compared with
 * it.
 */
#ifndef APSP_COMPUTE_TABLES_REFERENCE_H
#define APSP_COMPUTE_TABLES_REFERENCE_H

#include <stdint.h>

#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

#define APSP_REFERENCE_INFINITY INT64_MAX

struct apsp_reference; /* scratch of one thread */

/* lengths and integers must outlive *out. APSP_ENOMEM. */
int apsp_reference_new(const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, struct apsp_reference **out,
	struct apsp_err *err);
void apsp_reference_free(struct apsp_reference *reference);

/*
 * Store row `source` of V (n_vertices values; potentials included;
 * APSP_REFERENCE_INFINITY where there is no path) and its predecessors: the
 * lowest tail among the tight arcs, those that end a shortest path; UINT32_MAX
 * where there is none. Method: Dijkstra 1959.
 */
void apsp_reference_row(struct apsp_reference *reference, uint32_t source,
	int64_t *out_v, uint32_t *out_predecessors);

#endif
