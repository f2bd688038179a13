/*
 * The sizes of batches: how many sources an algorithm solves together, and how
 * much device memory a batch takes. Both the algorithms and the plans compute
 * sizes by these functions, so the estimated bytes equal the allocated bytes.
 */
#ifndef APSP_COMPUTE_PLAN_BATCH_SIZE_H
#define APSP_COMPUTE_PLAN_BATCH_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/tuning.h"
#include "daemon/job/table_file.h"

/* Return the number of rows in a batch of `bf-edges` or `bfs-levels`. A row has
   one word of word_bytes bytes for each vertex, and `lanes` sources share a
   row. */
uint64_t apsp_batch_size_edge_rows(uint64_t n_vertices, uint64_t n_arcs,
	uint32_t lanes, uint32_t word_bytes, const struct apsp_tuning *tuning);

/* A batch of `multi-source`. Each source has a lane: one value or one bit at
   each vertex. */
struct apsp_lane_batch {
	uint32_t lanes;
	uint32_t sources; /* number of sources, at most `lanes`; each source has
			     a lane, and the remaining lanes are unused */
	/* size in bytes of the distances from all sources. If each source has
	   only a bit of a word, the size includes three further words at each
	   vertex: the sets of sources that have reached the vertex, at any time
	   (`seen`) or in a certain level (two fronts) */
	uint64_t d_bytes;
	uint64_t marks_bytes; /* size in bytes of the marks, which say at which
				 vertices distances have changed */
	uint64_t n_together;  /* number of batches that the device holds at a
				 time, at least 1 */
	/* if each source has only a bit of a word: the number of bits of a
	   distance. At each vertex, there is one word (a plane) for each of
	   these bits. 0: each source has a whole word */
	uint32_t planes;
};

/*
 * Return the number of bytes that all lanes of a batch take at one vertex, if
 * the lane of a source is a value. On a GPU, the number is tuning->lane_bytes.
 * On a CPU, begin with tuning->lane_bytes, and halve the number until the lanes
 * of all vertices have at most tuning->lanes_bytes bytes, or until it is 128.
 */
uint32_t apsp_batch_size_lane_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning);

/* Compute the sizes of the batches of `multi-source`. If unit_lengths is true,
   all lengths are 1, and each source has one bit (lane) of a word. The batches
   that the device holds at a time have their distances in one buffer of at most
   largest_buffer_bytes bytes. */
struct apsp_lane_batch apsp_batch_size_lanes(uint64_t n_vertices,
	uint64_t n_arcs, enum apsp_element element, bool unit_lengths,
	uint64_t largest_buffer_bytes, const struct apsp_tuning *tuning);

/*
 * The distances of a batch take batch->d_bytes bytes. Return how many of these
 * bytes the algorithm writes if no shortest path has more than `hops` arcs. If
 * all lengths are 1, no distance is larger than `hops`, so the higher bits of
 * distances are 0. The algorithm never writes the pages that hold only such
 * bits. On a CPU, Linux allocates no memory for pages that are not written.
 */
uint64_t apsp_batch_size_written(
	const struct apsp_lane_batch *batch, uint64_t hops);

#endif
