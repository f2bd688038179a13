/*
 * Positions for tests and benchmarks where order does not matter: every vertex
 * stands at its own index.
 */
#ifndef APSP_TESTS_IDENTITY_POSITIONS_H
#define APSP_TESTS_IDENTITY_POSITIONS_H

#include <stdio.h>
#include <stdlib.h>

#include "compute/graph/positions.h"

/* The caller ends *out with apsp_positions_done(). */
static inline void identity_positions_init(
	uint32_t n_vertices, struct apsp_positions *out)
{
	size_t size = ((size_t)n_vertices + 1) * sizeof(uint32_t);

	*out = (struct apsp_positions){.n_vertices = n_vertices,
		.vertices = malloc(size),
		.of = malloc(size)};
	if (!out->vertices || !out->of) {
		fprintf(stderr, "no memory for %u vertices\n", n_vertices);
		exit(1);
	}
	for (uint32_t v = 0; v < n_vertices; v++)
		out->vertices[v] = out->of[v] = v;
}

#endif
