/*
 * What removes negative lengths (design.md, decision 8): potentials h with
 * length(u, v) + h(u) - h(v) >= 0, or the negative cycle that forbids them.
 */
#ifndef APSP_COMPUTE_POTENTIALS_H
#define APSP_COMPUTE_POTENTIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/lengths.h"
#include "daemon/base/err.h"

/*
 * values holds an integer of at most 2^53 either way for every arc of lengths.
 * With strict set, a cycle that sums to 0 is refused like a negative one, so
 * what is left has no arcs of length 0 in a circle.
 *
 * On success either *out_potentials is filled (n_vertices, owned) and
 * out_cycle->n is 0, or it is NULL and *out_cycle holds the cycle in order from
 * its lowest vertex (owned); its values' sum is below 0, or 0 with strict.
 * APSP_EOVERFLOW: a potential does not fit 53 bits. APSP_ENOMEM.
 *
 * Blocks for O(n_vertices · n_arcs) in the worst case. Method: Johnson 1977;
 * Bellman-Ford with a queue, cycles found among the parents (Cherkassky &
 * Goldberg 1999).
 */
int apsp_potentials_find(const struct apsp_lengths *lengths,
	const int64_t *values, bool strict, int64_t **out_potentials,
	struct apsp_cycle *out_cycle, struct apsp_err *err);

#endif
