/*
 * Reads rows of the distance matrix V from panels (panels.h). In the panels,
 * the values of a row are ordered by position; in the rows that are read, the
 * values are in upload order. This file also finds the arcs that can be the
 * last arc of a shortest path.
 */
#ifndef APSP_COMPUTE_DEVICE_PANEL_ROWS_H
#define APSP_COMPUTE_DEVICE_PANEL_ROWS_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/device/device_arcs.h"
#include "compute/device/panels.h"
#include "daemon/base/err.h"

/*
 * Enqueue commands that copy rows of the distance matrix V to the device buffer
 * `out`: the rows of n_rows vertices, beginning with vertex `first`. `out` gets
 * n_rows × n_vertices values. The panels must hold these rows. If the panels
 * are in host memory, the function blocks while the host gathers the rows.
 * APSP_EDEVICE.
 */
int apsp_panel_rows_read(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err);

/*
 * Fill `flags`, an array of n_arcs bytes on the host. The flag of an arc is 1
 * if the arc can be the last arc of a shortest path, else 0
 * (compute/tables/README.md, Predecessors). An arc from u to v can be the last
 * arc if its length equals V(u, v), the distance in the matrix V. If the arc is
 * shorter than V(u, v), V is wrong. Then the flag is 1, too, so that the search
 * for predecessors detects the error. If the panels hold a part of V, the flags
 * of all arcs that begin outside the part are 0. Otherwise the panels must hold
 * all rows. Blocks. APSP_EDEVICE.
 */
int apsp_panel_rows_essential(const struct apsp_panels *panels,
	const struct apsp_device_arcs *arcs, uint8_t *flags,
	struct apsp_err *err);

#endif
