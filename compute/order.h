/*
 * Where each vertex stands on the device: by component, those being in
 * topological order, and within a component in the order of a breadth-first
 * search. So arcs lead near the diagonal and forward: tiles of nothing but
 * infinity can be skipped (design.md, decision 10), and neighbouring positions
 * are sources that need much the same work.
 */
#ifndef APSP_COMPUTE_ORDER_H
#define APSP_COMPUTE_ORDER_H

#include <stdint.h>

#include "compute/components.h"
#include "compute/lengths.h"
#include "daemon/base/err.h"

/* A permutation and its inverse; arrays owned. */
struct apsp_order {
	uint32_t n_vertices;
	uint32_t *vertices;  /* position → vertex */
	uint32_t *positions; /* vertex → position */
};

/* Linear time. The caller ends *out with apsp_order_done(). APSP_ENOMEM. */
int apsp_order_build(const struct apsp_lengths *lengths,
	const struct apsp_components *components, struct apsp_order *out,
	struct apsp_err *err);
void apsp_order_done(struct apsp_order *order);

#endif
