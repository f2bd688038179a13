/*
 * Chooses vertices whose values are computed a second time. These vertices are
 * called samples, and they are spread over the graph.
 */
#ifndef APSP_COMPUTE_SAMPLE_VERTEX_H
#define APSP_COMPUTE_SAMPLE_VERTEX_H

#include <stdint.h>

enum {
	/* distance between the places of neighbouring samples in the vectors of
	   apsp_sample_vertex(); an odd number */
	APSP_SAMPLE_SHIFT = 37,
};

/*
 * Return the vertex that is sample i, if each group of `step` neighbouring
 * vertices has a sample. The vertex is from i · step to i · step + step - 1,
 * and less than n_vertices. i · step is less than n_vertices.
 *
 * Processors compute neighbouring vertices in vectors. If all samples were at
 * one place in these vectors, a fault at another place would not be found. Let
 * p be the largest power of two that is at most `step`. Modulo p, sample i is
 * APSP_SAMPLE_SHIFT · i, so that p neighbouring samples have p different
 * places.
 */
static inline uint32_t apsp_sample_vertex(
	uint32_t n_vertices, uint32_t step, uint32_t i)
{
	uint32_t first = i * step, p = 1, v;

	while (2 * p <= step)
		p *= 2;
	/* p divides 2^32, so the difference may wrap */
	v = first + (i * APSP_SAMPLE_SHIFT - first) % p;
	return v < n_vertices ? v : n_vertices - 1;
}

#endif
