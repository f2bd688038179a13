/*
 * Reading rows of V in upload order from panels, which are ordered by position.
 */
#ifndef APSP_COMPUTE_DEVICE_PANEL_ROWS_H
#define APSP_COMPUTE_DEVICE_PANEL_ROWS_H

#include <CL/cl.h>
#include <stdint.h>

#include "compute/device/panels.h"
#include "daemon/base/err.h"

/*
 * Enqueue a copy of the rows of n_rows vertices, from vertex `first` on, into
 * the device buffer out: n_rows × n_vertices values of V. The panels hold these
 * rows. Blocks while the host gathers the rows of panels in host memory.
 * APSP_EDEVICE.
 */
int apsp_panel_rows_read(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err);

#endif
