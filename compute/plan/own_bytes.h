/*
 * The device memory that only one algorithm takes, beside V and the arcs: the
 * shapes to choose from for own_bytes and own_buffer of a row of
 * algorithm_list.h, and for windows. UINT64_MAX: overflow.
 * tests/test_footprint.c compares them with what solves allocate.
 */
#ifndef APSP_COMPUTE_PLAN_OWN_BYTES_H
#define APSP_COMPUTE_PLAN_OWN_BYTES_H

#include <stdint.h>

#include "compute/plan/cost.h"
#include "compute/plan/tuning.h"

enum {
	/* Slabs of streamed-fw on the device: two pivots, a ring of three. */
	APSP_STREAMED_PLACES = 5,
};

/* A second matrix, with a mark for each source. */
uint64_t apsp_own_bytes_matrix(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* Each tile's sums, before and after. */
uint64_t apsp_own_bytes_tile_sums(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* The list of edges and a batch of rows: bf-edges, bfs-levels. */
uint64_t apsp_own_bytes_edges(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_levels(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* The slabs of streamed-fw, at least: each of one row of tiles. */
uint64_t apsp_own_bytes_slabs(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/*
 * multi-source: its arcs and batches; the bytes of a batch that lie in one
 * buffer; the sources of a batch; the rows of a window.
 */
uint64_t apsp_own_bytes_lanes(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_lanes_buffer(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_lanes_rows(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);
uint64_t apsp_own_bytes_lanes_window(
	const struct apsp_workload *work, const struct apsp_tuning *tuning);

/* The arcs that multi-source keeps in rows. */
uint64_t apsp_own_bytes_lanes_arcs(const struct apsp_workload *work);

#endif
