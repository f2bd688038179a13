/*
 * The device memory that an algorithm allocates for itself, in addition to V
 * and the arcs. The rows of algorithm_list.h have these functions as their
 * members own_bytes, own_buffer, window and lanes. tests/test_footprint.c
 * compares their results with the bytes that solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_OWN_BYTES_H
#define APSP_COMPUTE_PLAN_OWN_BYTES_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/tuning.h"

enum {
	/* The number of slabs (rows of tiles) that streamed-fw holds on the
	   device. Two slabs have pivots. The other three are copied and relaxed
	   alternately. */
	APSP_STREAMED_PLACES = 5,
};

/* Return the bytes of bf-dense-*: a second matrix, and a mark for each
   source. */
uint64_t apsp_own_bytes_matrix(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes of minplus-squaring: the checksums of each tile before and
   after a squaring. */
uint64_t apsp_own_bytes_tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes of bf-edges: the list of edges, and a batch of rows. */
uint64_t apsp_own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes of bfs-levels: the list of edges, and a batch of rows. */
uint64_t apsp_own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the smallest number of bytes of streamed-fw: the bytes of its slabs if
   each slab has only one row of tiles. */
uint64_t apsp_own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes of multi-source: its arcs, and all its batches. */
uint64_t apsp_own_bytes_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the bytes of the distances of one batch of multi-source, which are in
   one buffer. */
uint64_t apsp_own_bytes_lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the number of lanes of a batch of multi-source. */
uint64_t apsp_own_bytes_lanes_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the number of rows of a window of multi-source. */
uint64_t apsp_own_bytes_lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

#endif
