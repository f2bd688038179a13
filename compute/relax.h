/*
 * Launches of the relax kernels (kernels/relax_tile.cl, relax_vector.cl): the
 * tiles of two rectangles, V(i,j) = min(V(i,j), V(i,k) + V(k,j)) over some
 * pivot tiles k. What blocked-fw, streamed-fw and minplus-squaring have in
 * common.
 */
#ifndef APSP_COMPUTE_RELAX_H
#define APSP_COMPUTE_RELAX_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/device.h"
#include "daemon/base/err.h"
#include "daemon/base/table_file.h"

struct apsp_relax {
	const struct apsp_device *device;
	cl_kernel kernel; /* owned */
	uint32_t n_tiles; /* in a row or column of the matrix */
	cl_mem finite;	  /* marks of the panels' tiles; borrowed */
};

/* Tile rows of the matrix in one buffer. */
struct apsp_slab {
	cl_mem buffer;
	cl_uint base; /* its first tile row */
};

/* What tiles are relaxed through, and what pivot tile comes after. */
struct apsp_pivots {
	struct apsp_slab slab; /* holds the tile rows [k, k + n_k) */
	cl_uint k;
	cl_uint n_k;
	cl_uint close; /* tile (close, close), if it is a target, is closed once
			  it is up to date; APSP_NO_TILE: none */
	cl_uint later; /* not 0: targets in the pivots' own rows and columns
			  pass through the pivots after theirs only */
};

#define APSP_NO_TILE UINT32_MAX

/*
 * A range of tile rows or columns: `count` indices from `first` on, those from
 * `skip` on being moved up by `skip_count` (kernels/element.clh).
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

/* [first, first + count). */
cl_uint4 apsp_range(uint32_t first, uint32_t count);

/* [first, first + count) but for skip_count indices in it from skip on. */
cl_uint4 apsp_range_but(
	uint32_t first, uint32_t count, uint32_t skip, uint32_t skip_count);

/* The index that a range begins with. */
uint32_t apsp_range_begin(cl_uint4 range);

uint64_t apsp_rectangle_tiles(const struct apsp_rectangle *rectangle);

/* The caller ends *out with apsp_relax_done(). APSP_EDEVICE. */
int apsp_relax_open(const struct apsp_device *device, enum apsp_element element,
	uint32_t n_tiles, cl_mem finite, struct apsp_relax *out,
	struct apsp_err *err);
void apsp_relax_done(struct apsp_relax *relax);

/* Tiles that one launch may take: it stays under the tuned time. */
uint64_t apsp_relax_limit(const struct apsp_relax *relax, uint32_t n_k);

/*
 * Enqueue on queue: all tiles of both rectangles (the second may be empty),
 * whose rows lie in *targets. A tile that is an operand of another target of
 * the same launch is read while it changes, and either value does: both are
 * lengths of paths, and values only fall, so no result is too small, and none
 * is larger than the operand as it was before the launch makes it.
 * The marks in `finite` are only read: they must hold all tiles that are finite
 * or may become so in the launch (apsp_relax_spread()).
 * APSP_EDEVICE.
 */
int apsp_relax_launch(const struct apsp_relax *relax, cl_command_queue queue,
	const struct apsp_slab *targets, const struct apsp_pivots *pivots,
	const struct apsp_rectangle *first, const struct apsp_rectangle *second,
	struct apsp_err *err);

/*
 * Mark in finite (n_tiles × n_tiles, on the host) every tile that may become
 * finite through the pivots [k, k + n_k), one after another.
 */
void apsp_relax_spread(
	uint8_t *finite, uint32_t n_tiles, uint32_t k, uint32_t n_k);

#endif
