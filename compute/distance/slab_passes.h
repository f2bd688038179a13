/*
 * Passes of blocked Floyd–Warshall over whole rows of tiles. They are used when
 * only a part of the distance matrix V is on the device at a time
 * (streamed_fw.c, shared_fw.c).
 *
 * One pass relaxes rows of tiles through the pivot rows K, which have already
 * been relaxed through each other. During the pass, the tiles in columns K are
 * read as operands while the pass changes them. The old and the new values are
 * both right. To see this, consider a path from i to j by way of earlier pivots
 * and K, and let k be its first vertex in K. The part of the path from i to k
 * has no other vertex in K. So V(i,k) is at most the length of this part even
 * before the pass. V(k,j) is at most the length of the rest of the path,
 * because the rows K have been relaxed through each other. So the pass makes
 * V(i,j) at most the length of the whole path, with old and with new values.
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
	/* Largest number of passes in the device's queue; 4 are enough to keep
	   the device busy. */
	APSP_SLAB_PASSES_QUEUED = 4,
};

struct apsp_slab_passes {
	const struct apsp_panels *panels; /* borrowed */
	struct apsp_progress *progress;	  /* borrowed */
	struct apsp_relax relax;
	/* Marks of the tiles that may have finite values. One array has the
	   newest marks, and the other has the marks before the latest call of
	   apsp_slab_passes_spread(). Each call swaps the roles of the two
	   arrays. */
	cl_mem finite[2];
	void *finite_marks[2]; /* the buffers `finite`, mapped to host memory */
	/* for each array of `finite`, an event that completes when the array
	   has been copied to panels->finite */
	cl_event marked[2];
	uint32_t n_spread; /* number of calls of apsp_slab_passes_spread() */
	/* the events of the last passes; each event completes when its pass
	   ends */
	cl_event marks[APSP_SLAB_PASSES_QUEUED];
	uint32_t n_marks;
	/* event of the pass that was enqueued last; borrowed from `marks` */
	cl_event last;
	double n_products; /* number of products of two tiles so far */
};

/* Whole tile rows. */
struct apsp_rows {
	struct apsp_slab slab; /* the slab (buffer) that holds the tile rows */
	uint32_t first;
	uint32_t n; /* number of tile rows */
};

/*
 * Prepare passes over these panels; `panels` and `progress` are borrowed.
 * `finite` (n_tiles × n_tiles bytes) marks the tiles of the distance matrix V
 * that have finite values now. The caller ends *out with
 * apsp_slab_passes_done(). APSP_ELIMIT; APSP_EDEVICE.
 */
int apsp_slab_passes_open(const struct apsp_panels *panels,
	const uint8_t *finite, struct apsp_progress *progress,
	struct apsp_slab_passes *out, struct apsp_err *err);
/* Waits for the device's queue. *passes may be all zeros. */
void apsp_slab_passes_done(struct apsp_slab_passes *passes);

/*
 * Mark all tiles that may become finite if tiles are relaxed through the pivot
 * rows [first, first + n). Call this before the passes that close the pivot
 * rows and relax other rows through them. The passes do not change the marks,
 * because all work-items of a group must skip the same tiles, even if other
 * groups make some tiles finite meanwhile. APSP_EDEVICE.
 */
int apsp_slab_passes_spread(struct apsp_slab_passes *passes, uint32_t first,
	uint32_t n, struct apsp_err *err);

/*
 * Relax pivot rows through each other. Before the call, the diagonal tile of
 * the first pivot row must be closed, which means relaxed through its own
 * vertices. The exception is tile (0, 0), which this function closes. The
 * function enqueues passes on the device's queue, reports progress, and waits
 * until at most APSP_SLAB_PASSES_QUEUED passes are queued. APSP_ECANCELLED;
 * APSP_EDEVICE.
 */
int apsp_slab_passes_close(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, struct apsp_err *err);

/*
 * Relax n_rows ranges of rows through the rows `pivots`.
 * apsp_slab_passes_close() must already have closed these pivots, in this
 * process or in another process. If a range contains the row right after the
 * last pivot, also close the diagonal tile of this row. Like
 * apsp_slab_passes_close(), the function enqueues passes, reports progress and
 * waits, and it has the same errors.
 */
int apsp_slab_passes_relax(struct apsp_slab_passes *passes,
	const struct apsp_rows *rows, size_t n_rows,
	const struct apsp_rows *pivots, struct apsp_err *err);

#endif
