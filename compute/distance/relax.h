/*
 * Launches the kernel `relax` (kernels/relax_gpu.cl, kernels/relax_cpu.cl). In
 * the distance matrix V, the kernel computes V(i,j) = min(V(i,j), V(i,k) +
 * V(k,j)) for the tiles (i, j) of two rectangles and some pivot tiles k. The
 * algorithms `blocked-fw`, `streamed-fw` and `minplus-squaring` consist of such
 * launches.
 */
#ifndef APSP_COMPUTE_DISTANCE_RELAX_H
#define APSP_COMPUTE_DISTANCE_RELAX_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/device/panels.h"
#include "daemon/base/err.h"

struct apsp_relax {
	const struct apsp_panels *panels; /* borrowed */
	cl_kernel kernel;		  /* owned */
	/* Counters by which the work-items of relax_cpu.cl divide the tiles;
	   owned. NULL: the kernel is in relax_gpu.cl. */
	cl_mem turns;
};

/* A buffer that holds consecutive tile rows of the matrix. */
struct apsp_slab {
	cl_mem buffer;
	cl_uint base; /* number of the first tile row in this buffer */
};

/* The pivot tiles through which a launch relaxes the tiles of two
   rectangles. */
struct apsp_pivots {
	/* the slab that holds the pivots' tile rows k to k + n_k - 1 */
	struct apsp_slab slab;
	cl_uint k;
	cl_uint n_k;
	/*
	 * If the launch relaxes tile (close, close), the launch then also
	 * closes this tile: it relaxes the tile through the tile's own
	 * vertices. APSP_NO_TILE: no tile is closed.
	 */
	cl_uint close;
	/* not 0: the tiles in the row and the column of a pivot are relaxed
	   only through later pivots */
	cl_uint later;
};

#define APSP_NO_TILE UINT32_MAX

/*
 * A range of tile rows or tile columns is a vector of four numbers: first,
 * count, skip and skip_count (kernels/element.clh). This enum has the indices
 * of these numbers in the vector. A range has `count` indices, from `first` on.
 * The skip_count indices from `skip` on are left out, and `count` does not
 * include them.
 */
enum apsp_range {
	APSP_RANGE_FIRST,
	APSP_RANGE_COUNT,
	APSP_RANGE_SKIP,
	APSP_RANGE_SKIP_COUNT,
};

struct apsp_rectangle {
	cl_uint4 rows;
	cl_uint4 columns;
};

/* Return the range [first, first + count). */
cl_uint4 apsp_range(uint32_t first, uint32_t count);

/* Return the range [first, first + count) without the indices [skip, skip +
   skip_count). */
cl_uint4 apsp_range_but(
	uint32_t first, uint32_t count, uint32_t skip, uint32_t skip_count);

uint64_t apsp_rectangle_tiles(const struct apsp_rectangle *rectangle);

/* Compile the kernel for the panels' type of element and kind of distances. The
   caller ends *out with apsp_relax_done(). APSP_EDEVICE. */
int apsp_relax_open(const struct apsp_panels *panels, struct apsp_relax *out,
	struct apsp_err *err);
void apsp_relax_done(struct apsp_relax *relax);

/* Return how many rows of n_columns tiles one launch can relax through n_k
   pivots in less than 200 ms (tuning.h), but at least 1. */
uint64_t apsp_relax_limit(
	const struct apsp_relax *relax, uint32_t n_k, uint32_t n_columns);

/*
 * Enqueue one launch on the device's queue that relaxes all tiles of both
 * rectangles. `second` may be NULL. The rows of both rectangles lie in
 * *targets.
 *
 * A tile may be read as an operand while the same launch changes it. The old
 * and the new values of the tile are both right: all values are lengths of
 * paths, so no result is too small; and values only fall, so no result is
 * larger than with the old values.
 *
 * panels->finite has one mark for each tile. The launch reads the marks and
 * does not change them. So before the launch, the marks must be set for all
 * tiles that have finite values or get finite values in the launch
 * (apsp_relax_spread()). APSP_EDEVICE.
 */
int apsp_relax_launch(const struct apsp_relax *relax,
	const struct apsp_slab *targets, const struct apsp_pivots *pivots,
	const struct apsp_rectangle *first, const struct apsp_rectangle *second,
	struct apsp_err *err);

/* Copy the marks panels->finite from the device to host memory: one byte for
   each tile, 1 if the tile may hold finite values, else 0. The caller frees
   *out. Blocks. APSP_ENOMEM; APSP_EDEVICE. */
int apsp_relax_marks(
	const struct apsp_panels *panels, uint8_t **out, struct apsp_err *err);

/*
 * Mark every tile that may become finite if tiles are relaxed through the
 * pivots k to k + n_k - 1, one after another. `finite` has the marks of n_tiles
 * × n_tiles tiles, in host memory.
 */
void apsp_relax_spread(
	uint8_t *finite, uint32_t n_tiles, uint32_t k, uint32_t n_k);

#endif
