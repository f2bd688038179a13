/*
 * The device memory that an algorithm allocates for itself, in addition to V
 * and the arcs. The members own_bytes, own_buffer, window and lanes of a row of
 * algorithm_list.h are these functions. tests/test_footprint.c compares their
 * results with the bytes that solves allocate.
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

/* Return the bytes of bf-edges and bfs-levels: the list of edges, and a batch
   of rows. */
uint64_t apsp_own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Return the bytes of streamed-fw: its slabs, if each slab has only one row of
   tiles, which is the smallest size of a slab. */
uint64_t apsp_own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/*
 * The functions for multi-source. In this order, they return the bytes of its
 * arcs and batches, the bytes of one batch (which is in one buffer), the number
 * of lanes of a batch, and the number of rows of a window.
 */
uint64_t apsp_own_bytes_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_lanes_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

#endif
