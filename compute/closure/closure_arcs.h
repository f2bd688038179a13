/*
 * The ends of all arcs on a device, in upload order, for the closure's kernels.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_ARCS_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_ARCS_H

#include <CL/cl.h>

#include "compute/device/device.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

struct apsp_closure_arcs {
	cl_ulong n_arcs;
	cl_mem tails;
	cl_mem heads;
};

/*
 * Copy the ends of the arcs to the device. The caller ends *out with
 * apsp_closure_arcs_done(). APSP_ENOMEM; APSP_ELIMIT: the ends do not fit the
 * device; APSP_EDEVICE.
 */
int apsp_closure_arcs_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_closure_arcs *out,
	struct apsp_err *err);
void apsp_closure_arcs_done(struct apsp_closure_arcs *arcs);

#endif
