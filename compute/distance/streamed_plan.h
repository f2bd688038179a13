/*
 * How `streamed-fw` (streamed_fw.c) divides its matrix into slabs, and the
 * order in which it relaxes the slabs through each other. The slabs and the
 * order are known before the run starts.
 */
#ifndef APSP_COMPUTE_DISTANCE_STREAMED_PLAN_H
#define APSP_COMPUTE_DISTANCE_STREAMED_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/plan/algorithm.h"
#include "daemon/base/err.h"
#include "daemon/job/table_file.h"

/* The division of the matrix into slabs of neighbouring tile rows. */
struct apsp_streamed_plan {
	uint32_t n_tiles; /* number of tile rows of the matrix */
	uint32_t slab; /* number of tile rows in a slab; the last slab may have
			  fewer */
	uint32_t n_slabs;  /* number of slabs; 1: the device holds the whole
			      matrix */
	uint32_t n_places; /* number of slabs that are on the device at once */
};

/*
 * Divide the matrix into slabs that are as large as the device's memory
 * (device->memory_bytes) and buffers allow. The memory must also hold n_arcs
 * arcs. APSP_ELIMIT: slabs of one tile row do not fit the device's memory, or
 * one tile row does not fit a buffer; the message names the sizes.
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

/* A step of the run: one slab is relaxed through the rows of another slab, the
   pivot. */
struct apsp_streamed_job {
	uint32_t pivot;
	uint32_t slab;
	/* 1 if the slab is the pivot of the next round, else 0. In the last
	   round, which has no next pivot, the value is 1 for slab 0. */
	uint32_t is_next;
};

/*
 * List all jobs in the order in which they run. In each round, another slab is
 * the pivot. The jobs of a round begin with the slab after the next pivot, go
 * through the slabs in order, continue with slab 0 after the last slab, and end
 * with the next pivot. Slabs that have only infinity in the pivot's columns are
 * left out, except the next pivot. `finite` (n_tiles × n_tiles bytes) marks the
 * tiles that may hold finite values at the start. The caller frees *out.
 * APSP_ENOMEM.
 */
int apsp_streamed_plan_jobs(const struct apsp_streamed_plan *plan,
	const uint8_t *finite, struct apsp_streamed_job **out, size_t *out_n,
	struct apsp_err *err);

#endif
