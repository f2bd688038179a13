/*
 * The device memory that an algorithm allocates for itself, in addition to V
 * and the arcs. A row of algorithm_list.h has these functions in its members
 * own_bytes, own_buffer, window and lanes. tests/test_footprint.c compares
 * their results with the bytes that solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_OWN_BYTES_H
#define APSP_COMPUTE_PLAN_OWN_BYTES_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/tuning.h"

enum {
	/* The number of slabs (rows of tiles) that streamed-fw holds on the
	   device: two with pivots, and three that are copied and relaxed in
	   turn. */
	APSP_STREAMED_PLACES = 5,
};

/* bf-dense-*: the bytes of a second matrix, and of a mark for each source. */
uint64_t apsp_own_bytes_matrix(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* minplus-squaring: the bytes of the sums of each tile before and after a
   squaring. */
uint64_t apsp_own_bytes_tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* bf-edges and bfs-levels: the bytes of the list of edges, and of a batch of
   rows. */
uint64_t apsp_own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* streamed-fw: the bytes of its slabs if each slab has only one row of tiles,
   which is the least that they can have. */
uint64_t apsp_own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/*
 * multi-source. In this order, the functions return the bytes of its arcs and
 * batches, the bytes of one batch (which lies in one buffer), the number of
 * lanes of a batch, and the number of rows of a window.
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
