/*
 * Passes over whole rows of tiles: blocked Floyd–Warshall where only a part of
 * the matrix is on the device at a time (streamed_fw.c).
 *
 * Rows need one pass through closed pivot rows K. In it the tiles of columns K
 * are operands and targets at once. That is right: V(i,k) + V(k,j), with V(i,k)
 * from before or after the pass, counts every path by its first vertex in K.
 * The marks `finite` must beforehand cover all tiles that may become finite,
 * because the items of a group skip tiles by them and must agree.
 */
#ifndef APSP_COMPUTE_DISTANCE_SLAB_PASSES_H
#define APSP_COMPUTE_DISTANCE_SLAB_PASSES_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/device/panels.h"
#include "compute/distance/relax.h"
#include "compute/progress.h"
#include "daemon/base/err.h"

enum {
	/* The most passes that are queued: enough to keep the device busy. */
	APSP_SLAB_PASSES_QUEUED = 4,
};

struct apsp_slab_passes {
	const struct apsp_device *device; /* borrowed */
	struct apsp_progress *progress;	  /* borrowed */
	struct apsp_relax relax;
	cl_event marks[APSP_SLAB_PASSES_QUEUED]; /* ends of the last passes */
	uint32_t n_marks;
	cl_event last; /* the end of the last pass enqueued; borrowed from marks
			*/
	double n_products; /* products of two tiles so far */
};

/* Whole tile rows. */
struct apsp_rows {
	struct apsp_slab slab;
	uint32_t n; /* from slab.base on */
};

/*
 * panels and progress are borrowed. The caller ends *out with
 * apsp_slab_passes_done(). APSP_EDEVICE.
 */
int apsp_slab_passes_open(const struct apsp_panels *panels,
	struct apsp_progress *progress, struct apsp_slab_passes *out,
	struct apsp_err *err);
void apsp_slab_passes_done(
	struct apsp_slab_passes *passes); /* accepts an empty one */

/*
 * Each of these enqueues passes on the device's queue, reports progress, and
 * waits until at most APSP_SLAB_PASSES_QUEUED are queued. APSP_ECANCELLED;
 * APSP_EDEVICE.
 *
 * close: bring pivot rows up to date among themselves. Their first tile on the
 *        diagonal must be closed, unless it is the first tile of the matrix.
 * relax: bring rows up to date through closed pivot rows. If the rows come
 * right after the pivots, also close their first tile on the diagonal.
 */
int apsp_slab_passes_close(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, struct apsp_err *err);
int apsp_slab_passes_relax(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, const struct apsp_rows *pivots,
	struct apsp_err *err);

#endif
