/*
 * How `streamed-fw` (streamed_fw.c) divides its matrix into slabs, and which
 * slab it relaxes through which, in order; known before it starts.
 */
#ifndef APSP_COMPUTE_DISTANCE_STREAMED_PLAN_H
#define APSP_COMPUTE_DISTANCE_STREAMED_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/plan/own_bytes.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

/* How the matrix is divided. */
struct apsp_streamed_plan {
	uint32_t n_tiles;  /* tile rows in all */
	uint32_t slab;	   /* tile rows in a slab; the last may have fewer */
	uint32_t n_slabs;  /* 1: the device holds the whole matrix */
	uint32_t n_places; /* slabs that are on the device at once */
};

/*
 * Divide the matrix into the largest slabs that device->memory_bytes has room
 * for beside n_arcs arcs. APSP_ELIMIT: it has no room for slabs of one tile
 * row, or a buffer is too small for one; the message has both sizes.
 */
int apsp_streamed_plan_make(const struct apsp_device *device,
	uint32_t n_vertices, uint64_t n_arcs, enum apsp_element element,
	struct apsp_streamed_plan *out, struct apsp_err *err);

/* The tile rows of a slab. */
struct apsp_slab_rows {
	uint32_t first;
	uint32_t n;
};

struct apsp_slab_rows apsp_streamed_plan_slab(
	const struct apsp_streamed_plan *plan, uint32_t slab);

/* Relaxing one slab through one pivot. */
struct apsp_streamed_job {
	uint32_t pivot;
	uint32_t slab;
	/* 1: the slab is the next round's pivot; in the last round slab 0 */
	uint32_t is_next;
};

/*
 * List all jobs in order. A round begins with the slab after the next pivot,
 * goes on in the order of slabs, and ends with the next pivot. Slabs with
 * nothing finite in the pivot's columns are left out, except the next pivot.
 * finite (n_tiles × n_tiles) marks the tiles that hold finite values at the
 * start. The caller frees *out. APSP_ENOMEM.
 */
int apsp_streamed_plan_jobs(const struct apsp_streamed_plan *plan,
	const uint8_t *finite, struct apsp_streamed_job **out, size_t *out_n,
	struct apsp_err *err);

#endif
