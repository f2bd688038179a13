/*
 * Panels whose home is host memory: a matrix that the device's own does not
 * hold. Kernels take panels through slabs on the device (streamed_fw.c); rows
 * are gathered by the host's processors.
 */
#ifndef APSP_COMPUTE_PANELS_HOST_H
#define APSP_COMPUTE_PANELS_HOST_H

#include <stdint.h>

#include "compute/panels.h"
#include "daemon/base/err.h"

/*
 * Make the panels in host memory, pinned where that means anything, and fill
 * them with the arcs, 0 on the diagonal, infinity elsewhere. lengths, integers
 * and order are borrowed until apsp_panels_done(). Blocks; runs on all
 * processors. Whether they fit is for the caller to see first. APSP_ENOMEM;
 * APSP_ELIMIT: too many buffers; APSP_EDEVICE.
 */
int apsp_host_panels_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers, const struct apsp_order *order,
	enum apsp_element element, struct apsp_panels *out,
	struct apsp_err *err);

/* Where tile row i is, and how many rows lie there one after another. */
void *apsp_host_panels_at(
	const struct apsp_panels *panels, uint32_t i, uint32_t *out_n_rows);

/* n_tiles × n_tiles bytes: tiles that may hold finite values, as loaded. */
const uint8_t *apsp_host_panels_finite(const struct apsp_panels *panels);

/* What apsp_panels_rows(), _essential() and _done() do for such panels. */
int apsp_host_panels_rows(const struct apsp_panels *panels, uint32_t first,
	uint32_t n_rows, cl_mem out, struct apsp_err *err);
void apsp_host_panels_essential(
	const struct apsp_panels *panels, uint8_t *flags);
void apsp_host_panels_free(struct apsp_panels *panels);

#endif
