/* Panels (panels.h) in host memory, for a distance matrix V that does not fit
   the device's memory. Slabs of neighbouring panels are copied to the device
   (streamed_fw.c in compute/distance), and the host's processors gather rows
   from the panels. */
#ifndef APSP_COMPUTE_DEVICE_HOST_PANELS_H
#define APSP_COMPUTE_DEVICE_HOST_PANELS_H

#include <stdint.h>

#include "compute/device/panels.h"
#include "compute/graph/integers.h"
#include "daemon/base/err.h"

/*
 * Make the panels (panels.h) in host memory, which is pinned if the device has
 * memory of its own. Store the length of each arc, 0 on the diagonal, and
 * infinity in all other cells. `lengths`, `integers` and `positions` are
 * borrowed until apsp_panels_done(). The caller has checked that the panels fit
 * the host's memory. Blocks; uses all processors. APSP_ENOMEM; APSP_ELIMIT: too
 * many buffers; APSP_EDEVICE.
 */
int apsp_host_panels_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, enum apsp_element element,
	struct apsp_panels *out, struct apsp_err *err);

/* Return the address of tile row i. *out_n_rows is the number of tile rows that
   are contiguous in memory from row i on. */
void *apsp_host_panels_at(
	const struct apsp_panels *panels, uint32_t i, uint32_t *out_n_rows);

/* For panels in host memory, apsp_host_panels_read() does the work of
   apsp_panel_rows_read(), and apsp_host_panels_essential() does the work of
   apsp_panel_rows_essential() (panel_rows.h). */
int apsp_host_panels_read(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err);
void apsp_host_panels_essential(
	const struct apsp_panels *panels, uint8_t *flags);

#endif
