/*
 * `multi-source`: Bellman–Ford from many sources at once, which are neighbours
 * in a breadth-first order and so need much the same work: the sources of a
 * batch lie in the lanes of vectors, or across neighbouring work-items. Where
 * all lengths are 1 it is a breadth-first search, and a lane is a bit.
 *
 * Method: Bellman 1958, Moore 1959, with the alternating sweeps of Yen 1970;
 * many sources at once as in The et al. 2014 (MS-BFS).
 */
#ifndef APSP_COMPUTE_MULTI_SOURCE_H
#define APSP_COMPUTE_MULTI_SOURCE_H

#include <stdint.h>

#include "compute/algorithm.h"

/*
 * Fill blank panels with V, or one window of them after the other. About n·m
 * relaxations times the sweeps that a path needs, which is a few where lengths
 * are similar. APSP_ELIMIT: 2^32 arcs; APSP_ENOMEM; APSP_ECANCELLED;
 * APSP_EDEVICE.
 */
int apsp_multi_source_run(const struct apsp_task *task,
	struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

/*
 * Words of bits at each vertex where all lengths are 1: seen, two fronts, and a
 * plane for each bit of V. n is below 2^20 where V is wider than 16 bits.
 */
uint32_t apsp_multi_source_words(enum apsp_element element);

#endif
