/*
 * Passes over whole rows of tiles, for blocked Floyd–Warshall when only a part
 * of the matrix is on the device at a time (streamed_fw.c).
 *
 * One pass relaxes rows of tiles through the pivot rows K, which have already
 * been relaxed through each other. During the pass, the tiles in columns K are
 * read as operands while the pass changes them. The result is right for the
 * following reason. A path from i to j is split at its first vertex k in K.
 * Then V(i,k) + V(k,j) is at most the path's length, both with the value of
 * V(i,k) before the pass and with its value after the pass. Before the pass,
 * the marks `finite` must cover all tiles that may become finite, because all
 * work-items of a group must skip the same unmarked tiles.
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
	/* Largest number of passes in the device's queue. This is enough to
	   keep the device busy. */
	APSP_SLAB_PASSES_QUEUED = 4,
};

struct apsp_slab_passes {
	const struct apsp_device *device; /* borrowed */
	struct apsp_progress *progress;	  /* borrowed */
	struct apsp_relax relax;
	/* one event for each of the last passes; an event completes when its
	   pass ends */
	cl_event marks[APSP_SLAB_PASSES_QUEUED];
	uint32_t n_marks;
	/* event of the pass that was enqueued last; borrowed from `marks` */
	cl_event last;
	double n_products; /* number of products of two tiles so far */
};

/* Whole tile rows. */
struct apsp_rows {
	struct apsp_slab slab;
	uint32_t n; /* number of tile rows; the first is slab.base */
};

/* Prepare passes over these panels; `panels` and `progress` are borrowed. The
   caller ends *out with apsp_slab_passes_done(). APSP_EDEVICE. */
int apsp_slab_passes_open(const struct apsp_panels *panels,
	struct apsp_progress *progress, struct apsp_slab_passes *out,
	struct apsp_err *err);
void apsp_slab_passes_done(
	struct apsp_slab_passes *passes); /* accepts an empty struct */

/*
 * Relax pivot rows through each other. The diagonal tile of the first pivot row
 * must be closed before the call, unless it is tile (0, 0). The function
 * enqueues passes on the device's queue, reports progress, and waits until at
 * most APSP_SLAB_PASSES_QUEUED passes are queued. APSP_ECANCELLED;
 * APSP_EDEVICE.
 */
int apsp_slab_passes_close(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, struct apsp_err *err);

/*
 * Relax `rows` through `pivots`, which are rows that are already closed. If
 * `rows` come right after `pivots`, also close the diagonal tile of the first
 * row in `rows`. Like apsp_slab_passes_close(), the function enqueues passes,
 * reports progress and waits, and it has the same errors.
 */
int apsp_slab_passes_relax(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, const struct apsp_rows *pivots,
	struct apsp_err *err);

#endif
