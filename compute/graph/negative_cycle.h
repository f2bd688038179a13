/*
 * A cycle whose lengths sum to less than 0: the reason to refuse a graph, since
 * its shortest paths have no end (compute/graph/README.md, Negative lengths).
 */
#ifndef APSP_COMPUTE_GRAPH_NEGATIVE_CYCLE_H
#define APSP_COMPUTE_GRAPH_NEGATIVE_CYCLE_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/err.h"
#include "daemon/base/graph_file.h"

/* The vertices in order; n is 0 where there is no such cycle. Owned. */
struct apsp_negative_cycle {
	uint32_t *vertices;
	size_t n;
};

/*
 * Fill *out with the cycle through v that goes back from each vertex to its
 * parent; out starts at the lowest vertex and goes forward. APSP_ENOMEM.
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
