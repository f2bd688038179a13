/*
 * The algorithms by name: what turns loaded panels of arc lengths into panels
 * of V, in place.
 */
#ifndef APSP_COMPUTE_ALGORITHM_H
#define APSP_COMPUTE_ALGORITHM_H

#include "compute/monitor.h"
#include "compute/panels.h"
#include "daemon/base/err.h"

struct apsp_algorithm {
	const char *name;
	/* Run on the device; NULL: on the host, row by row (reference.h). */
	int (*run)(struct apsp_panels *panels, struct apsp_monitor *monitor,
		struct apsp_err *err);
};

/* By name; "" is the default. NULL: there is none of that name. */
const struct apsp_algorithm *apsp_algorithm_find(const char *name);

/*
 * `fw`: Floyd–Warshall, one launch a pivot vertex. n launches of n²
 * relaxations. Blocks. APSP_ECANCELLED, APSP_EDEVICE. Method: Harish &
 * Narayanan 2007.
 */
int apsp_fw_run(struct apsp_panels *panels, struct apsp_monitor *monitor,
	struct apsp_err *err);

/*
 * `blocked-fw`: pivot blocks of tuning->pivot_tiles tiles. Within a block, tile
 * by tile, the diagonal tile is closed and the block's rows and columns of
 * tiles are brought up to date; the rest of the matrix then passes through once
 * a block. Blocks. APSP_ECANCELLED, APSP_EDEVICE. Method: Venkataraman et al.
 * 2003; Katz & Kider 2008.
 */
int apsp_blocked_fw_run(struct apsp_panels *panels,
	struct apsp_monitor *monitor, struct apsp_err *err);

#endif
