/*
 * The arcs on a device, in the form that kernels read. An arc has the position
 * (positions.h) of its tail, the position of its head, and a length in the
 * element type of the matrix V (panels.h).
 *
 * If all arcs fit one staging buffer, they are copied to the device once.
 * Otherwise each loop over all arcs copies one chunk of n_together arcs after
 * another to the device.
 */
#ifndef APSP_COMPUTE_DEVICE_DEVICE_ARCS_H
#define APSP_COMPUTE_DEVICE_DEVICE_ARCS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

#include "compute/device/device.h"
#include "compute/graph/integers.h"
#include "compute/graph/lengths.h"
#include "compute/graph/positions.h"
#include "daemon/base/err.h"

struct apsp_device_arcs {
	/* device, lengths, integers and positions are borrowed */
	const struct apsp_device *device;
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_positions *positions;
	enum apsp_element element;
	uint64_t n_arcs;
	uint64_t n_together;
	cl_mem from; /* for each arc, the position of its tail, u32 */
	cl_mem to;
	cl_mem values; /* lengths, in the element type of the distance matrix
			  V */
	/* host memory for a chunk; NULL: the buffers hold all arcs */
	void *staging;
};

/*
 * Make the buffers, and fill them if all arcs fit one chunk. A length that is
 * too large for the element type of the distance matrix V is stored as
 * infinity. `lengths`, `integers` and `positions` must outlive *out. The caller
 * ends *out with apsp_device_arcs_done(). APSP_ENOMEM; APSP_ELIMIT: the buffers
 * do not fit the device; APSP_EDEVICE.
 */
int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, enum apsp_element element,
	struct apsp_device_arcs *out, struct apsp_err *err);

/*
 * Fill the buffers with the chunk that begins at arc `first`, unless they
 * already hold all arcs. Store the number of arcs of this chunk in *out_n.
 * `first` is a multiple of n_together. The function waits for the commands that
 * read the previous chunk. APSP_EDEVICE.
 */
int apsp_device_arcs_bring(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t *out_n, struct apsp_err *err);
void apsp_device_arcs_done(struct apsp_device_arcs *arcs);

#endif
