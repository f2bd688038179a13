/*
 * The tails and heads of all arcs, copied to a device for the kernels of the
 * closure algorithms. Vertices have the numbers that they have in the uploaded
 * graph.
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
 * Copy the tails and heads of all arcs to the device. The caller ends *out with
 * apsp_closure_arcs_done(). APSP_ENOMEM; APSP_ELIMIT: the arcs do not fit the
 * device; APSP_EDEVICE.
 */
int apsp_closure_arcs_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_closure_arcs *out,
	struct apsp_err *err);
void apsp_closure_arcs_done(struct apsp_closure_arcs *arcs);

#endif
