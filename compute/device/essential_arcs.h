/*
 * Finding the arcs that may end a shortest path: those no longer than V between
 * their ends (compute/tables/README.md, Predecessors).
 */
#ifndef APSP_COMPUTE_DEVICE_ESSENTIAL_ARCS_H
#define APSP_COMPUTE_DEVICE_ESSENTIAL_ARCS_H

#include <stdint.h>

#include "compute/device/device_arcs.h"
#include "compute/device/panels.h"
#include "daemon/base/err.h"

/*
 * Store in flags (n_arcs bytes on the host) 1 for each arc that is no longer
 * than V between its ends, else 0. The flag is also 1 for an arc shorter than
 * V, so that the search for predecessors finds out that V is wrong. The panels
 * hold all rows. Blocks. APSP_EDEVICE.
 */
int apsp_essential_arcs_find(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, uint8_t *flags,
	struct apsp_err *err);

#endif
