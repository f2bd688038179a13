/*
 * The arcs on a device as the closure's kernels read them: ends in upload
 * order, no lengths.
 */
#ifndef APSP_COMPUTE_CLOSURE_CLOSURE_ARCS_H
#define APSP_COMPUTE_CLOSURE_CLOSURE_ARCS_H

#include <CL/cl.h>

#include "compute/closure/closure_rows.h"
#include "compute/device/device.h"
#include "compute/graph/lengths.h"
#include "daemon/base/err.h"

struct apsp_closure_arcs {
	cl_ulong n_arcs;
	cl_mem tails;
	cl_mem heads;
};

/*
 * The caller ends *out with apsp_closure_arcs_done(). APSP_ENOMEM; APSP_ELIMIT;
 * APSP_EDEVICE.
 */
int apsp_closure_arcs_open(const struct apsp_device *device,
	const struct apsp_lengths *lengths, struct apsp_closure_arcs *out,
	struct apsp_err *err);
void apsp_closure_arcs_done(struct apsp_closure_arcs *arcs);

/* Enqueue: set each arc's bit in its tail's row. APSP_EDEVICE. */
int apsp_closure_arcs_set(const struct apsp_closure_arcs *arcs,
	const struct apsp_closure_rows *rows, struct apsp_err *err);

#endif
