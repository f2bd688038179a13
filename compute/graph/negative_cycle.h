/*
 * A cycle whose lengths sum to less than 0. A graph with such a cycle is
 * refused, because going round it again makes any path shorter
 * (compute/graph/README.md, Negative lengths).
 */
#ifndef APSP_COMPUTE_GRAPH_NEGATIVE_CYCLE_H
#define APSP_COMPUTE_GRAPH_NEGATIVE_CYCLE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/* The vertices in order, owned; n is 0 if there is no negative cycle. */
struct apsp_negative_cycle {
	uint32_t *vertices;
	size_t n;
};

/*
 * Fill *out with the cycle through v in which each vertex follows its parent.
 * The cycle starts at its lowest vertex. APSP_ENOMEM.
 */
int apsp_negative_cycle_trace(const uint32_t *parents, uint32_t v,
	struct apsp_negative_cycle *out, struct apsp_err *err);

/* Fill *out with the self-loop at v. APSP_ENOMEM. */
int apsp_negative_cycle_loop(
	uint32_t v, struct apsp_negative_cycle *out, struct apsp_err *err);

/* Returns APSP_ENEGCYCLE; the message names the cycle's first vertices. */
int apsp_negative_cycle_refuse(const struct apsp_graph *graph,
	const struct apsp_negative_cycle *cycle, struct apsp_err *err);

void apsp_negative_cycle_done(struct apsp_negative_cycle *cycle);

#endif
