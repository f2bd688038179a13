/*
 * Positions for tests and benchmarks that need no order: every vertex stands at
 * its own index.
 */
#ifndef APSP_TESTS_IDENTITY_ORDER_H
#define APSP_TESTS_IDENTITY_ORDER_H

#include <stdio.h>
#include <stdlib.h>

#include "compute/order.h"

/* The caller ends *out with apsp_order_done(). */
static inline void identity_order_init(
	uint32_t n_vertices, struct apsp_order *out)
{
	size_t size = ((size_t)n_vertices + 1) * sizeof(uint32_t);

	*out = (struct apsp_order){.n_vertices = n_vertices,
		.vertices = malloc(size),
		.positions = malloc(size)};
	if (!out->vertices || !out->positions) {
		fprintf(stderr, "no memory for %u vertices\n", n_vertices);
		exit(1);
	}
	for (uint32_t v = 0; v < n_vertices; v++)
		out->vertices[v] = out->positions[v] = v;
}

#endif
