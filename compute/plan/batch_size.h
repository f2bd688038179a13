/*
 * The number of sources that an algorithm solves together, and the device
 * memory of such a batch. Algorithms allocate by these functions and plans
 * estimate by them, so that the two cannot drift apart.
 */
#ifndef APSP_COMPUTE_PLAN_BATCH_SIZE_H
#define APSP_COMPUTE_PLAN_BATCH_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/plan/tuning.h"
#include "daemon/base/table_file.h"

/*
 * Rows of a batch of bf-edges or bfs-levels. A row has one word of word_bytes a
 * vertex, which `lanes` sources share.
 */
uint64_t apsp_batch_size_edge_rows(uint64_t n_vertices, uint64_t n_arcs,
	uint32_t lanes, uint32_t word_bytes, const struct apsp_tuning *tuning);

/* A batch of multi-source: one source in each lane. */
struct apsp_lane_batch {
	uint32_t lanes;
	uint32_t sources;     /* that it solves, at most as many as lanes */
	uint64_t d_bytes;     /* distances of all lanes at all vertices */
	uint64_t marks_bytes; /* which vertices have changed */
	uint64_t n_together;  /* batches on the device at a time, at least 1 */
	uint32_t planes; /* if lanes are bits: the bits of V; 0: they are values
			  */
};

/*
 * The number of a batch's lanes that get a source if lanes are bits. It is less
 * than all lanes if otherwise some of `width` processors would have no batch:
 * a batch of half as many sources ends sooner.
 */
uint32_t apsp_batch_size_sources(
	uint64_t n_vertices, uint32_t lanes, unsigned int width);

/*
 * Bytes of a batch's lanes at one vertex, if lanes are values: on a CPU fewer
 * than tuning->lane_bytes if the batch would not fit a processor's own cache.
 */
uint32_t apsp_batch_size_lane_bytes(
	uint64_t n_vertices, const struct apsp_tuning *tuning);

/* unit_lengths: all lengths are 1, and a lane is a bit. */
struct apsp_lane_batch apsp_batch_size_lanes(uint64_t n_vertices,
	uint64_t n_arcs, enum apsp_element element, bool unit_lengths,
	const struct apsp_tuning *tuning);

/*
 * The part of d_bytes that a batch touches if paths have at most `hops` arcs:
 * on a CPU, the planes of higher bits are never touched, and Linux does not
 * allocate them.
 */
uint64_t apsp_batch_size_written(
	const struct apsp_lane_batch *batch, uint64_t hops);

#endif
