/*
 * How `streamed-fw` (streamed_fw.h) divides its matrix and what it does to
 * which slab, known before it starts.
 */
#ifndef APSP_COMPUTE_STREAMED_PLAN_H
#define APSP_COMPUTE_STREAMED_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

enum {
	/* Slabs on the device: two pivots and a ring of three. */
	APSP_STREAMED_PLACES = 5,
};

/* How the matrix is divided. */
struct apsp_streamed_plan {
	uint32_t n_tiles; /* tile rows in all */
	uint32_t slab;	  /* tile rows in one, but for the last */
	uint32_t n_slabs; /* 1: the device holds the whole matrix */
};

/*
 * The largest slabs that device->memory_bytes has room for beside n_arcs arcs
 * on the device. APSP_ELIMIT: it has none for slabs of one tile row, or its
 * buffers are too small for one; the message has both sizes.
 */
int apsp_streamed_fw_plan(const struct apsp_device *device, uint32_t n_vertices,
	uint64_t n_arcs, enum apsp_element element,
	struct apsp_streamed_plan *out, struct apsp_err *err);

/* Slabs that are on the device at once, of n_slabs in all. */
uint32_t apsp_streamed_places(uint32_t n_slabs);

/* A slab's first tile row and how many it has. */
uint32_t apsp_streamed_first(
	const struct apsp_streamed_plan *plan, uint32_t slab);
uint32_t apsp_streamed_rows(
	const struct apsp_streamed_plan *plan, uint32_t slab);

/* One slab that is relaxed through one pivot. */
struct apsp_streamed_job {
	uint32_t pivot;
	uint32_t slab;
};

/* Whether its slab is the next round's pivot or, in the last, the first's. */
bool apsp_streamed_is_next(const struct apsp_streamed_plan *plan,
	const struct apsp_streamed_job *job);

/*
 * What a round may make finite, tile by tile: Warshall's steps through the
 * pivot's tile rows. finite has n_tiles × n_tiles marks.
 */
void apsp_streamed_spread(
	const struct apsp_streamed_plan *plan, uint8_t *finite, uint32_t pivot);

/*
 * All jobs in order: of a round, those after the next one's pivot in turn, and
 * that itself last. Slabs that have nothing finite in the pivot's columns are
 * left out, but for the next pivot. finite (n_tiles × n_tiles) marks the tiles
 * that may hold finite values at the start. The caller frees *out. APSP_ENOMEM.
 */
int apsp_streamed_jobs(const struct apsp_streamed_plan *plan,
	const uint8_t *finite, struct apsp_streamed_job **out, size_t *out_n,
	struct apsp_err *err);

#endif
