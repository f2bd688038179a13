/*
 * Chooses vertices whose values are computed a second time. These vertices are
 * called samples, and they are spread over the graph.
 */
#ifndef APSP_COMPUTE_SAMPLE_VERTEX_H
#define APSP_COMPUTE_SAMPLE_VERTEX_H

#include <stdint.h>

enum {
	/* distance between the places of successive samples in the vectors of
	   apsp_sample_vertex(); an odd number */
	APSP_SAMPLE_SHIFT = 37,
	/* the most values of 32 bits in a vector of a processor */
	APSP_SAMPLE_LANES = 16,
};

/*
 * Return the number of vertices for each sample: n_vertices / least, but at
 * most `most`. If this number were below APSP_SAMPLE_LANES, it is 1: each
 * vertex is a sample.
 */
static inline uint32_t apsp_sample_step(
	uint32_t n_vertices, uint32_t least, uint32_t most)
{
	uint32_t step = n_vertices / least;

	return step < APSP_SAMPLE_LANES ? 1 : step < most ? step : most;
}

/*
 * Return the vertex that is sample i, if each `step` vertices with consecutive
 * indices have a sample. The vertex is from i · step to i · step + step - 1,
 * and less than n_vertices. i · step is less than n_vertices. `step` is from
 * apsp_sample_step().
 *
 * Processors compute vertices with consecutive indices in vectors. A fault may
 * concern one place of these vectors only, so the samples must have all places.
 * Let p be the largest power of two that is at most `step`. Modulo p, sample i
 * is APSP_SAMPLE_SHIFT · i, so p successive samples have p different places.
 * Only the last sample may differ: it is at most the last vertex.
 */
static inline uint32_t apsp_sample_vertex(
	uint32_t n_vertices, uint32_t step, uint32_t i)
{
	uint32_t first = i * step, p = 1, v;

	while (p <= step / 2)
		p *= 2;
	/* p divides 2^32, so the difference may wrap */
	v = first + (i * APSP_SAMPLE_SHIFT - first) % p;
	return v < n_vertices ? v : n_vertices - 1;
}

#endif
