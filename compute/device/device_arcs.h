/*
 * The arcs as kernels read them: by position, with lengths in V's element.
 *
 * Where all arcs fit a staging buffer, they lie on the device from the start.
 * Otherwise n_together of them do, one chunk after another, each time.
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
	const struct apsp_device *device; /* borrowed, as the next three */
	const struct apsp_lengths *lengths;
	const struct apsp_integers *integers;
	const struct apsp_positions *positions;
	enum apsp_element element;
	bool transposed; /* panels get each arc the other way round */
	uint64_t n_arcs;
	uint64_t n_together;
	cl_mem from; /* positions, u32 */
	cl_mem to;
	cl_mem values; /* lengths in V's element */
	void *staging; /* of a chunk on the host; NULL: one chunk has all */
};

/*
 * Make the buffers, and fill them if they hold all arcs. Lengths at or past V's
 * infinity become infinity. lengths, integers and positions must outlive *out,
 * which the caller ends with apsp_device_arcs_done(). APSP_ENOMEM, APSP_ELIMIT,
 * APSP_EDEVICE.
 */
int apsp_device_arcs_load(const struct apsp_device *device,
	const struct apsp_lengths *lengths,
	const struct apsp_integers *integers,
	const struct apsp_positions *positions, enum apsp_element element,
	struct apsp_device_arcs *out, struct apsp_err *err);

/*
 * Have the buffers hold the chunk of *out_n arcs from `first` on, a multiple of
 * n_together. Waits for the commands that read the chunk before. APSP_EDEVICE.
 */
int apsp_device_arcs_bring(const struct apsp_device_arcs *arcs, uint64_t first,
	uint64_t *out_n, struct apsp_err *err);
void apsp_device_arcs_done(struct apsp_device_arcs *arcs);

#endif
