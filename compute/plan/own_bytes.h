/*
 * The device memory that an algorithm allocates for itself, in addition to V
 * and the arcs. The members own_bytes, own_buffer, window and lanes in the rows
 * of algorithm_list.h are these functions. tests/test_footprint.c compares
 * their results with the bytes that solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_OWN_BYTES_H
#define APSP_COMPUTE_PLAN_OWN_BYTES_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/tuning.h"

enum {
	/*
	 * The number of slabs (rows of tiles) that streamed-fw holds on the
	 * device. Two of them are the slabs of the pivot and of the next pivot.
	 * The other three are handled at the same time: one is copied to the
	 * device, one is relaxed, and one is copied back.
	 */
	APSP_STREAMED_PLACES = 5,
};

/* Return the bytes that the algorithms bf-dense-* allocate: the bytes of a
   second matrix, and of a mark for each source. */
uint64_t apsp_own_bytes_matrix(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes that minplus-squaring allocates: the bytes of two checksums
   for each tile, and of a flag that is set if a squaring changed a value. */
uint64_t apsp_own_bytes_tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes that bf-edges allocates: the bytes of the list of edges,
   and of a batch of rows. */
uint64_t apsp_own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes that bfs-levels allocates: the bytes of the list of edges,
   and of a batch of rows. */
uint64_t apsp_own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the number of sources whose rows a work-item of bf-edges solves
   together. */
uint64_t apsp_own_bytes_edges_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the number of sources whose rows a work-item of bfs-levels solves
   together. */
uint64_t apsp_own_bytes_levels_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the number of all rows of V, rounded up to whole tiles. bf-edges and
   bfs-levels use this as the size of a window, because a window should have all
   rows if there is memory for them. */
uint64_t apsp_own_bytes_all_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the smallest number of bytes that streamed-fw allocates: the bytes of
   its slabs if each slab is only one row of tiles. */
uint64_t apsp_own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes that multi-source allocates: the bytes of its copy of the
   arcs, and of all its batches. */
uint64_t apsp_own_bytes_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the bytes of the buffer that holds the distances of one batch of
   multi-source. */
uint64_t apsp_own_bytes_lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the number of sources in one batch of multi-source. */
uint64_t apsp_own_bytes_lanes_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
/* Return the number of rows of a window of multi-source. */
uint64_t apsp_own_bytes_lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

#endif
