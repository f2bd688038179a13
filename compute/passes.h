/*
 * Passes over whole rows of tiles on the device: what blocked Floyd–Warshall is
 * where a part of the matrix is there at a time (streamed_fw.h).
 *
 * Rows need one pass through pivot rows K that are closed, columns K included,
 * which are operands and targets at once: V(i,k) + V(k,j), V(i,k) being what it
 * was before or is after, counts every path by its first vertex in K. The marks
 * `finite` must hold all that may become finite beforehand: items of a group
 * pass over tiles by them and must agree, while another group would set one.
 */
#ifndef APSP_COMPUTE_PASSES_H
#define APSP_COMPUTE_PASSES_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/monitor.h"
#include "compute/panels.h"
#include "compute/relax.h"
#include "daemon/base/err.h"

enum {
	/* Passes that may be queued: enough that the device never waits. */
	APSP_PASSES_QUEUED = 4,
};

struct apsp_passes {
	const struct apsp_device *device; /* borrowed */
	struct apsp_monitor *monitor;	  /* borrowed */
	struct apsp_relax relax;
	cl_event marks[APSP_PASSES_QUEUED]; /* of the last passes */
	uint32_t n_marks;
	double n_products; /* of tiles, so far */
};

/* Tile rows, all columns of them. */
struct apsp_rows {
	struct apsp_slab slab;
	uint32_t n; /* from slab.base on */
};

/* panels and monitor are borrowed; the caller ends *out. APSP_EDEVICE. */
int apsp_passes_open(const struct apsp_panels *panels,
	struct apsp_monitor *monitor, struct apsp_passes *out,
	struct apsp_err *err);
void apsp_passes_done(struct apsp_passes *passes); /* accepts an empty one */

/*
 * These enqueue passes on the device's queue, telling the monitor, and wait
 * until no more than APSP_PASSES_QUEUED are left there. APSP_ECANCELLED;
 * APSP_EDEVICE.
 *
 * begin: close the first tile of the matrix's first rows.
 * close: bring pivot rows, whose first tile on the diagonal is closed, up to
 *        date among themselves.
 * relax: bring rows up to date through closed pivot rows. If they are those
 *        after the pivots, their first tile on the diagonal is closed.
 */
int apsp_passes_begin(struct apsp_passes *passes, const struct apsp_rows *rows,
	struct apsp_err *err);
int apsp_passes_close(struct apsp_passes *passes, const struct apsp_rows *rows,
	struct apsp_err *err);
int apsp_passes_relax(struct apsp_passes *passes, const struct apsp_rows *rows,
	const struct apsp_rows *pivots, struct apsp_err *err);

/* When all that was enqueued is done; borrowed until the next pass. */
cl_event apsp_passes_last(const struct apsp_passes *passes);

#endif
